import { wholeUnits } from "../../../shared/api/quantity.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../../shared/api/types.ts";
import {
  capacityOf,
  classOfClaim,
  classOfVolume,
  findVolume,
  hasAccessModes,
  requestOf,
  sameAttributesClass,
  sameVolumeMode,
} from "../../../shared/api/volume-binding.ts";

/**
 * The volume for a claim: of those with the fewest access modes beside the ones it asks for, the smallest that fits.
 * @param isDelayed the claim waits for its first consumer: only a volume that is kept for it will do
 */
export function bestVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  isDelayed: boolean,
): PersistentVolume | undefined {
  const groups = Map.groupBy(
    volumes.filter((volume) => hasAccessModes(claim, volume)),
    modesOf,
  );
  const ordered = [...groups].sort(([a], [b]) => a.split(",").length - b.split(",").length || (a < b ? -1 : 1));
  for (const [, group] of ordered) {
    const found = findVolume(claim, group, { isDelayed });
    if (found) return found;
  }
  return undefined;
}

const modesOf = ({ spec }: PersistentVolume): string => [...new Set(spec?.accessModes)].sort().join(",");

/** Why a volume that a claim names cannot be its own; undefined when it can. */
export function mismatchOf(claim: PersistentVolumeClaim, volume: PersistentVolume): string | undefined {
  if (volume.metadata.deletionTimestamp)
    return `the volume is marked for deletion ${JSON.stringify(volume.metadata.name)}`;
  if (wholeUnits(capacityOf(volume)) < wholeUnits(requestOf(claim))) return "requested PV is too small";
  if (classOfVolume(volume) !== classOfClaim(claim)) return "storageClassName does not match";
  if (!sameAttributesClass(claim, volume)) return "volumeAttributesClassName does not match";
  if (!sameVolumeMode(claim, volume)) return "incompatible volumeMode";
  if (!hasAccessModes(claim, volume)) return "incompatible accessMode";
  return undefined;
}
