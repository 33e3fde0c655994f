import {
  fieldForbidden,
  invalidEach,
  invalidValue,
  notSupported,
  required,
} from "../../../../shared/api/field-error.ts";
import { checkDns1123Subdomain } from "../../../../shared/api/names.ts";
import { parseQuantity, wholeUnits } from "../../../../shared/api/quantity.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { PersistentVolumeSpec } from "../../../../shared/api/types.ts";
import { checkNodeSelector } from "../pod-spec/index.ts";
import { checkAccessModes, VOLUME_MODES } from "./claim-spec.ts";
import { checkVolumeSource } from "./volume-sources.ts";

const RECLAIM_POLICIES = ["Delete", "Recycle", "Retain"];

/** What a volume can hold, or a claim has got: an amount may not be negative. */
export function checkAmount(amount: string, field: string): StatusCause[] {
  const units = wholeUnits(parseQuantity(amount));
  return units < 0 ? [invalidValue(field, units, "must be a valid resource quantity")] : [];
}

function checkCapacity(capacity: Record<string, string> | undefined, path: string): StatusCause[] {
  const names = Object.keys(capacity ?? {});
  const causes = names.length === 0 ? [required(path)] : [];
  if (!names.includes("storage") || names.length > 1) {
    causes.push(notSupported(path, capacity ?? null, ["storage"]));
  }
  for (const [name, amount] of Object.entries(capacity ?? {})) {
    causes.push(...checkAmount(amount, `${path}[${name}]`));
    if (parseQuantity(amount).nanos <= 0n) {
      causes.push(invalidValue(`${path}[${name}]`, amount, "must be greater than zero"));
    }
  }
  return causes;
}

function checkNodeAffinity({ nodeAffinity }: PersistentVolumeSpec, path: string): StatusCause[] {
  if (!nodeAffinity) return [];
  const field = `${path}.nodeAffinity.required`;
  return nodeAffinity.required
    ? checkNodeSelector(nodeAffinity.required, field)
    : [required(field, "must specify required node constraints")];
}

function checkHostRoot({ hostPath, persistentVolumeReclaimPolicy }: PersistentVolumeSpec, path: string): StatusCause[] {
  if (!hostPath || persistentVolumeReclaimPolicy !== "Recycle" || !isRoot(hostPath.path)) return [];
  const detail = "may not be 'recycle' for a hostPath mount of '/'";
  return [fieldForbidden(`${path}.persistentVolumeReclaimPolicy`, detail)];
}

/** Whether a path, cleaned as Go does it, is `/`. */
function isRoot(path: string): boolean {
  let depth = 0;
  for (const step of path.split("/")) {
    if (step === "..") depth = Math.max(0, depth - 1);
    else if (step !== "" && step !== ".") depth++;
  }
  return path.startsWith("/") && depth === 0;
}

function checkAttributesClass(spec: PersistentVolumeSpec, path: string): StatusCause[] {
  const name = spec.volumeAttributesClassName;
  if (name === undefined) return [];
  const field = `${path}.volumeAttributesClassName`;
  return [
    ...(name === ""
      ? [required(field, "an empty string is disallowed")]
      : invalidEach(field, name, checkDns1123Subdomain(name))),
    ...(spec.csi ? [] : [required(`${path}.csi`, "has to be specified when using volumeAttributesClassName")]),
  ];
}

function checkModes(spec: PersistentVolumeSpec, path: string): StatusCause[] {
  const modes: string[] = spec.accessModes ?? [];
  const field = `${path}.accessModes`;
  return modes.length === 0 ? [required(field)] : checkAccessModes(modes, field);
}

/** The spec of a PersistentVolume. */
export function checkVolumeSpec(spec: PersistentVolumeSpec, path: string, volumeName: string): StatusCause[] {
  const { persistentVolumeReclaimPolicy: policy, storageClassName: storageClass, volumeMode } = spec;
  const isPolicy = !policy || RECLAIM_POLICIES.includes(policy);
  const isMode = volumeMode === undefined || VOLUME_MODES.includes(volumeMode);
  return [
    ...checkModes(spec, path),
    ...checkCapacity(spec.capacity, `${path}.capacity`),
    ...(isPolicy ? [] : [notSupported(`${path}.persistentVolumeReclaimPolicy`, policy, RECLAIM_POLICIES)]),
    ...checkNodeAffinity(spec, path),
    ...checkVolumeSource(spec, path, volumeName),
    ...checkHostRoot(spec, path),
    ...(storageClass ? invalidEach(`${path}.storageClassName`, storageClass, checkDns1123Subdomain(storageClass)) : []),
    ...(isMode ? [] : [notSupported(`${path}.volumeMode`, volumeMode, VOLUME_MODES)]),
    ...checkAttributesClass(spec, path),
  ];
}

const INLINE = "in the context of inline volumes";

/** The spec of a volume that a VolumeAttachment carries itself (KEP-625): CSI only, and nothing that binding needs. */
export function checkInlineVolumeSpec(spec: PersistentVolumeSpec, path: string): StatusCause[] {
  const { persistentVolumeReclaimPolicy: policy, volumeMode } = spec;
  const notHere = (name: keyof PersistentVolumeSpec) =>
    fieldForbidden(`${path}.${name}`, `may not be specified ${INLINE}`);
  const causes: StatusCause[] = [];
  if (spec.claimRef) causes.push(notHere("claimRef"));
  if (Object.keys(spec.capacity ?? {}).length > 0) causes.push(notHere("capacity"));
  if (!spec.csi) causes.push(required(`${path}.csi`, `has to be specified ${INLINE}`));
  causes.push(...checkModes(spec, path));
  if (policy && policy !== "Retain") {
    causes.push(fieldForbidden(`${path}.persistentVolumeReclaimPolicy`, `may only be Retain ${INLINE}`));
  }
  if (spec.nodeAffinity) causes.push(notHere("nodeAffinity"));
  causes.push(...checkVolumeSource(spec, path, ""), ...checkHostRoot(spec, path));
  if (spec.storageClassName) causes.push(notHere("storageClassName"));
  if (volumeMode !== undefined && volumeMode !== "Filesystem") {
    causes.push(fieldForbidden(`${path}.volumeMode`, `may not specify volumeMode other than Filesystem ${INLINE}`));
  }
  return [...causes, ...checkAttributesClass(spec, path)];
}
