/**
 * Default preemption: which pods of lower priority to evict so that a pod fits somewhere. Only decides; the scheduler
 * evicts the victims and tries the pod again when they are gone.
 */

export { decidePreemption, type Preemption, type Refusal } from "./decide.ts";
