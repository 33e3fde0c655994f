import type { NodeInfo, PodInfo } from "../framework/node-info.ts";
import { type FilterPlugin, unresolvable, unschedulable } from "../framework/plugin.ts";
import {
  constraintsFor,
  countSelected,
  hasAllKeys,
  isIncluded,
  isSelected,
  type SpreadConstraint,
  type SpreadDefaults,
  SYSTEM_DEFAULTS,
} from "./spread-constraints.ts";

export const REASON = "node(s) didn't match pod topology spread constraints";
export const MISSING_LABEL_REASON = `${REASON} (missing required label)`;

/**
 * DoNotSchedule constraints: with the pod, its domain may have at most maxSkew pods more than the domain that has the
 * fewest (SCH-13). A node without the topology label is out (SCH-14).
 */
export const spreadFilter = (defaults: SpreadDefaults): FilterPlugin => ({
  name: "PodTopologySpread",
  prepare: (pod, cluster) => {
    const { constraints } = constraintsFor(pod.pod, "DoNotSchedule", { defaults, cluster });
    if (constraints.length === 0) return undefined;
    const spreads = constraints.map((constraint) => new Spread(constraint, pod));
    for (const node of cluster.nodes) {
      if (hasAllKeys(node, constraints)) for (const spread of spreads) spread.addNode(node);
    }
    return {
      filter: (node) => {
        for (const spread of spreads) {
          if (!(spread.topologyKey in node.labels)) return unresolvable(MISSING_LABEL_REASON);
          if (spread.isTooUneven(node)) return unschedulable(REASON);
        }
        return undefined;
      },
      update: (other, node, sign) => {
        if (hasAllKeys(node, constraints)) for (const spread of spreads) spread.add(other, node, sign);
      },
    };
  },
});

export const podTopologySpread = spreadFilter(SYSTEM_DEFAULTS);

/** How the pods that one constraint counts are spread over its domains. */
class Spread {
  readonly #constraint: SpreadConstraint;
  readonly #pod: PodInfo;
  readonly #self: number;
  readonly #counts = new Map<string, number>();
  /** Of all counts; worked out when asked for. */
  #min: number | undefined;

  constructor(constraint: SpreadConstraint, pod: PodInfo) {
    this.#constraint = constraint;
    this.#pod = pod;
    this.#self = isSelected(constraint, pod.labels) ? 1 : 0;
  }

  get topologyKey(): string {
    return this.#constraint.topologyKey;
  }

  addNode(node: NodeInfo): void {
    if (!isIncluded(this.#constraint, this.#pod.pod, node)) return;
    this.#change(node, countSelected(this.#constraint, node, this.#pod.namespace));
  }

  /** One that is going away was not counted either. */
  add(other: PodInfo, node: NodeInfo, sign: 1 | -1): void {
    if (other.isTerminating || other.namespace !== this.#pod.namespace) return;
    if (!isSelected(this.#constraint, other.labels) || !isIncluded(this.#constraint, this.#pod.pod, node)) return;
    this.#change(node, sign);
  }

  isTooUneven({ labels }: NodeInfo): boolean {
    const { maxSkew, minDomains } = this.#constraint;
    const there = this.#counts.get(labels[this.topologyKey]!) ?? 0;
    // Too few domains: one with no pods may still come, so it is what all are measured by.
    const fewest = this.#counts.size < minDomains ? 0 : this.#fewest();
    return there + this.#self - fewest > maxSkew;
  }

  #change({ labels }: NodeInfo, count: number): void {
    const value = labels[this.topologyKey]!;
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + count);
    this.#min = undefined;
  }

  #fewest(): number {
    if (this.#min === undefined) {
      let min = Number.POSITIVE_INFINITY;
      for (const count of this.#counts.values()) min = Math.min(min, count);
      this.#min = min;
    }
    return this.#min;
  }
}
