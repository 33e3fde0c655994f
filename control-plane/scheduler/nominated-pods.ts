import type { PodInfo } from "./framework/node-info.ts";

/** Pods without a node for which pods of one were evicted. Bounded by the number of pending pods. */
export class NominatedPods {
  readonly #byUid = new Map<string, PodInfo>();
  readonly #byNode = new Map<string, PodInfo[]>();

  /** Those promised a place on a node. Not a copy. */
  on(node: string): readonly PodInfo[] {
    return this.#byNode.get(node) ?? [];
  }

  nodeOf(uid: string): string | undefined {
    return this.#byUid.get(uid)?.nominatedNode;
  }

  /** Replaces what was known of the pod; one that is nominated to no node is forgotten. */
  set(info: PodInfo): void {
    this.remove(info.uid);
    if (!info.nominatedNode) return;
    this.#byUid.set(info.uid, info);
    this.#byNode.set(info.nominatedNode, [...this.on(info.nominatedNode), info]);
  }

  /** @returns whether it was nominated */
  remove(uid: string): boolean {
    const node = this.nodeOf(uid);
    if (!node) return false;
    this.#byUid.delete(uid);
    const others = this.on(node).filter((info) => info.uid !== uid);
    if (others.length > 0) this.#byNode.set(node, others);
    else this.#byNode.delete(node);
    return true;
  }
}
