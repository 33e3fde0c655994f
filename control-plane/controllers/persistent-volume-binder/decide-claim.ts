import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../../shared/api/types.ts";
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  classOfClaim,
  hasClass,
  isVolumeBoundTo,
  SELECTED_NODE,
} from "../../../shared/api/volume-binding.ts";
import { bestVolume, mismatchOf } from "./best-volume.ts";
import { csiNameOf, isInTree } from "./provisioners.ts";

/** A means for tests, which upstream too has switched off by default. */
const HOST_PATH = "kubernetes.io/host-path";
const HOST_PATH_DISABLED =
  'Failed to create provisioner: provisioning in volume plugin "kubernetes.io/host-path" is disabled';

/** An event about the claim; a step's event is recorded each time the step is taken. */
export interface Note {
  type: "Normal" | "Warning";
  reason: string;
  message: string;
}

/**
 * - bind: the claim gets the volume, and both say so
 * - assignClass: it asked for no class, and there is a default one now
 * - provision: whoever provisions for its class is told by annotations
 * - pending: nothing can be done yet
 * - stay: as it is, status included
 * - lost: it was bound, and its volume is gone or somebody else's
 */
export type ClaimPlan =
  | { step: "bind"; volume: PersistentVolume }
  | { step: "assignClass"; name: string }
  | { step: "provision"; provisioner: string; note: Note }
  | { step: "pending"; note?: Note }
  | { step: "stay"; note?: Note }
  | { step: "lost"; note: Note };

/** What a claim's step depends on. */
export interface ClaimSurroundings {
  volumes: readonly PersistentVolume[];
  /** The one that spec.volumeName names. */
  named?: PersistentVolume;
  /** By name. */
  classOf(name: string): StorageClass | undefined;
  defaultClass?: string;
  /** Names of pods that use the claim and have no node yet. */
  waitingPods(): string[];
}

/** The next step of a claim towards a volume. */
export function decideClaim(claim: PersistentVolumeClaim, around: ClaimSurroundings): ClaimPlan {
  if (claim.metadata.annotations?.[BIND_COMPLETED] !== undefined) return decideBound(claim, around.named);
  return claim.spec?.volumeName ? decideNamed(claim, around.named) : decideUnbound(claim, around);
}

function decideUnbound(claim: PersistentVolumeClaim, around: ClaimSurroundings): ClaimPlan {
  const className = classOfClaim(claim);
  const storageClass = className === "" ? undefined : around.classOf(className);
  const isDelayed = storageClass?.volumeBindingMode === "WaitForFirstConsumer";
  const volume = bestVolume(claim, around.volumes, isDelayed);
  if (volume) return { step: "bind", volume };
  if (!hasClass(claim) && around.defaultClass !== undefined) return { step: "assignClass", name: around.defaultClass };
  if (isDelayed && claim.metadata.annotations?.[SELECTED_NODE] === undefined)
    return { step: "pending", note: consumerNote(around.waitingPods()) };
  if (className === "")
    return pending(
      "Normal",
      "FailedBinding",
      "no persistent volumes available for this claim and no storage class is set",
    );
  return decideProvisioning(className, storageClass);
}

function decideProvisioning(className: string, storageClass: StorageClass | undefined): ClaimPlan {
  const failed = (message: string): ClaimPlan => ({
    step: "stay",
    note: { type: "Warning", reason: "ProvisioningFailed", message },
  });
  if (!storageClass) return failed(`storageclass.storage.k8s.io ${JSON.stringify(className)} not found`);
  const provisioner = csiNameOf(storageClass.provisioner);
  if (provisioner === HOST_PATH) {
    const note: Note = { type: "Warning", reason: "ProvisioningFailed", message: HOST_PATH_DISABLED };
    return { step: "provision", provisioner, note };
  }
  if (isInTree(provisioner)) return failed(`no volume plugin matched name: ${provisioner}`);
  const message =
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' ` +
    "or manually by the system administrator. If volume creation is delayed, please verify that " +
    "the provisioner is running and correctly registered.";
  return { step: "provision", provisioner, note: { type: "Normal", reason: "ExternalProvisioning", message } };
}

function consumerNote(pods: string[]): Note {
  if (pods.length === 0)
    return {
      type: "Normal",
      reason: "WaitForFirstConsumer",
      message: "waiting for first consumer to be created before binding",
    };
  const names = `${pods.length > 1 ? "pods" : "pod"} ${pods.join(",")}`;
  return { type: "Normal", reason: "WaitForPodScheduled", message: `waiting for ${names} to be scheduled` };
}

/** The user asked for one volume. */
function decideNamed(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): ClaimPlan {
  if (!volume) return { step: "pending" };
  const name = JSON.stringify(volume.metadata.name);
  if (isVolumeBoundTo(volume, claim)) return { step: "bind", volume };
  if (volume.spec?.claimRef) {
    const note: Note = {
      type: "Warning",
      reason: "FailedBinding",
      message: `volume ${name} already bound to a different claim.`,
    };
    return { step: claim.metadata.annotations?.[BOUND_BY_CONTROLLER] === undefined ? "pending" : "stay", note };
  }
  const mismatch = mismatchOf(claim, volume);
  if (mismatch === undefined) return { step: "bind", volume };
  return pending("Warning", "VolumeMismatch", `Cannot bind to requested volume ${name}: ${mismatch}`);
}

function decideBound(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): ClaimPlan {
  if (!claim.spec?.volumeName)
    return lost("ClaimLost", "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!");
  if (!volume) return lost("ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
  const ref = volume.spec?.claimRef;
  if (!ref || ref.uid === claim.metadata.uid) return { step: "bind", volume };
  return lost("ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly");
}

const pending = (type: Note["type"], reason: string, message: string): ClaimPlan => ({
  step: "pending",
  note: { type, reason, message },
});

const lost = (reason: string, message: string): ClaimPlan => ({
  step: "lost",
  note: { type: "Warning", reason, message },
});
