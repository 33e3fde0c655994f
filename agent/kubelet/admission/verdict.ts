import type { Pod } from "../../api/index.ts";

/** Why a pod is not run here: status.reason, and the message of its event and (with a prefix) of its status. */
export interface Rejection {
  reason: string;
  message: string;
}

/** Why the pod is not run, or which pods have to go for it: none, mostly. */
export type Admission = { rejection: Rejection } | { preempt: Pod[] };
