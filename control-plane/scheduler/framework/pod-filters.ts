import type { NodeInfo, PodInfo } from "./node-info.ts";
import type { Cluster, FilterPlugin, NodeFilter, Verdict } from "./plugin.ts";

/** Which plugin says no, and why. */
export interface FilterRefusal {
  plugin: string;
  verdict: Verdict;
}

/** The filters made ready for one pod in one state of the cluster. */
export class PodFilters {
  readonly #pod: PodInfo;
  readonly #filters: readonly (NodeFilter & { plugin: string })[];

  constructor(pod: PodInfo, cluster: Cluster, plugins: readonly FilterPlugin[]) {
    this.#pod = pod;
    this.#filters = plugins.flatMap((plugin) => {
      if ("filter" in plugin) return { plugin: plugin.name, filter: (node: NodeInfo) => plugin.filter(pod, node) };
      const prepared = plugin.prepare(pod, cluster);
      return prepared ? { ...prepared, plugin: plugin.name } : [];
    });
  }

  /**
   * The first "no", if any.
   * @param nominated pods that are promised a place on the node. It must take the pod with those of them that go
   *   before it, and also without: they may never come.
   */
  refusal(node: NodeInfo, nominated: readonly PodInfo[]): FilterRefusal | undefined {
    const expected = nominated.filter(({ uid, priority }) => uid !== this.#pod.uid && priority >= this.#pod.priority);
    if (expected.length > 0) {
      const crowded = node.copy();
      for (const other of expected) this.put(other, crowded);
      const refusal = this.#firstNo(crowded);
      for (const other of expected) this.update(other, crowded, -1);
      if (refusal) return refusal;
    }
    return this.#firstNo(node);
  }

  /** Thinks another pod onto a node. The node should be a copy. */
  put(other: PodInfo, node: NodeInfo): void {
    node.addPod(other);
    this.update(other, node, 1);
  }

  /** Thinks another pod off a node. The node should be a copy. */
  take(other: PodInfo, node: NodeInfo): void {
    node.removePod(other.uid);
    this.update(other, node, -1);
  }

  /** Only what is counted of the cluster, not the node: to undo what was thought. */
  update(other: PodInfo, node: NodeInfo, sign: 1 | -1): void {
    for (const filter of this.#filters) filter.update?.(other, node, sign);
  }

  #firstNo(node: NodeInfo): FilterRefusal | undefined {
    for (const filter of this.#filters) {
      const verdict = filter.filter(node);
      if (verdict) return { plugin: filter.plugin, verdict };
    }
    return undefined;
  }
}
