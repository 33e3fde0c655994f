import { DEPLOYMENTS } from "../../../shared/api/refs.ts";
import type { ReplicaSet } from "../../../shared/api/types.ts";
import { newControllerRef } from "../../runtime/index.ts";
import { computeHash } from "../pod-template-hash/index.ts";
import { findCondition } from "./conditions.ts";
import type { Draft } from "./draft.ts";
import { hasProgressDeadline } from "./progress.ts";
import { sizeOf } from "./replica-sets.ts";
import { annotationsForNew, nextRevision, REVISION, replicasAnnotations } from "./revision.ts";
import { desiredReplicas, isRollingUpdate, rollingLimits } from "./rolling-limits.ts";
import { POD_TEMPLATE_HASH } from "./same-template.ts";

/** A name of 253 characters at most (DNS subdomain). */
const MAX_NAME_LENGTH = 253;

/**
 * Brings the ReplicaSet of the current template up to date (annotations, revision, minReadySeconds), and makes it if it
 * is missing and `create` is set. The Deployment's own revision follows it.
 */
export function syncNewReplicaSet(draft: Draft, { create }: { create: boolean }): void {
  const { deployment: d, newRs } = draft;
  const newRevision = nextRevision(draft.oldRss);
  if (!newRs) {
    if (create) createNewReplicaSet(draft, newRevision);
    return;
  }
  const before = newRs.metadata.annotations ?? {};
  const annotations = annotationsForNew(d, before, newRevision);
  const minReadySeconds = d.spec.minReadySeconds ?? 0;
  const isChanged = Object.keys(annotations).some((key) => annotations[key] !== before[key]);
  if (isChanged || (newRs.spec.minReadySeconds ?? 0) !== minReadySeconds) {
    newRs.metadata.annotations = annotations;
    newRs.spec.minReadySeconds = minReadySeconds;
    draft.touched(newRs);
  }
  setRevision(draft, annotations[REVISION] ?? "");
  if (hasProgressDeadline(d) && !findCondition(draft.conditions, "Progressing"))
    draft.setCondition({
      type: "Progressing",
      status: "True",
      reason: "FoundNewReplicaSet",
      message: `Found new replica set "${newRs.metadata.name}"`,
    });
}

function createNewReplicaSet(draft: Draft, newRevision: bigint): void {
  const d = draft.deployment;
  const hash = computeHash(d.spec.template, d.status?.collisionCount);
  const labels = { ...d.spec.template.metadata?.labels, [POD_TEMPLATE_HASH]: hash };
  const template = structuredClone(d.spec.template);
  const rs: ReplicaSet = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: replicaSetName(d.metadata.name, hash),
      namespace: d.metadata.namespace,
      labels,
      annotations: { ...annotationsForNew(d, {}, newRevision), ...replicasAnnotations(d) },
      ownerReferences: [newControllerRef(d, DEPLOYMENTS)],
    },
    spec: {
      replicas: 0,
      ...(d.spec.minReadySeconds ? { minReadySeconds: d.spec.minReadySeconds } : {}),
      selector: { ...d.spec.selector, matchLabels: { ...d.spec.selector.matchLabels, [POD_TEMPLATE_HASH]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
  rs.spec.replicas = newSize(draft, rs);
  draft.create(rs);
  setRevision(draft, String(newRevision));
  if (hasProgressDeadline(d))
    draft.setCondition({
      type: "Progressing",
      status: "True",
      reason: "NewReplicaSetCreated",
      message: `Created new replica set "${rs.metadata.name}"`,
    });
}

/** How large the new ReplicaSet may be now: the sum of all stays within replicas + maxSurge (DEP-16). */
export function newSize(draft: Draft, newRs: ReplicaSet): number {
  const desired = desiredReplicas(draft.deployment);
  if (!isRollingUpdate(draft.deployment)) return desired;
  const room = desired + rollingLimits(draft.deployment).maxSurge - draft.totalSize;
  if (room <= 0) return sizeOf(newRs);
  return sizeOf(newRs) + Math.min(room, desired - sizeOf(newRs));
}

export function replicaSetName(deploymentName: string, hash: string): string {
  return `${deploymentName.slice(0, MAX_NAME_LENGTH - 1 - hash.length)}-${hash}`;
}

function setRevision(draft: Draft, revision: string): void {
  if (draft.deployment.metadata.annotations?.[REVISION] !== revision) draft.revision = revision;
}
