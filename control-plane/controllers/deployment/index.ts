import { DEPLOYMENTS, PODS, REPLICA_SETS } from "../../../shared/api/refs.ts";
import type { Deployment, Pod, ReplicaSet } from "../../../shared/api/types.ts";
import { type ControllerDefinition, type Enqueue, type InformerEvent, keyOf, OwnWrites } from "../../runtime/index.ts";
import { BY_CONTROLLER, byController } from "../by-controller.ts";
import { ownerKey, wakeOwners } from "../owner-keys.ts";
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
        const wakeUp = { owners: deps.deployments, selectorOf: ({ spec }: Deployment) => spec.selector, enqueue };
        deps.replicaSets.onEvent((event) => void wakeOwners(event, wakeUp));
        deps.pods.onEvent((event) => onPod(event, deps, enqueue));
      },
      reconcile: (key) => reconcile(key, deps),
    };
  },
};

/** Recreate waits for the last old pod to be gone. */
function onPod(event: InformerEvent<Pod>, { replicaSets, deployments }: DeploymentDeps, enqueue: Enqueue): void {
  if (event.type !== "deleted") return;
  const rs = replicaSets.get(ownerKey(event.object, replicaSets) ?? "");
  const key = rs && ownerKey(rs, deployments);
  if (key !== undefined && deployments.get(key)?.spec.strategy?.type === "Recreate") enqueue(key);
}
