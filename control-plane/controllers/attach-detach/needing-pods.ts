import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../shared/api/types.ts";
import { keyOf } from "../../runtime/index.ts";
import { podUsesClaim } from "../pvc-protection/decide.ts";
import type { NeedingPod } from "./decide.ts";
import { type AttachDeps, BY_CLAIM, BY_VOLUME } from "./deps.ts";
import { isManaged } from "./node.ts";
import { hasEnded } from "./pod.ts";

/** The pods that need the volume on a node which leaves attaching to this controller; oldest first. */
export function needingPods({ metadata, spec }: PersistentVolume, deps: AttachDeps): NeedingPod[] {
  const claim = deps.claims.get(`${spec?.claimRef?.namespace}/${spec?.claimRef?.name}`);
  const isBound = claim?.spec?.volumeName === metadata.name && claim.status?.phase === "Bound";
  return isBound && claim.metadata.uid === spec?.claimRef?.uid ? podsOfClaim(claim, deps) : [];
}

/** The pods that may have a volume still which is gone: those of the claims that name it, in whatever phase these are. */
export const attachedPodsOf = (volumeName: string, deps: AttachDeps): NeedingPod[] =>
  deps.claims.byIndex(BY_VOLUME, volumeName).flatMap((claim) => podsOfClaim(claim, deps));

function podsOfClaim(claim: PersistentVolumeClaim, { pods, nodes }: AttachDeps): NeedingPod[] {
  const needs = (pod: Pod) => {
    const node = nodes.get(pod.spec.nodeName ?? "");
    return node !== undefined && isManaged(node) && podUsesClaim(pod, claim) && !hasEnded(pod);
  };
  const createdAt = ({ metadata }: Pod) => `${metadata.creationTimestamp} ${metadata.name}`;
  return pods
    .byIndex(BY_CLAIM, keyOf(claim))
    .filter(needs)
    .sort((a, b) => (createdAt(a) < createdAt(b) ? -1 : 1))
    .map(({ metadata, spec }) => ({
      name: metadata.name,
      namespace: metadata.namespace ?? "",
      uid: metadata.uid,
      nodeName: spec.nodeName ?? "",
    }));
}
