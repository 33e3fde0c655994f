import { isReady, readyCondition } from "../../shared/api/conditions.ts";
import { isPodTerminal } from "../../shared/api/pod-phase.ts";
import type { Pod } from "../../shared/api/types.ts";
import { parseTime } from "../runtime/index.ts";

/** Counts towards replicas: neither ended nor being deleted. */
export const isPodActive = (pod: Pod): boolean => !isPodTerminal(pod) && !pod.metadata.deletionTimestamp;

/** Being deleted, and not yet ended. */
export const isPodTerminating = (pod: Pod): boolean => !isPodTerminal(pod) && !!pod.metadata.deletionTimestamp;

/** Ready for `minReadySeconds` (DEP-18). */
export function isPodAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  const ready = readyCondition(pod);
  if (ready?.status !== "True") return false;
  if (minReadySeconds === 0) return true;
  return parseTime(ready.lastTransitionTime) + minReadySeconds * 1000 <= nowMs;
}

/** Milliseconds until the next of the ready pods becomes available; undefined when none is waiting. */
export function nextAvailabilityMs(pods: Pod[], minReadySeconds: number, nowMs: number): number | undefined {
  if (minReadySeconds <= 0) return undefined;
  let next: number | undefined;
  for (const pod of pods) {
    if (!isReady(pod)) continue;
    const inMs = parseTime(readyCondition(pod)?.lastTransitionTime) + minReadySeconds * 1000 - nowMs;
    if (inMs > 0 && (next === undefined || inMs < next)) next = inMs;
  }
  return next;
}
