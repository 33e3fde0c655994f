import { matchesTerm } from "../../../shared/api/node-selector.ts";
import { compareQuantities } from "../../../shared/api/quantity.ts";
import type { Node, PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../../shared/api/types.ts";
import {
  classOfClaim,
  findVolume,
  hasAccessModes,
  isVolumeBoundTo,
  requestOf,
  SELECTED_NODE,
} from "../../../shared/api/volume-binding.ts";
import type { PodClaims } from "./claims.ts";
import type { Storage } from "./storage.ts";

/** Why a node cannot have a pod's volumes. */
export const NODE_CONFLICT = "node(s) didn't match PersistentVolume's node affinity";
export const NO_VOLUME = "node(s) didn't find available persistent volumes to bind";
export const VOLUME_GONE = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

/** The provisioner of classes whose volumes are made by hand. */
const NO_PROVISIONER = "kubernetes.io/no-provisioner";

/** What has to happen for a pod's volumes once it gets a node. */
export interface VolumeChoices {
  bind: { claim: PersistentVolumeClaim; volume: PersistentVolume }[];
  /** Their volumes are made for the node. */
  provision: PersistentVolumeClaim[];
}

export const hasChoices = ({ bind, provision }: VolumeChoices): boolean => bind.length + provision.length > 0;

/** What a node would give to a pod's claims, or why it cannot. */
export function choicesOn(
  node: Node,
  { bound, delayed }: PodClaims,
  storage: Storage,
): VolumeChoices | { reasons: string[] } {
  const volumes = bound.map(({ spec }) => storage.volume(spec!.volumeName!));
  const reasons: string[] = [];
  if (volumes.some((volume) => volume && !reaches(node, volume))) reasons.push(NODE_CONFLICT);
  const choices = chooseDelayed(node, delayed, storage);
  if (!choices) reasons.push(NO_VOLUME);
  if (volumes.includes(undefined) && !reasons.includes(NODE_CONFLICT)) reasons.push(VOLUME_GONE);
  return choices && reasons.length === 0 ? choices : { reasons };
}

/** Small claims choose first, so that large volumes are left for large ones. */
function chooseDelayed(node: Node, claims: PersistentVolumeClaim[], storage: Storage): VolumeChoices | undefined {
  const taken = new Set(storage.reserved);
  const choices: VolumeChoices = { bind: [], provision: [] };
  for (const claim of claims.toSorted((a, b) => compareQuantities(requestOf(a), requestOf(b)))) {
    const selected = claim.metadata.annotations?.[SELECTED_NODE];
    if (selected !== undefined && selected !== node.metadata.name) return undefined;
    const volume = selected === undefined ? volumeFor(claim, node, storage, taken) : undefined;
    if (volume) {
      taken.add(volume.metadata.name);
      choices.bind.push({ claim, volume });
    } else if (canProvision(storage.storageClass(classOfClaim(claim)), node)) choices.provision.push(claim);
    else return undefined;
  }
  return choices;
}

function volumeFor(claim: PersistentVolumeClaim, node: Node, storage: Storage, taken: ReadonlySet<string>) {
  const volumes = storage
    .volumesOfClass(classOfClaim(claim))
    .filter((volume) => isVolumeBoundTo(volume, claim) || hasAccessModes(claim, volume));
  return findVolume(claim, volumes, { reaches: (volume) => reaches(node, volume), taken });
}

/** Whether a volume can be used on a node. */
function reaches(node: Node, { spec }: PersistentVolume): boolean {
  const required = spec?.nodeAffinity?.required;
  return !required || required.nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

function canProvision(storageClass: StorageClass | undefined, { metadata }: Node): boolean {
  if (!storageClass?.provisioner || storageClass.provisioner === NO_PROVISIONER) return false;
  const topologies = storageClass.allowedTopologies ?? [];
  return (
    topologies.length === 0 ||
    topologies.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(({ key, values }) => values.includes(metadata.labels?.[key] ?? "")),
    )
  );
}
