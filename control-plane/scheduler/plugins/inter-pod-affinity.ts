import { type AffinityTerm, type AffinityTerms, type Labelled, termMatches } from "../framework/affinity-term.ts";
import type { AffinityGroup, NodeInfo, PodGroup, PodInfo } from "../framework/node-info.ts";
import { once } from "../framework/once-a-key.ts";
import { type Cluster, type FilterPlugin, unresolvable, unschedulable } from "../framework/plugin.ts";

export const AFFINITY_REASON = "node(s) didn't match pod affinity rules";
export const ANTI_AFFINITY_REASON = "node(s) didn't match pod anti-affinity rules";
export const EXISTING_ANTI_AFFINITY_REASON = "node(s) didn't satisfy existing pods anti-affinity rules";

/**
 * Required pod affinity and anti-affinity, of the pod and, for anti-affinity, of the pods that are there: that one holds
 * in both directions.
 */
export const interPodAffinity: FilterPlugin = {
  name: "InterPodAffinity",
  prepare: (pod, cluster) => {
    const counts = new AffinityCounts(pod, cluster);
    counts.addAll();
    if (!counts.matters) return undefined;
    return {
      filter: (node) => {
        if (!counts.hasAffinePods(node)) return unresolvable(AFFINITY_REASON);
        if (counts.hasAvoidedPods(node)) return unschedulable(ANTI_AFFINITY_REASON);
        if (counts.isAvoided(node)) return unschedulable(EXISTING_ANTI_AFFINITY_REASON);
        return undefined;
      },
      update: (other, node, sign) => counts.add(other, node, sign),
    };
  },
};

/** The topology keys under which a pod counts: once for each term. */
interface Match {
  affine: string[];
  avoided: string[];
}

const keyOf = ({ topologyKey }: AffinityTerm) => topologyKey;

/** How many pods of each topology domain matter to the pod. */
class AffinityCounts {
  readonly #pod: PodInfo;
  readonly #cluster: Cluster;
  /** Pods that match all of the pod's affinity terms. */
  readonly #affine = new DomainCounts();
  /** Pods that match one of its anti-affinity terms. */
  readonly #avoided = new DomainCounts();
  /** Pods with an anti-affinity term that matches the pod. */
  readonly #avoiding = new DomainCounts();

  constructor(pod: PodInfo, cluster: Cluster) {
    this.#pod = pod;
    this.#cluster = cluster;
  }

  get matters(): boolean {
    const { affinity, antiAffinity } = this.#pod;
    return affinity.required.length > 0 || antiAffinity.required.length > 0 || !this.#avoiding.isEmpty;
  }

  /** Counts the whole cluster. */
  addAll(): void {
    const { affinity, antiAffinity } = this.#pod;
    const matchOf = once((group: PodGroup) => this.#matchOf(group));
    const avoidingOf = once((group: AffinityGroup) => this.#avoidingKeys(group));
    if (affinity.required.length > 0 || antiAffinity.required.length > 0) {
      for (const node of this.#cluster.nodes)
        for (const group of node.groups) this.#addMatching(matchOf(group), node, group.count);
    }
    for (const node of this.#cluster.nodesWithAffinity)
      for (const group of node.affinityGroups)
        for (const key of avoidingOf(group)) this.#avoiding.add(key, node.labels, group.count);
  }

  add(other: PodInfo, node: NodeInfo, sign: 1 | -1): void {
    this.#addMatching(this.#matchOf(other), node, sign);
    for (const key of this.#avoidingKeys(other)) this.#avoiding.add(key, node.labels, sign);
  }

  hasAffinePods({ labels }: NodeInfo): boolean {
    const { required } = this.#pod.affinity;
    if (!required.every(({ topologyKey }) => topologyKey in labels)) return false;
    if (required.every(({ topologyKey }) => this.#affine.get(topologyKey, labels) > 0)) return true;
    // The first of a group that has affinity to itself may go anywhere: nobody could ever start otherwise.
    return this.#affine.isEmpty && this.#matchesAll(required, this.#pod);
  }

  hasAvoidedPods({ labels }: NodeInfo): boolean {
    return this.#pod.antiAffinity.required.some(({ topologyKey }) => this.#avoided.get(topologyKey, labels) > 0);
  }

  isAvoided({ labels }: NodeInfo): boolean {
    for (const topologyKey of this.#avoiding.keys) if (this.#avoiding.get(topologyKey, labels) > 0) return true;
    return false;
  }

  #addMatching({ affine, avoided }: Match, { labels }: NodeInfo, count: number): void {
    for (const key of affine) this.#affine.add(key, labels, count);
    for (const key of avoided) this.#avoided.add(key, labels, count);
  }

  #matchOf(other: Labelled): Match {
    const { affinity, antiAffinity } = this.#pod;
    return {
      affine: this.#matchesAll(affinity.required, other) ? affinity.required.map(keyOf) : [],
      avoided: antiAffinity.required.filter((term) => this.#matches(term, other)).map(keyOf),
    };
  }

  #avoidingKeys({ antiAffinity }: { antiAffinity: AffinityTerms }): string[] {
    return antiAffinity.required.filter((term) => this.#matches(term, this.#pod)).map(keyOf);
  }

  #matchesAll(terms: readonly AffinityTerm[], target: Labelled): boolean {
    return terms.every((term) => this.#matches(term, target));
  }

  #matches(term: AffinityTerm, target: Labelled): boolean {
    return termMatches(term, target, this.#cluster.namespaceLabels);
  }
}

/** Numbers by topology key and value; nodes without the key are in no domain. */
class DomainCounts {
  readonly #counts = new Map<string, Map<string, number>>();

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  get keys(): Iterable<string> {
    return this.#counts.keys();
  }

  get(topologyKey: string, labels: Record<string, string>): number {
    return this.#counts.get(topologyKey)?.get(labels[topologyKey] ?? "") ?? 0;
  }

  add(topologyKey: string, labels: Record<string, string>, count: number): void {
    const value = labels[topologyKey];
    if (value === undefined) return;
    let byValue = this.#counts.get(topologyKey);
    if (!byValue) {
      byValue = new Map();
      this.#counts.set(topologyKey, byValue);
    }
    const sum = (byValue.get(value) ?? 0) + count;
    if (sum !== 0) byValue.set(value, sum);
    else byValue.delete(value);
    if (byValue.size === 0) this.#counts.delete(topologyKey);
  }
}
