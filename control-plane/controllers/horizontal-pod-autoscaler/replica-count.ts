import type { Pod } from "../../../shared/api/types.ts";
import { groupPods, type PodGroups, type PodMetrics } from "./pod-groups.ts";
import { isTolerated, type Tolerance } from "./tolerance.ts";

const MAX_INT32 = 2 ** 31 - 1;

export interface Count {
  replicas: number;
  /** Thousandths, of one pod on average. */
  averageMilli: number;
  /** Percent of what pods request; only where the target is one. */
  utilization?: number;
}

interface PodReadings {
  pods: readonly Pod[];
  metrics: PodMetrics;
  /** `cpu`, `memory` …; "" for a metric that is no resource's. */
  resource: string;
  currentReplicas: number;
  tolerance: Tolerance;
  nowMs: number;
}

/**
 * The replicas that bring the pods' usage to a part of their requests.
 * @param options.requestsMilli by pod name, thousandths
 * @throws Error when nothing can be said: there is no pod, or no reading of any that counts
 */
export function countByUtilization(
  options: PodReadings & { requestsMilli: ReadonlyMap<string, number>; targetPercent: number },
): Count {
  const { requestsMilli, targetPercent } = options;
  const measure = (values: ReadonlyMap<string, number>) => {
    let usage = 0;
    let requested = 0;
    let counted = 0;
    for (const [name, milli] of values) {
      const request = requestsMilli.get(name);
      if (request === undefined) continue;
      usage += milli;
      requested += request;
      counted += 1;
    }
    if (requested === 0) throw new Error("no metrics returned matched known pods");
    const utilization = Math.trunc((usage * 100) / requested);
    return { ratio: utilization / targetPercent, averageMilli: Math.trunc(usage / counted), utilization };
  };
  const fallback = (name: string) => Math.trunc(((requestsMilli.get(name) ?? 0) * Math.max(100, targetPercent)) / 100);
  return count(options, measure, fallback);
}

/**
 * The replicas that bring the pods' average to a value.
 * @throws Error as `countByUtilization`
 */
export function countByAverage(options: PodReadings & { targetMilli: number }): Count {
  const measure = (values: ReadonlyMap<string, number>) => {
    let sum = 0;
    for (const milli of values.values()) sum += milli;
    const averageMilli = Math.trunc(sum / values.size);
    return { ratio: averageMilli / options.targetMilli, averageMilli };
  };
  return count(options, measure, () => options.targetMilli);
}

interface Measured extends Omit<Count, "replicas"> {
  ratio: number;
}

/** Pods without a reading are taken for what speaks against the change; where they turn it round, nothing is changed. */
function count(
  { pods, metrics, resource, currentReplicas, tolerance, nowMs }: PodReadings,
  measure: (values: ReadonlyMap<string, number>) => Measured,
  fallback: (name: string) => number,
): Count {
  if (pods.length === 0) throw new Error("no pods returned by selector while calculating replica count");
  const groups = groupPods(pods, metrics, resource, nowMs);
  const values = trusted(metrics, groups);
  if (values.size === 0) throw new Error("did not receive metrics for targeted pods (pods might be unready)");
  const { ratio, ...measured } = measure(values);
  const stay = { ...measured, replicas: currentReplicas };
  const growsWithUnready = groups.unready.size > 0 && ratio > 1;
  if (!growsWithUnready && groups.missing.size === 0)
    return isTolerated(ratio, tolerance) ? stay : { ...measured, replicas: Math.ceil(ratio * groups.readyCount) };
  if (ratio !== 1) for (const name of groups.missing) values.set(name, ratio < 1 ? fallback(name) : 0);
  if (growsWithUnready) for (const name of groups.unready) values.set(name, 0);
  const corrected = measure(values).ratio;
  const isTurned = (ratio < 1 && corrected > 1) || (ratio > 1 && corrected < 1);
  if (isTolerated(corrected, tolerance) || isTurned) return stay;
  const replicas = Math.ceil(corrected * values.size);
  const isAgainst = (corrected < 1 && replicas > currentReplicas) || (corrected > 1 && replicas < currentReplicas);
  return isAgainst ? stay : { ...measured, replicas };
}

function trusted(metrics: PodMetrics, { ignored, unready }: PodGroups): Map<string, number> {
  const values = new Map<string, number>();
  for (const [name, { milli }] of metrics) if (!ignored.has(name) && !unready.has(name)) values.set(name, milli);
  return values;
}

/**
 * The replicas for one value that the whole workload is behind.
 * @param options.readyPods pods that run and are ready
 */
export function countByValue(options: {
  usageMilli: number;
  targetMilli: number;
  currentReplicas: number;
  readyPods: number;
  tolerance: Tolerance;
}): number {
  const ratio = options.usageMilli / options.targetMilli;
  if (options.currentReplicas === 0) return Math.min(MAX_INT32, Math.ceil(ratio));
  if (isTolerated(ratio, options.tolerance)) return options.currentReplicas;
  return Math.min(MAX_INT32, Math.ceil(ratio * options.readyPods));
}

/** The replicas among whom a value is divided, and each one's part of it now. */
export function countByShare(options: {
  usageMilli: number;
  targetMilli: number;
  statusReplicas: number;
  tolerance: Tolerance;
}): Count {
  const { usageMilli, targetMilli, statusReplicas, tolerance } = options;
  const ratio = usageMilli / (targetMilli * statusReplicas);
  const replicas = isTolerated(ratio, tolerance)
    ? statusReplicas
    : Math.min(MAX_INT32, Math.ceil(usageMilli / targetMilli));
  return { replicas, averageMilli: statusReplicas === 0 ? 0 : Math.ceil(usageMilli / statusReplicas) };
}
