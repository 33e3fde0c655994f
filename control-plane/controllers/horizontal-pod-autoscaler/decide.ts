import type { V2HorizontalPodAutoscaler, V2MetricStatus } from "../../../shared/api/types.ts";
import type { Condition } from "./conditions.ts";
import type { History } from "./history.ts";
import { normalize } from "./normalize.ts";
import type { Proposal } from "./proposal.ts";

/** What a pass comes to before anything is scaled. */
export interface Decision {
  /** The size to scale to; undefined when it stays. */
  scaleTo?: number;
  /** Why, as its event says. */
  reason: string;
  conditions: Condition[];
  metrics: V2MetricStatus[] | undefined;
  /** No size could be computed: nothing is scaled, and status.desiredReplicas stays. */
  failure?: string;
  history: History;
}

/** How a pass goes on: metrics are asked for only where they matter. */
export type FirstLook = { ask: true } | { ask: false; decision: Decision };

interface Look {
  hpa: V2HorizontalPodAutoscaler;
  currentReplicas: number;
  history: History;
}

const minReplicasOf = ({ spec }: V2HorizontalPodAutoscaler): number => spec.minReplicas ?? 1;

const wasScaledToZero = ({ status }: V2HorizontalPodAutoscaler): boolean =>
  status?.conditions?.some(({ type, status }) => type === "ScaledToZero" && status === "True") ?? false;

const hasOutsideMetric = ({ spec }: V2HorizontalPodAutoscaler): boolean =>
  spec.metrics?.some(({ type }) => type === "Object" || type === "External") ?? false;

/** Bounds come before metrics; a workload that somebody else scaled to zero is left alone (KEP-2021). */
export function firstLook({ hpa, currentReplicas, history }: Look): FirstLook {
  const minReplicas = minReplicasOf(hpa);
  const stays = { conditions: [], metrics: undefined, history };
  if (currentReplicas === 0) {
    if (wasScaledToZero(hpa) && (minReplicas !== 0 || hasOutsideMetric(hpa))) return { ask: true };
    const disabled: Condition = {
      type: "ScalingActive",
      isTrue: false,
      reason: "ScalingDisabled",
      message: "scaling is disabled since the replica count of the target is zero",
    };
    return { ask: false, decision: { ...stays, reason: "", conditions: [disabled] } };
  }
  const { maxReplicas } = hpa.spec;
  if (currentReplicas > maxReplicas) {
    const reason = "Current number of replicas above Spec.MaxReplicas";
    return { ask: false, decision: { ...stays, reason, scaleTo: maxReplicas } };
  }
  if (currentReplicas < minReplicas) {
    const reason = "Current number of replicas below Spec.MinReplicas";
    return { ask: false, decision: { ...stays, reason, scaleTo: minReplicas } };
  }
  return { ask: true };
}

const isFailed = (proposal: Proposal) => "failed" in proposal;

/** The largest proposal counts; with a metric missing, nothing shrinks. */
export function decide(look: Look & { proposals: Proposal[]; nowMs: number }): Decision {
  const { hpa, currentReplicas, history, proposals, nowMs } = look;
  const metrics = proposals.map((proposal) => ("failed" in proposal ? { type: "" } : proposal.status));
  let wanted = 0;
  let metric = "";
  for (const proposal of proposals) {
    if ("failed" in proposal || (wanted !== 0 && proposal.replicas <= wanted)) continue;
    wanted = proposal.replicas;
    metric = proposal.metric;
  }
  const failures = proposals.filter(isFailed);
  const [first] = failures;
  const failed = first && "failed" in first ? first.failed : undefined;
  const count = `${failures.length} invalid out of ${proposals.length}`;
  const failure = failed && `invalid metrics (${count}), first error is: ${failed.error}`;
  if (failed && (failures.length === proposals.length || wanted < currentReplicas)) {
    const message = `the HPA was unable to compute the replica count: ${failed.message}`;
    const condition: Condition = { type: "ScalingActive", isTrue: false, reason: failed.reason, message };
    return { reason: "", conditions: [condition], metrics, failure, history };
  }
  const minReplicas = minReplicasOf(hpa);
  const normalized = normalize({ hpa, currentReplicas, wanted, minReplicas, history, nowMs });
  const replicas = currentReplicas === 0 ? Math.max(minReplicas, normalized.replicas) : normalized.replicas;
  const { isLimited, ...limited } = normalized.limited;
  return {
    ...(replicas === currentReplicas ? {} : { scaleTo: replicas }),
    reason: reasonFor({ wanted, currentReplicas, metric }),
    conditions: [
      {
        type: "ScalingActive",
        isTrue: true,
        reason: "ValidMetricFound",
        message: `the HPA was able to successfully calculate a replica count from ${metric}`,
      },
      { type: "AbleToScale", isTrue: true, ...normalized.able },
      { type: "ScalingLimited", isTrue: isLimited, ...limited },
    ],
    metrics,
    history: normalized.history,
  };
}

function reasonFor({ wanted, currentReplicas, metric }: { wanted: number; currentReplicas: number; metric: string }) {
  if (wanted > currentReplicas) return `${metric} above target`;
  if (wanted < currentReplicas) return "All metrics below target";
  return currentReplicas === 0 ? "Current number of replicas below Spec.MinReplicas" : "";
}

/** Said only where it matters: of an autoscaler that may scale to zero, or that did. */
export function zeroCondition(
  hpa: V2HorizontalPodAutoscaler,
  { from, to }: { from: number; to: number },
): Condition | undefined {
  const isKnown = hpa.status?.conditions?.some(({ type }) => type === "ScaledToZero");
  if (minReplicasOf(hpa) !== 0 && !isKnown) return undefined;
  const isTrue = from > 0 && to === 0 && minReplicasOf(hpa) === 0 && hasOutsideMetric(hpa);
  return {
    type: "ScaledToZero",
    isTrue,
    reason: isTrue ? "ScaledToZero" : "NotScaledToZero",
    message: `the HPA controller ${isTrue ? "scaled" : "did not scale"} the workload to zero`,
  };
}
