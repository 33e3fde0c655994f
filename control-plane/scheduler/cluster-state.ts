import { isPodTerminal } from "../../shared/api/pod-phase.ts";
import type { Node, Pod } from "../../shared/api/types.ts";
import { NodeInfo, type PodInfo, podInfoOf } from "./framework/node-info.ts";

/**
 * Nodes and what their pods hold, kept up to date one change at a time: a cycle never lists anything. Memory: one entry
 * a node and one a pod that has a node.
 */
export class ClusterState {
  readonly #nodes = new Map<string, NodeInfo>();
  /** All placed pods by uid, with their node: also those on nodes not (yet) known, and those only assumed. */
  readonly #pods = new Map<string, { info: PodInfo; node: string }>();
  readonly #withAffinity = new Set<NodeInfo>();
  #list: NodeInfo[] | undefined;

  /** In the order in which the nodes came. Not a copy: valid until the next node comes or goes. */
  get nodes(): readonly NodeInfo[] {
    this.#list ??= [...this.#nodes.values()];
    return this.#list;
  }

  /** Nodes with pods that have affinity to others, in no order. Not a copy. */
  get nodesWithAffinity(): Iterable<NodeInfo> {
    return this.#withAffinity;
  }

  setNode(node: Node): void {
    const { name } = node.metadata;
    const old = this.#nodes.get(name);
    const pods = old ? old.pods : this.#podsOf(name);
    const info = new NodeInfo(node, pods);
    if (old) this.#withAffinity.delete(old);
    this.#nodes.set(name, info);
    this.#noteAffinity(info);
    this.#list = undefined;
  }

  removeNode(name: string): void {
    const old = this.#nodes.get(name);
    if (old) this.#withAffinity.delete(old);
    this.#nodes.delete(name);
    this.#list = undefined;
  }

  /** A pod that has a node. One that has ended holds nothing any more. */
  setPod(pod: Pod): void {
    const uid = pod.metadata.uid!;
    const node = pod.spec?.nodeName;
    if (!node || isPodTerminal(pod)) this.removePod(uid);
    else this.#place(podInfoOf(pod), node);
  }

  /** Counts the pod as placed before its binding is written, so that the next cycle sees the room taken. */
  assume(info: PodInfo, node: string): void {
    this.#place(info, node);
  }

  /** The pod as it is now, where nothing changed that is counted. */
  refreshPod(pod: Pod): void {
    const placed = this.#pods.get(pod.metadata.uid!);
    if (placed) placed.info.pod = pod;
  }

  /** Also undoes `assume`. Unknown uids are ignored. */
  removePod(uid: string): void {
    const placed = this.#pods.get(uid);
    if (!placed) return;
    this.#pods.delete(uid);
    const node = this.#nodes.get(placed.node);
    if (!node) return;
    node.removePod(uid);
    this.#noteAffinity(node);
  }

  #place(info: PodInfo, node: string): void {
    const uid = info.pod.metadata.uid!;
    const before = this.#pods.get(uid);
    if (before && before.node !== node) this.removePod(uid);
    this.#pods.set(uid, { info, node });
    const there = this.#nodes.get(node);
    if (!there) return;
    there.addPod(info);
    this.#noteAffinity(there);
  }

  #noteAffinity(node: NodeInfo): void {
    if (node.hasAffinity) this.#withAffinity.add(node);
    else this.#withAffinity.delete(node);
  }

  *#podsOf(node: string): Iterable<PodInfo> {
    for (const placed of this.#pods.values()) if (placed.node === node) yield placed.info;
  }
}
