import type { KubeObject } from "../../shared/api/object.ts";
import { isPodTerminal } from "../../shared/api/pod-phase.ts";
import type { Pod } from "../../shared/api/types.ts";

export const haveSameLabels = (a: KubeObject, b: KubeObject) =>
  JSON.stringify(a.metadata.labels) === JSON.stringify(b.metadata.labels);

/** The claims that were made for a pod. */
export const haveSameClaims = (a: Pod, b: Pod) =>
  JSON.stringify(a.status?.resourceClaimStatuses) === JSON.stringify(b.status?.resourceClaimStatuses);

/** Whether nothing changed that scheduling looks at. metadata.generation follows the spec (KEP-5067). */
export function isSameToUs(before: Pod, after: Pod): boolean {
  return (
    before.metadata.uid === after.metadata.uid &&
    before.metadata.generation === after.metadata.generation &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
    before.spec?.nodeName === after.spec?.nodeName &&
    haveSameLabels(before, after) &&
    haveSameClaims(before, after) &&
    isPodTerminal(before) === isPodTerminal(after)
  );
}

export const identityOf = ({ metadata }: Pod) => ({
  key: `${metadata.namespace}/${metadata.name}`,
  uid: metadata.uid!,
});

/** It never had a node, and is deleted already. */
export const isGoing = (pod: Pod): boolean => !pod.spec?.nodeName && !!pod.metadata.deletionTimestamp;

/** No node yet, not going away, not held back by a gate. */
export function isWaiting(pod: Pod): boolean {
  return (
    !pod.spec?.nodeName &&
    !pod.metadata.deletionTimestamp &&
    !isPodTerminal(pod) &&
    (pod.spec?.schedulingGates ?? []).length === 0
  );
}
