import type { QosClass } from "../../shared/api/pod-requests.ts";
import type { CgroupSettings, SwapBehavior } from "./settings.ts";

const PAGE_BYTES = 4096;

interface MemoryFacts {
  qos: QosClass;
  isCritical: boolean;
  /** Bytes; 0 is none. */
  requestBytes: number;
  limitBytes: number;
}

/** Files of cgroup v2 that CRI has no fields for, by name: what a container gets besides its limits. */
export function unifiedFiles(facts: MemoryFacts, settings: CgroupSettings): Record<string, string> {
  if (settings.version === 1) return {};
  return {
    ...(settings.killsGroups && { "memory.oom.group": "1" }),
    "memory.swap.max": String(swapBytes(facts, settings)),
    ...protection(facts, settings),
    ...throttling(facts, settings),
  };
}

/** Memory that is not reclaimed (guaranteed), or only after everything else (burstable). @see KEP-2570 */
function protection({ qos, requestBytes }: MemoryFacts, { reservesMemory }: CgroupSettings): Record<string, string> {
  if (!reservesMemory || requestBytes === 0) return {};
  return { [qos === "Guaranteed" ? "memory.min" : "memory.low"]: String(requestBytes) };
}

/** Where the kernel starts to slow the container down: a part of the way from its request to its limit. @see KEP-2570 */
function throttling({ requestBytes, limitBytes }: MemoryFacts, settings: CgroupSettings): Record<string, string> {
  const factor = settings.memoryThrottlingFactor;
  if (factor === undefined || requestBytes === limitBytes) return {};
  const ceiling = limitBytes || settings.allocatable.memoryBytes;
  const high = Math.floor((requestBytes + (ceiling - requestBytes) * factor) / PAGE_BYTES) * PAGE_BYTES;
  return high > requestBytes ? { "memory.high": String(high) } : {};
}

/** Bytes: with LimitedSwap, a burstable container's part of the node's swap is that of its request in the node's memory. */
function swapBytes(facts: MemoryFacts, { swapBehavior, memoryBytes, swapBytes }: CgroupSettings): number {
  if (decideSwap(facts, swapBehavior) === "NoSwap" || facts.requestBytes > memoryBytes) return 0;
  return Math.floor((facts.requestBytes / memoryBytes) * swapBytes);
}

/** @see KEP-2400 */
function decideSwap({ qos, isCritical, requestBytes, limitBytes }: MemoryFacts, wanted: SwapBehavior): SwapBehavior {
  const isEligible = qos === "Burstable" && !isCritical && requestBytes !== limitBytes;
  return isEligible ? wanted : "NoSwap";
}
