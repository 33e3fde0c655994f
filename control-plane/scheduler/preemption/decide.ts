import type { PodDisruptionBudget } from "../../../shared/api/types.ts";
import { renderFitError } from "../framework/fit-error.ts";
import type { NodeInfo, PodInfo } from "../framework/node-info.ts";
import { type Cluster, unresolvable, type Verdict } from "../framework/plugin.ts";
import type { FilterRefusal, PodFilters } from "../framework/pod-filters.ts";
import { type Candidate, pickCandidate } from "./candidates.ts";
import { selectVictims } from "./victims.ts";

/** Enough candidates to choose from (upstream minCandidateNodesPercentage, minCandidateNodesAbsolute). */
const MIN_CANDIDATE_PERCENT = 10;
const MIN_CANDIDATE_NODES = 100;

const NOT_HELPFUL = unresolvable("Preemption is not helpful for scheduling");

/** A node that does not take the pod, and why. */
export interface Refusal extends FilterRefusal {
  node: NodeInfo;
}

export interface Preemption {
  /** Whom to evict, and where; undefined: nobody. */
  chosen?: Candidate;
  /** Said after `preemption: `; empty where victims were found. */
  message: string;
  /** The node once promised to the pod is of no use to it any more. */
  givesUpNomination: boolean;
}

export interface PreemptionOptions {
  cluster: Cluster;
  /** The nodes that were asked. */
  refusals: readonly Refusal[];
  filters: PodFilters;
  nominatedTo(node: string): readonly PodInfo[];
  budgets(): readonly PodDisruptionBudget[];
  nowMs: number;
  random(): number;
}

/** Whom to evict for a pod that no node takes, or why nobody. */
export function decidePreemption(pod: PodInfo, options: PreemptionOptions): Preemption {
  const ineligible = whyIneligible(pod, options);
  if (ineligible) return { message: ineligible, givesUpNomination: false };
  const { cluster, refusals } = options;
  const promising = refusals.filter(({ verdict }) => !verdict.unresolvable);
  const { candidates, refused } = tryOut(pod, promising, options);
  if (candidates.length > 0) {
    return { chosen: pickCandidate(candidates, options.nowMs), message: "", givesUpNomination: false };
  }
  const nodeCount = cluster.nodes.length;
  const rest = Array<Verdict>(nodeCount - refused.length).fill(NOT_HELPFUL);
  return { message: renderFitError(nodeCount, [...refused, ...rest], ""), givesUpNomination: true };
}

/** A pod that may not preempt at all, or whose victims are still leaving the node promised to it. */
function whyIneligible(pod: PodInfo, { cluster, refusals }: PreemptionOptions): string | undefined {
  if (pod.pod.spec?.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  const nominated = pod.nominatedNode;
  if (!nominated) return undefined;
  // Where the promised node will never do, others may be tried at once.
  if (refusals.some(({ node, verdict }) => node.name === nominated && verdict.unresolvable)) return undefined;
  for (const other of cluster.nodes.find(({ name }) => name === nominated)?.pods ?? []) {
    if (other.priority < pod.priority && isLeavingAsVictim(other)) {
      return "not eligible due to a terminating pod on the nominated node.";
    }
  }
  return undefined;
}

function isLeavingAsVictim({ pod, isTerminating }: PodInfo): boolean {
  const target = pod.status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  return isTerminating && target?.status === "True" && target.reason === "PreemptionByScheduler";
}

/** Tries nodes from a random one on until there are enough to choose from, with one at least that breaks no budget. */
function tryOut(pod: PodInfo, promising: readonly Refusal[], options: PreemptionOptions) {
  const { filters, nominatedTo, random } = options;
  const count = promising.length;
  const enough = Math.min(count, Math.max(MIN_CANDIDATE_NODES, Math.trunc((count * MIN_CANDIDATE_PERCENT) / 100)));
  const candidates: Candidate[] = [];
  const refused: Verdict[] = [];
  if (count === 0) return { candidates, refused };
  const budgets = options.budgets();
  const first = Math.floor(random() * count);
  for (let i = 0; i < count; i++) {
    const { node } = promising[(first + i) % count]!;
    const result = selectVictims(pod, { node, filters, nominated: nominatedTo(node.name), budgets });
    if ("reasons" in result) refused.push(result);
    else candidates.push({ node, ...result });
    const isOneHarmless = candidates.some(({ violations }) => violations === 0);
    if (isOneHarmless && candidates.length >= enough) break;
  }
  return { candidates, refused };
}
