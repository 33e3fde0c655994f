import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from "../../shared/api/refs.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../shared/api/types.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import { messageOf } from "../../shared/message-of.ts";
import type { Pod, Volume } from "../api/index.ts";
import { ClaimError } from "../volumes/index.ts";

/**
 * The persistent volume that a pod's claim is bound to.
 * @param volume names a claim, or has one made for it (`ephemeral`)
 * @throws ClaimError in upstream's words while there is none
 */
export async function findPersistentVolume(
  api: Pick<ApiClient, "get">,
  pod: Pod,
  volume: Volume,
): Promise<PersistentVolume> {
  const { namespace, name, uid } = pod.metadata;
  const claimName = volume.persistentVolumeClaim?.claimName ?? `${name}-${volume.name}`;
  const failed = (what: string) => new ClaimError(`error processing PVC ${namespace}/${claimName}: ${what}`);
  const claim = (await api.get(PERSISTENT_VOLUME_CLAIMS, claimName, namespace).catch((error: unknown) => {
    throw failed(`failed to fetch PVC from API server: ${messageOf(error)}`);
  })) as PersistentVolumeClaim;
  if (volume.ephemeral && !claim.metadata?.ownerReferences?.some((owner) => owner.controller && owner.uid === uid)) {
    throw failed(`PVC ${namespace}/${claimName} was not created for pod ${namespace}/${name} (pod is not owner)`);
  }
  if (claim.metadata?.deletionTimestamp !== undefined) throw failed("PVC is being deleted");
  const volumeName = claim.spec?.volumeName;
  if (claim.status?.phase !== "Bound" || !volumeName) throw failed("PVC is not bound");
  const found = (await api.get(PERSISTENT_VOLUMES, volumeName).catch((error: unknown) => {
    throw failed(`failed to fetch PV ${volumeName} from API server: ${messageOf(error)}`);
  })) as PersistentVolume;
  const claimUid = found.spec?.claimRef?.uid;
  if (found.spec?.claimRef === undefined) throw failed(`PV ${volumeName} spec.ClaimRef is nil`);
  if (claimUid !== claim.metadata?.uid) {
    throw failed(`PV ${volumeName} spec.ClaimRef.UID ${claimUid} does not match pvc.UID ${claim.metadata?.uid}`);
  }
  return found;
}
