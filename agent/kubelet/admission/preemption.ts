import { effectiveRequests, qosClass } from "../../../shared/api/pod-requests.ts";
import { isCritical, type Pod } from "../../api/index.ts";
import { amountOf, type Shortage } from "./shortages.ts";
import type { Admission } from "./verdict.ts";

type Need = { resource: string; amount: number };

/**
 * The pods that have to go so that a critical one has room: as few as can be, the least protected ones first (best
 * effort, then burstable, then guaranteed). The rules are the kubelet's (pkg/kubelet/preemption).
 */
export function decidePreemption(pod: Pod, others: Pod[], shortages: Shortage[]): Admission {
  const needs = shortages.map(({ resource, requested, used, capacity }) => ({
    resource,
    amount: requested - (capacity - used),
  }));
  const byClass = Map.groupBy(
    others.filter((other) => mayPreempt(pod, other)),
    ({ spec }) => qosClass(spec),
  );
  const bestEffort = byClass.get("BestEffort") ?? [];
  const burstable = byClass.get("Burstable") ?? [];
  const guaranteed = byClass.get("Guaranteed") ?? [];
  const unmet = subtract(needs, [...bestEffort, ...burstable, ...guaranteed]);
  if (unmet.length > 0) return { rejection: nothingToReclaim(unmet) };
  const fromGuaranteed = choose(guaranteed, subtract(needs, [...bestEffort, ...burstable]));
  const fromBurstable = choose(burstable, subtract(needs, [...bestEffort, ...fromGuaranteed]));
  const fromBestEffort = choose(bestEffort, subtract(needs, [...fromBurstable, ...fromGuaranteed]));
  return { preempt: [...fromBestEffort, ...fromBurstable, ...fromGuaranteed] };
}

function nothingToReclaim(unmet: Need[]) {
  const list = unmet.map(({ resource, amount }) => `(res: ${resource}, q: ${amount}), `).join("");
  return {
    reason: "UnexpectedAdmissionError",
    message: `Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [${list}]`,
  };
}

function mayPreempt(pod: Pod, other: Pod): boolean {
  if (isCritical(pod) && !isCritical(other)) return true;
  return (pod.spec.priority ?? 0) > (other.spec.priority ?? 0);
}

/** Again and again the one that covers most of what is still needed; of two alike the smaller one. */
function choose(pods: Pod[], needs: Need[]): Pod[] {
  const left = [...pods];
  const chosen: Pod[] = [];
  for (let open = needs; open.length > 0 && left.length > 0; open = subtract(open, [chosen.at(-1)!])) {
    left.sort((a, b) => distance(open, a) - distance(open, b) || sizeOrder(a, b));
    chosen.push(left.shift()!);
  }
  return chosen;
}

/** Each need weighs the same, whatever its unit. */
function distance(needs: Need[], pod: Pod): number {
  return needs.reduce((sum, { resource, amount }) => {
    const rest = amount - requestOf(pod, resource);
    return rest > 0 ? sum + (rest / amount) ** 2 : sum;
  }, 0);
}

const sizeOrder = (a: Pod, b: Pod) =>
  requestOf(a, "memory") - requestOf(b, "memory") || requestOf(a, "cpu") - requestOf(b, "cpu");

const subtract = (needs: Need[], pods: Pod[]): Need[] =>
  needs
    .map(({ resource, amount }) => ({
      resource,
      amount: pods.reduce((rest, pod) => rest - requestOf(pod, resource), amount),
    }))
    .filter(({ amount }) => amount > 0);

const requestOf = (pod: Pod, resource: string): number =>
  resource === "pods" ? 1 : amountOf(effectiveRequests(pod.spec), resource);
