import { DEPLOYMENTS, REPLICA_SETS } from "../../../shared/api/refs.ts";
import { ApiError, isAlreadyExists, isNotFound } from "../../../shared/api/status.ts";
import type { Deployment, DeploymentStatus, Pod, ReplicaSet } from "../../../shared/api/types.ts";
import { messageOf } from "../../../shared/message-of.ts";
import {
  type ControllerDeps,
  controllerOf,
  done,
  type Informer,
  keyOf,
  type OwnWrites,
  type Requeue,
  requeueAfter,
} from "../../runtime/index.ts";
import { BY_CONTROLLER } from "../by-controller.ts";
import { claimObjects } from "../claim.ts";
import { isNamespaceTerminating } from "../pod-control.ts";
import { writeStatus } from "../write-status.ts";
import { newCondition, withCondition } from "./conditions.ts";
import { decide } from "./decide.ts";
import type { ReplicaSetWrite } from "./draft.ts";
import { hasProgressDeadline } from "./progress.ts";
import { REVISION } from "./revision.ts";
import { isSameTemplate } from "./same-template.ts";

export interface DeploymentDeps extends ControllerDeps {
  deployments: Informer<Deployment>;
  replicaSets: Informer<ReplicaSet>;
  pods: Informer<Pod>;
  ownWrites: OwnWrites;
}

export async function reconcile(key: string, deps: DeploymentDeps): Promise<Requeue> {
  const { api, clock, log, events } = deps;
  const deployment = deps.deployments.get(key);
  if (!deployment) {
    deps.ownWrites.forget(key);
    return done;
  }
  if (!deps.ownWrites.areSeen(key)) return done;
  const replicaSets = await claimObjects({
    api,
    owner: deployment,
    ownerRef: DEPLOYMENTS,
    selector: deployment.spec.selector,
    objects: deps.replicaSets.list(deployment.metadata.namespace),
    objectRef: REPLICA_SETS,
  });
  const podsOf = new Map(
    replicaSets.map(({ metadata: { uid = "" } }) => [uid, deps.pods.byIndex(BY_CONTROLLER, uid)] as const),
  );
  const plan = decide({ deployment, replicaSets, podsOf }, clock.nowMs());
  for (const { reason, message } of plan.warnings) events.event(deployment, "Warning", reason, message);
  if (plan.rollback) {
    const { event, deployment: rolledBack } = plan.rollback;
    log.info("deployment rollback", { key, event });
    await api.update<Deployment>(DEPLOYMENTS, rolledBack);
    events.event(deployment, event.type, event.reason, event.message);
    return done;
  }
  if (plan.writes.length > 0 || plan.status)
    log.info("deployment plan", { key, ...plan, writes: plan.writes.map(summary) });
  for (const write of plan.writes) await carryOut(deployment, write, deps);
  if (plan.status) await writeRevisionAndStatus(deployment, plan.status, plan.revision, deps);
  return requeueAfter(plan.recheckAfterMs);
}

const summary = ({ op, replicaSet: { metadata, spec } }: ReplicaSetWrite) => ({
  op,
  name: metadata.name,
  replicas: spec.replicas,
  annotations: metadata.annotations,
});

async function carryOut(d: Deployment, write: ReplicaSetWrite, deps: DeploymentDeps): Promise<void> {
  const { api, events } = deps;
  const { metadata } = write.replicaSet;
  switch (write.op) {
    case "create":
      if (!(await createReplicaSet(d, write.replicaSet, deps))) return;
      break;
    case "update":
      deps.ownWrites.wrote(keyOf(d), deps.replicaSets, await api.update<ReplicaSet>(REPLICA_SETS, write.replicaSet));
      break;
    case "delete":
      await api.delete(REPLICA_SETS, metadata, { uid: metadata.uid }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
      return;
  }
  for (const message of write.messages) events.event(d, "Normal", "ScalingReplicaSet", message);
}

/**
 * @returns false when it was there already (the cache was behind): not this step's doing
 * @throws on a refusal, after noting it in the Progressing condition; on a name taken by another object, after raising
 * collisionCount, so that the next try gets another name
 */
async function createReplicaSet(d: Deployment, rs: ReplicaSet, deps: DeploymentDeps): Promise<boolean> {
  const { api, events, clock } = deps;
  try {
    deps.ownWrites.wrote(keyOf(d), deps.replicaSets, await api.create<ReplicaSet>(REPLICA_SETS, rs));
    return true;
  } catch (error) {
    if (isNamespaceTerminating(error)) throw error;
    if (isAlreadyExists(error)) {
      const existing = await api.get<ReplicaSet>(REPLICA_SETS, rs.metadata.name, rs.metadata.namespace);
      if (
        controllerOf(existing)?.uid === d.metadata.uid &&
        isSameTemplate(existing.spec.template ?? {}, d.spec.template)
      )
        return false;
      const collisionCount = (d.status?.collisionCount ?? 0) + 1;
      deps.log.info("deployment hash collision", { key: keyOf(d), collisionCount });
      await writeRevisionAndStatus(d, { ...d.status, collisionCount }, undefined, deps);
      throw error;
    }
    const message = `Failed to create new replica set "${rs.metadata.name}": ${messageOf(error)}`;
    if (hasProgressDeadline(d)) {
      const failed = newCondition(
        { type: "Progressing", status: "False", reason: "ReplicaSetCreateError", message },
        clock.nowMs(),
      );
      const conditions = withCondition(d.status?.conditions ?? [], failed);
      // The refusal is what the caller must hear of, not that the note of it failed too.
      await writeRevisionAndStatus(d, { ...d.status, conditions }, undefined, deps).catch((failure: unknown) => {
        if (!(failure instanceof ApiError)) throw failure;
      });
    }
    events.event(d, "Warning", "ReplicaSetCreateError", message);
    throw error;
  }
}

/** The revision annotation goes with the status, as upstream does: the status strategy lets annotations through. */
async function writeRevisionAndStatus(
  d: Deployment,
  status: DeploymentStatus,
  revision: string | undefined,
  deps: DeploymentDeps,
): Promise<void> {
  const metadata =
    revision === undefined
      ? d.metadata
      : { ...d.metadata, annotations: { ...d.metadata.annotations, [REVISION]: revision } };
  await writeStatus(deps, DEPLOYMENTS, deps.deployments, { ...d, metadata, status });
}
