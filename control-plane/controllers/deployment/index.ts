import { DEPLOYMENTS, PODS, REPLICA_SETS } from "../../../shared/api/refs.ts";
import { matchesLabelSelector } from "../../../shared/api/selector.ts";
import type { Deployment, Pod, ReplicaSet } from "../../../shared/api/types.ts";
import {
  type ControllerDefinition,
  controllerOf,
  type Enqueue,
  type InformerEvent,
  keyOf,
  OwnWrites,
} from "../../runtime/index.ts";
import { BY_CONTROLLER, byController } from "../by-controller.ts";
import { type DeploymentDeps, reconcile } from "./reconcile.ts";

/**
 * Rolls a Deployment's template out: one ReplicaSet per template, scaled against each other by the strategy, with
 * revisions, history and conditions. It touches no pod.
 */
export const deploymentController: ControllerDefinition = {
  name: "deployment",
  serviceAccount: "deployment-controller",
  build(base) {
    const deps: DeploymentDeps = {
      ...base,
      deployments: base.informer<Deployment>(DEPLOYMENTS),
      replicaSets: base.informer<ReplicaSet>(REPLICA_SETS),
      pods: base.informer<Pod>(PODS),
      ownWrites: new OwnWrites(),
    };
    deps.pods.addIndex(BY_CONTROLLER, byController);
    return {
      concurrency: 5,
      start(enqueue) {
        deps.deployments.onEvent(({ object }) => enqueue(keyOf(object)));
        deps.replicaSets.onEvent((event) => onReplicaSet(event, deps, enqueue));
        deps.pods.onEvent((event) => onPod(event, deps, enqueue));
      },
      reconcile: (key) => reconcile(key, deps),
    };
  },
};

function onReplicaSet(event: InformerEvent<ReplicaSet>, deps: DeploymentDeps, enqueue: Enqueue): void {
  const owner = ownerKey(event.object, deps);
  if (owner !== undefined) enqueue(owner);
  else if (!controllerOf(event.object) && event.type !== "deleted")
    for (const key of selecting(event.object, deps)) enqueue(key);
  if (event.type === "updated") {
    const before = ownerKey(event.old, deps);
    if (before !== undefined && before !== owner) enqueue(before);
  }
}

/** Recreate waits for the last old pod to be gone. */
function onPod(event: InformerEvent<Pod>, deps: DeploymentDeps, enqueue: Enqueue): void {
  if (event.type !== "deleted") return;
  const owner = controllerOf(event.object);
  if (owner?.kind !== "ReplicaSet") return;
  const rs = deps.replicaSets.get(`${event.object.metadata.namespace}/${owner.name}`);
  const key = rs?.metadata.uid === owner.uid && rs ? ownerKey(rs, deps) : undefined;
  if (key !== undefined && deps.deployments.get(key)?.spec.strategy?.type === "Recreate") enqueue(key);
}

function ownerKey(rs: ReplicaSet, { deployments }: DeploymentDeps): string | undefined {
  const owner = controllerOf(rs);
  if (owner?.kind !== "Deployment") return undefined;
  const key = `${rs.metadata.namespace}/${owner.name}`;
  return deployments.get(key)?.metadata.uid === owner.uid ? key : undefined;
}

function selecting(rs: ReplicaSet, { deployments }: DeploymentDeps): string[] {
  return deployments
    .list(rs.metadata.namespace)
    .filter((d) => matchesLabelSelector(d.spec.selector, rs.metadata.labels))
    .map(keyOf);
}
