import { isReady } from "../../../shared/api/conditions.ts";
import type { DaemonSet, DaemonSetStatus } from "../../../shared/api/types.ts";
import { isPodAvailable } from "../pod-state.ts";
import type { NodePods } from "./by-node.ts";
import { isUpdated } from "./pod.ts";

export interface StatusInput {
  set: DaemonSet;
  nodes: NodePods[];
  hash: string;
  /** The step for the present generation was taken. */
  isObserved: boolean;
  nowMs: number;
}

/** Counts nodes by the first of their pods. The status to write; undefined when the one there says the same. */
export function decideStatus({ set, nodes, hash, isObserved, nowMs }: StatusInput): DaemonSetStatus | undefined {
  const present = nodes.filter(({ isGone }) => !isGone);
  const wanted = present.filter(({ shouldRun }) => shouldRun);
  const scheduled = wanted.flatMap(({ pods: [first] }) => first ?? []);
  const ready = scheduled.filter(isReady);
  const available = ready.filter((pod) => isPodAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs)).length;
  const counts = {
    currentNumberScheduled: scheduled.length,
    numberMisscheduled: present.filter(({ shouldRun, pods }) => !shouldRun && pods.length > 0).length,
    desiredNumberScheduled: wanted.length,
    numberReady: ready.length,
    updatedNumberScheduled: scheduled.filter((pod) => isUpdated(set, pod, hash)).length,
    numberAvailable: available,
    numberUnavailable: wanted.length - available,
  };
  const before = set.status;
  const observedGeneration = isObserved ? set.metadata.generation : before?.observedGeneration;
  const isSame = Object.entries(counts).every(
    ([name, count]) => (before?.[name as keyof typeof counts] ?? 0) === count,
  );
  if (before && isSame && (before.observedGeneration ?? 0) >= (observedGeneration ?? 0)) return undefined;
  const { updatedNumberScheduled, numberAvailable, numberUnavailable, ...always } = counts;
  return {
    ...always,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    ...nonZero({ updatedNumberScheduled, numberAvailable, numberUnavailable }),
    ...(before?.collisionCount === undefined ? {} : { collisionCount: before.collisionCount }),
    ...(before?.conditions ? { conditions: before.conditions } : {}),
  };
}

const nonZero = (counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
