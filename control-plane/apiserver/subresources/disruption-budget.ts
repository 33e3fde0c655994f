import { isReady } from "../../../shared/api/conditions.ts";
import {
  disruptionAllowedCondition,
  SYNC_FAILED,
  withDisruptionAllowed,
} from "../../../shared/api/disruption-budget.ts";
import { type ApiError, failure, forbidden } from "../../../shared/api/status.ts";
import type { Pod, PodDisruptionBudget } from "../../../shared/api/types.ts";

const REFUSED = "Cannot evict pod as it would violate the pod's disruption budget.";
/** Evictions whose deletion the disruption controller has not confirmed. */
const MAX_DISRUPTED_PODS = 2_000;

/** A pod that counts for no budget: it has ended, is ending, or has not begun. */
export const isPastBudgets = ({ metadata, status }: Pod): boolean =>
  !!metadata.deletionTimestamp || ["Succeeded", "Failed", "Pending"].includes(status?.phase ?? "");

/**
 * Whether an unready pod may go without using its budget up: what is broken anyway must not keep a drain waiting.
 * @see KEP-3017
 */
export function mayIgnoreBudget(pod: Pod, { spec, status: counted = {} }: PodDisruptionBudget): boolean {
  if (isReady(pod)) return false;
  if (spec.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const desired = counted.desiredHealthy ?? 0;
  return (counted.currentHealthy ?? 0) >= desired && desired > 0;
}

/**
 * The budget after one more eviction.
 * @param now RFC 3339
 * @throws ApiError 429 when it allows none, 403 when it cannot be trusted
 */
export function useBudget(budget: PodDisruptionBudget, podName: string, now: string): PodDisruptionBudget {
  const { metadata, status = {} } = budget;
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) throw stillProcessed(metadata.name);
  const allowed = status.disruptionsAllowed ?? 0;
  const gr = { group: "policy", resource: "poddisruptionbudget" };
  if (allowed < 0) throw forbidden(gr, metadata.name, "pdb disruptions allowed is negative");
  if (Object.keys(status.disruptedPods ?? {}).length > MAX_DISRUPTED_PODS) {
    const why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller";
    throw forbidden(gr, metadata.name, why);
  }
  if (allowed === 0) throw refusal(whyNone(budget));
  const used = {
    ...status,
    disruptionsAllowed: allowed - 1,
    disruptedPods: { ...status.disruptedPods, [podName]: now },
  };
  return { ...budget, status: allowed === 1 ? withDisruptionAllowed(used, now) : used };
}

/** The budget's count is behind its spec, or its pod has just changed: the client may try again soon. */
export const stillProcessed = (name: string): ApiError =>
  refusal(`The disruption budget ${name} is still being processed by the server.`, 10);

function refusal(message: string, retryAfterSeconds?: number): ApiError {
  return failure(429, "TooManyRequests", REFUSED, {
    causes: [{ reason: "DisruptionBudget", message }],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

function whyNone({ metadata: { name }, status = {} }: PodDisruptionBudget): string {
  const condition = disruptionAllowedCondition(status);
  const told = condition?.status === "False" && condition.message !== "" ? condition : undefined;
  if (told?.reason === SYNC_FAILED) {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${told.message}`;
  }
  const { desiredHealthy = 0, currentHealthy = 0 } = status;
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  const why = `The disruption budget ${name} does not allow evicting pods currently`;
  return told ? `${why} (${told.reason}): ${told.message}` : why;
}
