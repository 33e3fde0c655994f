import type { ResourceAmounts } from "../../shared/api/pod-requests.ts";
import { compareQuantities, parseQuantity, type Quantity } from "../../shared/api/quantity.ts";
import type { PersistentVolumeClaim } from "../../shared/api/types.ts";
import { count, type Evaluator, isSelected, type ScopeRequirement } from "./evaluator.ts";

const COUNT = "count/persistentvolumeclaims";
const CLAIMS = "persistentvolumeclaims";
const STORAGE = "requests.storage";
const OF_CLASS = ".storageclass.storage.k8s.io/";
const CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";
/** Sizes are whole bytes. */
const NANOS = 1_000_000_000n;

const claimOf = (object: unknown) => object as PersistentVolumeClaim;

const classOf = ({ metadata, spec }: PersistentVolumeClaim): string =>
  metadata.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? "";

const wholeBytes = (size: Quantity): Quantity => ({ ...size, nanos: ((size.nanos + NANOS - 1n) / NANOS) * NANOS });

/** What is asked for, or what is allocated already if that is more (an expansion that was taken back). */
function sizeOf({ spec, status }: PersistentVolumeClaim): Quantity | undefined {
  const asked = spec?.resources?.requests?.storage;
  if (asked === undefined) return undefined;
  const size = wholeBytes(parseQuantity(asked));
  const allocated = status?.allocatedResources?.storage;
  if (allocated === undefined) return size;
  const held = wholeBytes(parseQuantity(allocated));
  return compareQuantities(held, size) > 0 ? held : size;
}

/** The classes of volume attributes that a claim asks for, has, or is on its way to. */
function attributesClasses({ spec, status }: PersistentVolumeClaim): string[] {
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.filter((name) => name !== undefined && name !== ""))] as string[];
}

function isInScope(requirement: ScopeRequirement, claim: PersistentVolumeClaim): boolean {
  if (requirement.scopeName !== "VolumeAttributesClass") return false;
  const names = attributesClasses(claim);
  return names.length === 0 ? isSelected(requirement, undefined) : names.some((name) => isSelected(requirement, name));
}

/** Claims use storage, in all and of their class. */
export const persistentVolumeClaimEvaluator: Evaluator = {
  handles: ({ operation, subresource, object, old }) => {
    if (subresource === "status") return old !== undefined && isFreed(claimOf(object), claimOf(old));
    return !subresource && operation !== "DELETE";
  },
  matching: (names) =>
    names.filter(
      (name) =>
        name === COUNT ||
        name === CLAIMS ||
        name === STORAGE ||
        name.endsWith(OF_CLASS + CLAIMS) ||
        name.endsWith(OF_CLASS + STORAGE),
    ),
  isInScope: (requirement, object) => isInScope(requirement, claimOf(object)),
  usage(object) {
    const claim = claimOf(object);
    const [className, size] = [classOf(claim), sizeOf(claim)];
    const used: ResourceAmounts = new Map([
      [CLAIMS, count(1)],
      [COUNT, count(1)],
    ]);
    if (size) used.set(STORAGE, size);
    if (className === "") return used;
    used.set(`${className}${OF_CLASS}${CLAIMS}`, count(1));
    if (size) used.set(`${className}${OF_CLASS}${STORAGE}`, size);
    return used;
  },
  isFreed: (object, old) => isFreed(claimOf(object), claimOf(old)),
};

const isFreed = (claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean =>
  claim.status?.allocatedResources?.storage !== old.status?.allocatedResources?.storage ||
  attributesClasses(claim).join() !== attributesClasses(old).join();
