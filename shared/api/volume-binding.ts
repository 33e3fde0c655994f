import { compareQuantities, parseQuantity, type Quantity, ZERO_QUANTITY } from "./quantity.ts";
import { matchesLabelSelector } from "./selector.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "./types.ts";

/** On a claim: it was bound once, and is lost if its volume goes. */
export const BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
/** On a claim or a volume: the controller chose the other side, not the user. */
export const BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
/** On a claim: the node that the scheduler chose for its first consumer; the provisioner waits for it. */
export const SELECTED_NODE = "volume.kubernetes.io/selected-node";
/** On a volume: who provisioned it. */
export const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";

const CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

/** The class that a claim asks for; "" for none. The old annotation wins over the field. */
export const classOfClaim = ({ metadata, spec }: PersistentVolumeClaim): string =>
  metadata.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? "";

/** The class of a volume; "" for none. */
export const classOfVolume = ({ metadata, spec }: PersistentVolume): string =>
  metadata.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? "";

/** Whether a claim names a class, if only none (""). */
export const hasClass = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  metadata.annotations?.[CLASS_ANNOTATION] !== undefined || typeof spec?.storageClassName === "string";

/** Whether a volume is kept for a claim, by name alone as long as it does not say which of that name it means. */
export function isVolumeBoundTo({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const ref = spec?.claimRef;
  if (!ref || ref.name !== metadata.name || ref.namespace !== metadata.namespace) return false;
  return !ref.uid || ref.uid === metadata.uid;
}

export const sameVolumeMode = (claim: PersistentVolumeClaim, volume: PersistentVolume): boolean =>
  (claim.spec?.volumeMode ?? "Filesystem") === (volume.spec?.volumeMode ?? "Filesystem");

export const hasAccessModes = (claim: PersistentVolumeClaim, volume: PersistentVolume): boolean =>
  (claim.spec?.accessModes ?? []).every((mode) => volume.spec?.accessModes?.includes(mode));

export const sameAttributesClass = (claim: PersistentVolumeClaim, volume: PersistentVolume): boolean =>
  (claim.spec?.volumeAttributesClassName ?? "") === (volume.spec?.volumeAttributesClassName ?? "");

export const capacityOf = ({ spec }: PersistentVolume): Quantity => quantityOf(spec?.capacity?.["storage"]);

export const requestOf = ({ spec }: PersistentVolumeClaim): Quantity =>
  quantityOf(spec?.resources?.requests?.["storage"]);

const quantityOf = (text: string | undefined): Quantity => (text === undefined ? ZERO_QUANTITY : parseQuantity(text));

export interface VolumeSearch {
  /** The claim waits for its first consumer, and nobody has chosen a node yet: only a volume kept for it will do. */
  isDelayed?: boolean;
  /** Whether the volume can be reached from the node that is looked at. */
  reaches?(volume: PersistentVolume): boolean;
  /** Names of volumes that are promised to other claims. */
  taken?: ReadonlySet<string>;
}

/**
 * The volume a claim should get: one that is kept for it, else the smallest that is large enough and fits. Access modes
 * are the caller's to check.
 * @returns undefined when none fits, also when the volume that is kept for it cannot be reached
 */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  { isDelayed = false, reaches = () => true, taken }: VolumeSearch = {},
): PersistentVolume | undefined {
  const request = requestOf(claim);
  let best: PersistentVolume | undefined;
  for (const volume of volumes) {
    const isKept = isVolumeBoundTo(volume, claim);
    if (taken?.has(volume.metadata.name) || (volume.spec?.claimRef && !isKept)) continue;
    if (compareQuantities(capacityOf(volume), request) < 0 || volume.metadata.deletionTimestamp) continue;
    if (!sameVolumeMode(claim, volume) || !sameAttributesClass(claim, volume)) continue;
    if (isKept) return reaches(volume) ? volume : undefined;
    if (isDelayed || volume.status?.phase !== "Available" || classOfVolume(volume) !== classOfClaim(claim)) continue;
    const { selector } = claim.spec ?? {};
    if (selector && !matchesLabelSelector(selector, volume.metadata.labels)) continue;
    if (!reaches(volume)) continue;
    if (!best || compareQuantities(capacityOf(volume), capacityOf(best)) < 0) best = volume;
  }
  return best;
}
