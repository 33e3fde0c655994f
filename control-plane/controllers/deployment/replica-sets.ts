import type { Deployment, ReplicaSet } from "../../../shared/api/types.ts";
import { parseTime } from "../../runtime/index.ts";
import { revisionOf } from "./revision.ts";
import { isSameTemplate } from "./same-template.ts";

export const sizeOf = (rs: ReplicaSet): number => rs.spec.replicas ?? 1;

export const totalSize = (replicaSets: ReplicaSet[]): number => sum(replicaSets, sizeOf);

export const sum = (replicaSets: ReplicaSet[], of: (rs: ReplicaSet) => number): number =>
  replicaSets.reduce((total, rs) => total + of(rs), 0);

export const activeOnly = (replicaSets: ReplicaSet[]): ReplicaSet[] => replicaSets.filter((rs) => sizeOf(rs) > 0);

export function byCreation(a: ReplicaSet, b: ReplicaSet): number {
  const difference = parseTime(a.metadata.creationTimestamp) - parseTime(b.metadata.creationTimestamp);
  if (difference) return difference;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

/** The largest first; of the same size the older. */
export const bySizeOlder = (a: ReplicaSet, b: ReplicaSet): number => sizeOf(b) - sizeOf(a) || byCreation(a, b);

/** The largest first; of the same size the newer. */
export const bySizeNewer = (a: ReplicaSet, b: ReplicaSet): number => sizeOf(b) - sizeOf(a) || byCreation(b, a);

export const byRevision = (a: ReplicaSet, b: ReplicaSet): number =>
  Number(revisionOf(a) - revisionOf(b)) || byCreation(a, b);

/** The ReplicaSet of the current template: the oldest, should there be several. */
export function findNew(d: Deployment, replicaSets: ReplicaSet[]): ReplicaSet | undefined {
  return [...replicaSets].sort(byCreation).find((rs) => isSameTemplate(rs.spec.template ?? {}, d.spec.template));
}
