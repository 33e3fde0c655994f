import { isReady } from "../../../shared/api/conditions.ts";
import type { Pod, StatefulSet, StatefulSetStatus } from "../../../shared/api/types.ts";
import { nonZero } from "../non-zero.ts";
import { isPodAvailable } from "../pod-state.ts";
import { replicasOf } from "./ordinal.ts";
import { revisionOf } from "./pod.ts";

export const isRunningAndReady = (pod: Pod): boolean => pod.status?.phase === "Running" && isReady(pod);

export interface StatusInput {
  set: StatefulSet;
  /** The pods that are there. */
  pods: Pod[];
  currentRevision: string;
  updateRevision: string;
  collisionCount: number;
  /** Pods that were just deleted to be replaced. */
  replaced: number;
  nowMs: number;
}

/**
 * Counts the pods; a rolling update that is through makes its revision the current one. Zeros that upstream leaves out
 * are left out.
 */
export function decideStatus(input: StatusInput): StatefulSetStatus {
  const { set, pods, updateRevision, nowMs } = input;
  const minReadySeconds = set.spec.minReadySeconds ?? 0;
  const ready = pods.filter(isRunningAndReady);
  const staying = pods.filter((pod) => !pod.metadata.deletionTimestamp);
  const countOf = (revision: string) => staying.filter((pod) => revisionOf(pod) === revision).length;
  let { currentRevision } = input;
  let currentReplicas = Math.max(0, countOf(currentRevision) - input.replaced);
  const updatedReplicas = countOf(updateRevision);
  const wanted = replicasOf(set);
  const isThrough = [updatedReplicas, ready.length, pods.length].every((count) => count === wanted);
  if (set.spec.updateStrategy?.type === "RollingUpdate" && isThrough) {
    currentReplicas = updatedReplicas;
    currentRevision = updateRevision;
  }
  return {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    ...nonZero("readyReplicas", ready.length),
    ...nonZero("currentReplicas", currentReplicas),
    ...nonZero("updatedReplicas", updatedReplicas),
    currentRevision,
    updateRevision,
    collisionCount: input.collisionCount,
    availableReplicas: ready.filter((pod) => isPodAvailable(pod, minReadySeconds, nowMs)).length,
  };
}

/** The collision count alone is no reason to write, as upstream has it. */
export function isSameStatus(a: StatefulSetStatus | undefined, b: StatefulSetStatus): boolean {
  return (
    a !== undefined &&
    (b.observedGeneration ?? 0) <= (a.observedGeneration ?? 0) &&
    a.replicas === b.replicas &&
    (a.readyReplicas ?? 0) === (b.readyReplicas ?? 0) &&
    (a.currentReplicas ?? 0) === (b.currentReplicas ?? 0) &&
    (a.updatedReplicas ?? 0) === (b.updatedReplicas ?? 0) &&
    (a.availableReplicas ?? 0) === (b.availableReplicas ?? 0) &&
    a.currentRevision === b.currentRevision &&
    a.updateRevision === b.updateRevision
  );
}
