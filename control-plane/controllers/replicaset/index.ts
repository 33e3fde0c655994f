import { PODS, REPLICA_SETS } from "../../../shared/api/refs.ts";
import { matchesLabelSelector } from "../../../shared/api/selector.ts";
import type { Pod, ReplicaSet } from "../../../shared/api/types.ts";
import {
  type ControllerDefinition,
  controllerOf,
  type Enqueue,
  Expectations,
  type InformerEvent,
  keyOf,
  OwnWrites,
} from "../../runtime/index.ts";
import { BY_CONTROLLER, byController } from "../by-controller.ts";
import { podControl } from "../pod-control.ts";
import { isPodReady } from "../pod-state.ts";
import { type ReplicaSetDeps, reconcile } from "./reconcile.ts";

/**
 * Keeps spec.replicas pods of a ReplicaSet: creates what is missing, deletes what is too much, adopts orphans that it
 * selects, and counts them in the status. It neither schedules nor runs anything.
 */
export const replicaSetController: ControllerDefinition = {
  name: "replicaset",
  serviceAccount: "replicaset-controller",
  build(base) {
    const deps: ReplicaSetDeps = {
      ...base,
      pods: base.informer<Pod>(PODS),
      replicaSets: base.informer<ReplicaSet>(REPLICA_SETS),
      expectations: new Expectations(base.clock),
      ownWrites: new OwnWrites(),
      podControl: podControl(base.api, base.events),
    };
    deps.pods.addIndex(BY_CONTROLLER, byController);
    deps.replicaSets.addIndex(BY_CONTROLLER, byController);
    return {
      concurrency: 5,
      start(enqueue) {
        deps.replicaSets.onEvent((event) => onReplicaSet(event, deps, enqueue));
        deps.pods.onEvent((event) => onPod(event, deps, enqueue));
      },
      reconcile: (key) => reconcile(key, deps),
    };
  },
};

function onReplicaSet(event: InformerEvent<ReplicaSet>, { expectations }: ReplicaSetDeps, enqueue: Enqueue): void {
  const key = keyOf(event.object);
  if (event.type === "deleted") expectations.forget(key);
  enqueue(key);
}

function onPod(event: InformerEvent<Pod>, deps: ReplicaSetDeps, enqueue: Enqueue): void {
  const pod = event.object;
  const owner = ownerKey(pod, deps);
  if (owner === undefined) {
    if (!controllerOf(pod) && event.type !== "deleted") for (const key of selecting(pod, deps)) enqueue(key);
  } else {
    if (event.type === "deleted" || pod.metadata.deletionTimestamp)
      deps.expectations.deletionObserved(owner, keyOf(pod));
    else if (event.type === "added") deps.expectations.creationObserved(owner);
    enqueue(owner);
    const becameReady = event.type === "updated" && !isPodReady(event.old) && isPodReady(pod);
    const minReadySeconds = deps.replicaSets.get(owner)?.spec.minReadySeconds ?? 0;
    if (becameReady && minReadySeconds > 0) enqueue(owner, minReadySeconds * 1000);
  }
  if (event.type === "updated") {
    const before = ownerKey(event.old, deps);
    if (before !== undefined && before !== owner) enqueue(before);
  }
}

/** The key of the ReplicaSet that controls the pod, if it is there. */
function ownerKey(pod: Pod, { replicaSets }: ReplicaSetDeps): string | undefined {
  const owner = controllerOf(pod);
  if (owner?.kind !== "ReplicaSet") return undefined;
  const key = `${pod.metadata.namespace}/${owner.name}`;
  return replicaSets.get(key)?.metadata.uid === owner.uid ? key : undefined;
}

function selecting(pod: Pod, { replicaSets }: ReplicaSetDeps): string[] {
  return replicaSets
    .list(pod.metadata.namespace)
    .filter((rs) => matchesLabelSelector(rs.spec.selector, pod.metadata.labels))
    .map(keyOf);
}
