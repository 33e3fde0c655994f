import { isEmptySelector } from "../../../shared/api/selector.ts";
import type { Deployment, DeploymentStatus, Pod, ReplicaSet } from "../../../shared/api/types.ts";
import { findCondition } from "./conditions.ts";
import { Draft, type ReplicaSetWrite } from "./draft.ts";
import { syncNewReplicaSet } from "./new-replica-set.ts";
import { decideRolloutConditions, hasProgressDeadline, isComplete, nextProgressCheckMs } from "./progress.ts";
import { recreate } from "./recreate.ts";
import { byRevision, findNew, sizeOf } from "./replica-sets.ts";
import { decideRollback, type Rollback, requestedRevision } from "./rollback.ts";
import { rollOver } from "./rolling.ts";
import { isRollingUpdate } from "./rolling-limits.ts";
import { isScalingEvent, scaleToSpec } from "./scale.ts";
import { compact, decideStatus, isSameStatus } from "./status.ts";

export interface Plan {
  /** In this order. */
  writes: ReplicaSetWrite[];
  /** The status to write after them; undefined when it is right already. */
  status?: DeploymentStatus;
  /** A new value for the annotation deployment.kubernetes.io/revision. */
  revision?: string;
  /** Warnings about the object itself: reason and message. */
  warnings: { reason: string; message: string }[];
  /** Instead of a rollout: the Deployment is written, which starts one. */
  rollback?: Rollback;
  recheckAfterMs?: number;
}

export interface DeploymentState {
  deployment: Deployment;
  /** Those it controls. */
  replicaSets: ReplicaSet[];
  /** By the uid of the ReplicaSet; those being deleted too. */
  podsOf: Map<string, Pod[]>;
}

/** The next step of a Deployment. `nowMs` (epoch ms) serves the progress deadline. Same input, same plan. */
export function decide({ deployment: d, replicaSets, podsOf }: DeploymentState, nowMs: number): Plan {
  if (isEmptySelector(d.spec.selector)) return selectsAll(d);
  const newRs = findNew(d, replicaSets);
  const draft = new Draft(d, { newRs, oldRss: replicaSets.filter((rs) => rs !== newRs) }, nowMs);
  if (d.metadata.deletionTimestamp) {
    syncNewReplicaSet(draft, { create: false });
    return finish(draft, decideStatus(draft));
  }
  notePause(draft);
  const rollbackTo = d.spec.paused ? undefined : requestedRevision(d);
  syncNewReplicaSet(draft, { create: rollbackTo !== undefined });
  if (rollbackTo !== undefined) {
    // What is to be known of the current revision is written first.
    if (draft.writes.length > 0 || draft.revision !== undefined) return finish(draft, decideStatus(draft));
    return { writes: [], warnings: [], rollback: decideRollback(d, rollbackTo, draft.allRss) };
  }
  if (d.spec.paused || isScalingEvent(draft)) {
    scaleToSpec(draft);
    if (d.spec.paused) cleanUp(draft);
    return finish(draft, decideStatus(draft));
  }
  if (isRollingUpdate(d)) {
    syncNewReplicaSet(draft, { create: true });
    if (!rollOver(draft) && isComplete(d, d.status ?? {})) cleanUp(draft);
  } else {
    const { mayCleanUp } = recreate(draft, podsOf);
    if (mayCleanUp && isComplete(d, d.status ?? {})) cleanUp(draft);
  }
  const status = decideStatus(draft);
  return finish(draft, compact({ ...status, conditions: decideRolloutConditions(draft, status) }), true);
}

function finish(draft: Draft, status: DeploymentStatus, isRollout = false): Plan {
  const { deployment: d, revision, nowMs } = draft;
  const isSettled = isSameStatus(d.status, status) && revision === undefined;
  return {
    writes: draft.writes,
    ...(isSettled ? {} : { status }),
    ...(revision === undefined ? {} : { revision }),
    warnings: [],
    ...(isRollout && isSettled ? { recheckAfterMs: nextProgressCheckMs(d, status, nowMs) } : {}),
  };
}

/** A pause and its end are told in the Progressing condition, so that the deadline does not run meanwhile. */
function notePause(draft: Draft): void {
  const d = draft.deployment;
  const current = findCondition(draft.conditions, "Progressing");
  if (!hasProgressDeadline(d) || current?.reason === "ProgressDeadlineExceeded") return;
  const isNoted = current?.reason === "DeploymentPaused";
  if (d.spec.paused && !isNoted)
    draft.setCondition({
      type: "Progressing",
      status: "Unknown",
      reason: "DeploymentPaused",
      message: "Deployment is paused",
    });
  if (!d.spec.paused && isNoted)
    draft.setCondition({
      type: "Progressing",
      status: "Unknown",
      reason: "DeploymentResumed",
      message: "Deployment is resumed",
    });
}

/** Old ReplicaSets beyond revisionHistoryLimit go, the lowest revisions first, if nothing is left in them (DEP-13). */
function cleanUp(draft: Draft): void {
  const limit = draft.deployment.spec.revisionHistoryLimit;
  if (limit === undefined || limit === 2 ** 31 - 1) return;
  const cleanable = draft.oldRss.filter((rs) => !rs.metadata.deletionTimestamp).sort(byRevision);
  for (const rs of cleanable.slice(0, Math.max(0, cleanable.length - limit))) {
    const isObserved = (rs.metadata.generation ?? 0) <= (rs.status?.observedGeneration ?? 0);
    if ((rs.status?.replicas ?? 0) === 0 && sizeOf(rs) === 0 && isObserved) draft.remove(rs);
  }
}

function selectsAll(d: Deployment): Plan {
  const warnings = [
    {
      reason: "SelectingAll",
      message: "This deployment is selecting all pods. A non-empty selector is required.",
    },
  ];
  const isObserved = (d.status?.observedGeneration ?? 0) >= (d.metadata.generation ?? 0);
  if (isObserved) return { writes: [], warnings };
  return { writes: [], warnings, status: { ...d.status, observedGeneration: d.metadata.generation } };
}
