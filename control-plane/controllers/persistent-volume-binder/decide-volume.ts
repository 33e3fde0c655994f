import type { PersistentVolume, PersistentVolumeClaim } from "../../../shared/api/types.ts";
import { PROVISIONED_BY, sameVolumeMode } from "../../../shared/api/volume-binding.ts";
import type { Note } from "./decide-claim.ts";
import { decideReclaim, type Reclaim } from "./reclaim.ts";

/**
 * - phase: the volume's status says so
 * - bindClaim: the claim it is kept for does not know yet
 * - unbind: it was kept for a claim that has got another
 * - reclaim: its claim is gone
 * - mismatch: it can never be that claim's
 */
export type VolumePlan =
  | { step: "phase"; phase: "Available" | "Bound" }
  | { step: "bindClaim" }
  | { step: "unbind" }
  | { step: "reclaim"; reclaim: Reclaim }
  | { step: "mismatch"; volumeNote: Note; claimNote: Note };

/**
 * The next step of a volume.
 * @param claim the one of spec.claimRef's name, if it has spec.claimRef's uid
 */
export function decideVolume(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumePlan {
  const { name, annotations } = volume.metadata;
  if (!volume.spec?.claimRef?.uid) return { step: "phase", phase: "Available" };
  if (!claim) return { step: "reclaim", reclaim: decideReclaim(volume) };
  const claimed = claim.spec?.volumeName;
  if (claimed === name) return { step: "phase", phase: "Bound" };
  if (claimed) {
    // What was provisioned for the claim is of no use to anybody else.
    const isSpare =
      annotations?.[PROVISIONED_BY] !== undefined && volume.spec.persistentVolumeReclaimPolicy === "Delete";
    return isSpare ? { step: "reclaim", reclaim: decideReclaim(volume) } : { step: "unbind" };
  }
  if (sameVolumeMode(claim, volume)) return { step: "bindClaim" };
  const note = (message: string): Note => ({ type: "Warning", reason: "VolumeMismatch", message });
  const why = "due to incompatible volumeMode.";
  return {
    step: "mismatch",
    volumeNote: note(
      `Cannot bind PersistentVolume to requested PersistentVolumeClaim ${JSON.stringify(claim.metadata.name)} ${why}`,
    ),
    claimNote: note(`Cannot bind PersistentVolume ${JSON.stringify(name)} to requested PersistentVolumeClaim ${why}`),
  };
}
