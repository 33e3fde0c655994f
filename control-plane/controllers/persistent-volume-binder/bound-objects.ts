import { compareQuantities, parseQuantity } from "../../../shared/api/quantity.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../../shared/api/types.ts";
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, isVolumeBoundTo } from "../../../shared/api/volume-binding.ts";
import { referenceTo } from "../../runtime/index.ts";

/** On a volume that was grown and whose file system was not yet: what the claim may count on. */
const PRE_RESIZE_CAPACITY = "volume.alpha.kubernetes.io/pre-resize-capacity";

type Phase = "Pending" | "Bound" | "Lost";

/** The volume as it is once it is the claim's; undefined when it is that already. */
export function boundVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume | undefined {
  const isKept = isVolumeBoundTo(volume, claim);
  if (isKept && volume.spec?.claimRef?.uid) return undefined;
  const changed = structuredClone(volume);
  changed.spec = { ...changed.spec, claimRef: referenceTo(claim) };
  if (!isKept) annotate(changed, BOUND_BY_CONTROLLER);
  return changed;
}

/** The claim as it is once it has the volume; undefined when it is that already. */
export function boundClaim(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim | undefined {
  const isNamed = claim.spec?.volumeName === volume.metadata.name;
  if (isNamed && claim.metadata.annotations?.[BIND_COMPLETED] !== undefined) return undefined;
  const changed = structuredClone(claim);
  if (!isNamed) {
    changed.spec = { ...changed.spec, volumeName: volume.metadata.name };
    annotate(changed, BOUND_BY_CONTROLLER);
  }
  annotate(changed, BIND_COMPLETED);
  return changed;
}

/** The volume without its claim: wholly if the controller chose it, else kept for whoever has the claim's name. */
export function unboundVolume(volume: PersistentVolume): PersistentVolume {
  const changed = structuredClone(volume);
  const annotations = changed.metadata.annotations;
  if (annotations?.[BOUND_BY_CONTROLLER] !== undefined) {
    delete annotations[BOUND_BY_CONTROLLER];
    delete changed.spec?.claimRef;
  } else delete changed.spec?.claimRef?.uid;
  return changed;
}

/**
 * The claim with the status of a phase; undefined when it has it already.
 * @param volume of a claim that is bound
 */
export function claimInPhase(
  claim: PersistentVolumeClaim,
  phase: Phase,
  volume?: PersistentVolume,
): PersistentVolumeClaim | undefined {
  const status = { ...claim.status };
  const isEntering = status.phase !== phase;
  if (!volume) {
    delete status.accessModes;
    delete status.capacity;
    delete status.currentVolumeAttributesClassName;
  } else {
    status.accessModes = volume.spec?.accessModes;
    // Later it is the resizer's: a file system may be smaller than its device.
    if (isEntering) status.capacity = capacityFor(claim, volume);
    const attributesClass = volume.spec?.volumeAttributesClassName;
    if (isEntering && claim.status?.phase === "Pending") {
      if (attributesClass === undefined) delete status.currentVolumeAttributesClassName;
      else status.currentVolumeAttributesClassName = attributesClass;
    }
  }
  status.phase = phase;
  if (!isEntering && isSame(status, claim.status ?? {})) return undefined;
  return { ...structuredClone(claim), status };
}

function capacityFor({ status }: PersistentVolumeClaim, { metadata, spec }: PersistentVolume) {
  const before = metadata.annotations?.[PRE_RESIZE_CAPACITY];
  if (before !== undefined) return { ...status?.capacity, storage: before };
  const now = spec?.capacity?.["storage"];
  const old = status?.capacity?.["storage"];
  if (now === undefined || old === undefined) return spec?.capacity;
  return compareQuantities(parseQuantity(now), parseQuantity(old)) === 0 ? status?.capacity : spec?.capacity;
}

const isSame = (a: object, b: object): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
const sorted = (object: object) => Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1));

function annotate(object: PersistentVolume | PersistentVolumeClaim, key: string): void {
  object.metadata.annotations = { ...object.metadata.annotations, [key]: object.metadata.annotations?.[key] ?? "yes" };
}
