import type { PodCondition } from "../api/index.ts";

/** How far the last resize has come; undefined is not at all, or all the way. */
export interface ResizeState {
  /** Not granted: not now, or not on this node as it is. */
  pending?: { reason: "Deferred" | "Infeasible"; message: string; generation: number | undefined };
  /** Granted, and not yet done. */
  inProgress?: { error?: string; generation: number | undefined };
}

type ResizeCondition = Pick<PodCondition, "type" | "status" | "reason" | "message" | "observedGeneration">;

/** In upstream's order. */
export function decideResizeConditions({ pending, inProgress }: ResizeState): ResizeCondition[] {
  return [
    ...(pending
      ? [
          {
            type: "PodResizePending",
            status: "True",
            reason: pending.reason,
            message: pending.message,
            ...(pending.generation !== undefined && { observedGeneration: pending.generation }),
          },
        ]
      : []),
    ...(inProgress
      ? [
          {
            type: "PodResizeInProgress",
            status: "True",
            ...(inProgress.error && { reason: "Error", message: inProgress.error }),
            ...(inProgress.generation !== undefined && { observedGeneration: inProgress.generation }),
          },
        ]
      : []),
  ];
}
