import { qosClass } from "../../shared/api/pod-requests.ts";
import { tolerates } from "../../shared/api/toleration.ts";
import { isCritical, type Pod } from "../api/index.ts";
import { PRESSURES, type Pressure } from "./signals.ts";

export const EVICTED = "Evicted";

const MEMORY_TAINT = { key: "node.kubernetes.io/memory-pressure", effect: "NoSchedule" } as const;

/**
 * Why a pod may not start on a node under pressure; undefined lets it in. Critical pods always may; while memory alone is
 * short, so may those that have asked for some, and those that tolerate it (pkg/kubelet/eviction).
 */
export function whyNotUnderPressure(pod: Pod, pressures: ReadonlySet<Pressure>): string | undefined {
  if (pressures.size === 0 || isCritical(pod)) return undefined;
  if (pressures.size === 1 && pressures.has("MemoryPressure")) {
    if (qosClass(pod.spec) !== "BestEffort") return undefined;
    if (tolerates(pod.spec.tolerations ?? [], MEMORY_TAINT)) return undefined;
  }
  const list = PRESSURES.filter((pressure) => pressures.has(pressure)).join(" ");
  return `The node had condition: [${list}]. `;
}
