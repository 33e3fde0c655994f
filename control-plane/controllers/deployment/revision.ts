import { parseInt64 } from "../../../shared/api/int64.ts";
import type { Deployment, ReplicaSet } from "../../../shared/api/types.ts";
import { desiredReplicas, rollingLimits } from "./rolling-limits.ts";

export const REVISION = "deployment.kubernetes.io/revision";
export const REVISION_HISTORY = "deployment.kubernetes.io/revision-history";
export const DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas";
export const MAX_REPLICAS = "deployment.kubernetes.io/max-replicas";
/** Asks for an earlier revision: what is left of the field spec.rollbackTo of extensions/v1beta1. */
export const ROLLBACK_TO = "deprecated.deployment.rollback.to";

/** The history annotation's bound (upstream maxRevHistoryLengthInChars). */
const MAX_HISTORY_CHARS = 2000;

/** These are the ReplicaSet's own or the client's, and are not copied from the Deployment. */
const NOT_COPIED = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  ROLLBACK_TO,
]);

type Annotations = Record<string, string>;

/** An int64 that a user may have set to any value; 0 when there is none. */
export function revisionOf(object: Deployment | ReplicaSet): bigint {
  return parseInt64(object.metadata.annotations?.[REVISION] ?? "") ?? 0n;
}

/** The revision after those of the ReplicaSets; the first is 1. After the largest int64 comes the smallest (as in Go). */
export function nextRevision(replicaSets: ReplicaSet[]): bigint {
  let newest = 0n;
  for (const revision of replicaSets.map(revisionOf)) if (revision > newest) newest = revision;
  return BigInt.asIntN(64, newest + 1n);
}

/**
 * The annotations of the ReplicaSet for the current template: those of the Deployment, and the revision. A reused
 * ReplicaSet gets the new revision and keeps its old one in the history (DEP-10).
 */
export function annotationsForNew(d: Deployment, current: Annotations, newRevision: bigint): Annotations {
  const annotations = { ...current };
  for (const [key, value] of Object.entries(d.metadata.annotations ?? {}))
    if (!NOT_COPIED.has(key)) annotations[key] = value;
  const old = current[REVISION];
  const oldRevision = old ? parseInt64(old) : 0n;
  if (oldRevision === undefined || oldRevision >= newRevision) return annotations;
  annotations[REVISION] = String(newRevision);
  if (old !== undefined) annotations[REVISION_HISTORY] = withOldRevision(current[REVISION_HISTORY] ?? "", old);
  return annotations;
}

/** The Deployment with the annotations that were copied to an earlier ReplicaSet in place of its own such. */
export function withAnnotationsOf(d: Deployment, rs: ReplicaSet): Deployment {
  const own = Object.entries(d.metadata.annotations ?? {}).filter(([key]) => NOT_COPIED.has(key));
  const copied = Object.entries(rs.metadata.annotations ?? {}).filter(([key]) => !NOT_COPIED.has(key));
  return { ...d, metadata: { ...d.metadata, annotations: Object.fromEntries([...own, ...copied]) } };
}

/** The oldest revisions make room for the newest. */
function withOldRevision(history: string, old: string): string {
  if (history === "") return old;
  const revisions = history.split(",");
  let length = history.length + old.length + 1;
  let start = 0;
  while (length > MAX_HISTORY_CHARS && start < revisions.length) {
    length -= (revisions[start]?.length ?? 0) + 1;
    start += 1;
  }
  return length > MAX_HISTORY_CHARS ? history : [...revisions.slice(start), old].join(",");
}

/** What a ReplicaSet was last scaled for; proportional scaling starts from it. */
export function replicasAnnotations(d: Deployment): Annotations {
  const desired = desiredReplicas(d);
  return {
    [DESIRED_REPLICAS]: String(desired),
    [MAX_REPLICAS]: String(desired + rollingLimits(d).maxSurge),
  };
}

/** A whole number of at least 0 in an annotation; undefined when there is none. */
export function replicasAnnotation(rs: ReplicaSet, name: string): number | undefined {
  const text = rs.metadata.annotations?.[name];
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value <= 2 ** 31 - 1 ? value : undefined;
}
