import type { Pod } from "../api/index.ts";

export const DEADLINE_REASON = "DeadlineExceeded";
export const DEADLINE_MESSAGE = "Pod was active on the node longer than the specified deadline";

/** How long the pod may still run by its activeDeadlineSeconds; 0 when it is over, undefined without one. */
export function deadlineLeftMs({ spec }: Pod, startTime: string | undefined, nowMs: number): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || startTime === undefined) return undefined;
  return Math.max(0, Date.parse(startTime) + spec.activeDeadlineSeconds * 1000 - nowMs);
}
