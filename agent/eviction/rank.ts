import { effectiveRequests } from "../../shared/api/pod-requests.ts";
import { wholeUnits, ZERO_QUANTITY } from "../../shared/api/quantity.ts";
import { isCritical, type Pod } from "../api/index.ts";

/** What a pod uses. Undefined: not measured, and then it is the first to go. */
export interface PodUsage {
  memoryBytes: number;
  processes: number;
  /** Writable layers, logs and volumes on disk. */
  diskBytes: number;
  /** Memory by container. */
  containers: Readonly<Record<string, number>>;
}

export type UsageOf = (pod: Pod) => PodUsage | undefined;

/**
 * The pods in the order in which they have to go. For memory and disk: those over their requests first, among them the
 * lower priority, then the larger excess; QoS classes are no key (EVI-06). Static and critical pods never go (EVI-07).
 * @param resource as upstream names it
 */
export function rankPods(pods: readonly Pod[], resource: string, usageOf: UsageOf): Pod[] {
  const excess = (pod: Pod) => {
    const usage = usageOf(pod);
    if (!usage) return Infinity;
    if (resource === "memory") return usage.memoryBytes - requestOf(pod, "memory");
    if (resource === "pids") return usage.processes;
    return usage.diskBytes - requestOf(pod, "ephemeral-storage");
  };
  const exceeds = (pod: Pod) => resource !== "pids" && excess(pod) > 0;
  return pods
    .filter((pod) => !isCritical(pod))
    .sort(
      (a, b) =>
        Number(exceeds(b)) - Number(exceeds(a)) ||
        (a.spec.priority ?? 0) - (b.spec.priority ?? 0) ||
        (excess(a) === excess(b) ? 0 : excess(b) - excess(a)),
    );
}

const requestOf = ({ spec }: Pod, name: string) => wholeUnits(effectiveRequests(spec).get(name) ?? ZERO_QUANTITY);
