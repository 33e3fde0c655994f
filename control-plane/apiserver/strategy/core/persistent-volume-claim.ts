import {
  FIELD_IMMUTABLE,
  fieldForbidden,
  invalidEach,
  invalidValue,
  notSupported,
  required,
} from "../../../../shared/api/field-error.ts";
import { checkQualifiedName } from "../../../../shared/api/names.ts";
import { compareQuantities, parseQuantity } from "../../../../shared/api/quantity.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "../../../../shared/api/types.ts";
import { isEqual } from "../equality.ts";
import { diffInternal } from "../internal-form/index.ts";
import { checkResourceQuantity, isNativeResource } from "../pod-spec/resources.ts";
import type { Strategy } from "../strategy.ts";
import { checkClaimSpec, storageWarnings } from "./claim-spec.ts";
import { checkAmount } from "./volume-spec.ts";

/** How a claim named its class before there was a field; it wins over the field. */
export const BETA_STORAGE_CLASS = "volume.beta.kubernetes.io/storage-class";
const FORBIDDEN =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n";

/** Before there was `dataSourceRef`, a source of any other kind was ignored; it still is (KEP-1495). */
function dropUnknownSource(spec: PersistentVolumeClaimSpec | undefined, old?: PersistentVolumeClaimSpec): void {
  if (!spec || old?.dataSource || old?.dataSourceRef || spec.dataSourceRef) return;
  const { kind, apiGroup } = spec.dataSource ?? {};
  const isClaim = kind === "PersistentVolumeClaim" && !apiGroup;
  const isSnapshot = kind === "VolumeSnapshot" && apiGroup === "snapshot.storage.k8s.io";
  if (!isClaim && !isSnapshot) delete spec.dataSource;
}

/** Sources in other namespaces are behind the feature gate CrossNamespaceVolumeDataSource, which is off. */
function dropForeignSource(spec: PersistentVolumeClaimSpec | undefined, old?: PersistentVolumeClaimSpec): void {
  if (spec?.dataSourceRef?.namespace && !old?.dataSourceRef) delete spec.dataSourceRef;
}

/** `dataSource` and `dataSourceRef` are two spellings of one wish. */
function alignSources(spec: PersistentVolumeClaimSpec | undefined): void {
  if (!spec) return;
  const { dataSource, dataSourceRef } = spec;
  if (dataSource && !dataSourceRef) spec.dataSourceRef = { ...dataSource };
  else if (dataSourceRef && !dataSource && !dataSourceRef.namespace) {
    const { apiGroup, kind, name } = dataSourceRef;
    spec.dataSource = { ...(apiGroup === undefined ? {} : { apiGroup }), kind, name };
  }
}

const storageOf = (list: Record<string, string> | undefined) => parseQuantity(list?.storage ?? "0");

function withStorage(spec: PersistentVolumeClaimSpec, storage: string | undefined): PersistentVolumeClaimSpec {
  if (!spec.resources?.requests) return spec;
  const { storage: _own, ...requests } = spec.resources.requests;
  return {
    ...spec,
    resources: { ...spec.resources, requests: storage === undefined ? requests : { ...requests, storage } },
  };
}

function validateUpdate(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): StatusCause[] {
  const causes = checkClaimSpec(claim.spec ?? {}, "spec");
  let spec = { ...claim.spec };
  const before = { ...old.spec };
  if (!before.volumeName) before.volumeName = spec.volumeName;
  const annotation = claim.metadata.annotations?.[BETA_STORAGE_CLASS];
  const oldAnnotation = old.metadata.annotations?.[BETA_STORAGE_CLASS];
  const isFirstClass = before.storageClassName === undefined && spec.storageClassName !== undefined;
  const fits = spec.storageClassName === oldAnnotation;
  if (isFirstClass && fits && (annotation === undefined || annotation === oldAnnotation)) {
    // The annotation becomes the field that took its place.
    delete spec.storageClassName;
  } else {
    if ((annotation ?? "") !== (oldAnnotation ?? "")) {
      const field = `metadata.annotations.${BETA_STORAGE_CLASS}`;
      causes.push(invalidValue(field, annotation ?? "", FIELD_IMMUTABLE));
    }
    // A claim made before there was a default class may get one.
    if (isFirstClass && (oldAnnotation === undefined || fits)) delete spec.storageClassName;
  }
  if (claim.status?.phase === "Bound") {
    spec = withStorage(spec, before.resources?.requests?.storage);
    spec.volumeAttributesClassName = before.volumeAttributesClassName;
  }
  if (!isEqual(spec, before)) {
    causes.push(fieldForbidden("spec", FORBIDDEN + diffInternal(before, spec, "PersistentVolumeClaimSpec")));
  }
  const size = storageOf(claim.spec?.resources?.requests);
  const isShrinking = compareQuantities(size, storageOf(old.spec?.resources?.requests)) < 0;
  if (isShrinking && compareQuantities(size, storageOf(old.status?.capacity)) <= 0) {
    causes.push(fieldForbidden("spec.resources.requests.storage", "field can not be less than status.capacity"));
  }
  if (claim.spec?.volumeMode !== old.spec?.volumeMode) {
    causes.push(invalidValue("volumeMode", claim.spec?.volumeMode, FIELD_IMMUTABLE));
  }
  return [...causes, ...checkAttributesClassUpdate(claim, old)];
}

/** A volume that has a class of attributes never loses it, although it may get another one. */
function checkAttributesClassUpdate({ spec }: PersistentVolumeClaim, old: PersistentVolumeClaim): StatusCause[] {
  const name = spec?.volumeAttributesClassName;
  const hasClass = old.status?.currentVolumeAttributesClassName !== undefined;
  if (!hasClass || name || name === old.spec?.volumeAttributesClassName) return [];
  const to = name === undefined ? "nil" : "empty string";
  const why = `update to ${to} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  return [fieldForbidden("spec.volumeAttributesClassName", why)];
}

const RESIZE_STATUSES = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
].sort();

/** Of Kubernetes' own resources a claim has storage alone. */
function checkResourceKey(name: string, field: string): StatusCause[] {
  const causes = invalidEach(field, name, checkQualifiedName(name));
  if (causes.length > 0) return causes;
  return isNativeResource(name) && name !== "storage" ? [notSupported(field, name, ["storage"])] : [];
}

function validateStatusUpdate({ spec, status }: PersistentVolumeClaim): StatusCause[] {
  const causes = (spec?.accessModes ?? []).length === 0 ? [required("Spec.accessModes")] : [];
  for (const [name, amount] of Object.entries(status?.capacity ?? {})) {
    causes.push(...checkAmount(amount, `status.capacity[${name}]`));
  }
  const statuses = "status.allocatedResourceStatuses";
  for (const [name, value] of Object.entries(status?.allocatedResourceStatuses ?? {})) {
    causes.push(...checkResourceKey(name, statuses));
    if (!RESIZE_STATUSES.includes(value)) causes.push(notSupported(statuses, name, RESIZE_STATUSES));
  }
  const allocated = "status.allocatedResources";
  for (const [name, amount] of Object.entries(status?.allocatedResources ?? {})) {
    const wrongName = checkResourceKey(name, allocated);
    const wrong = wrongName.length > 0 ? wrongName : checkAmount(amount, `${allocated}[${name}]`);
    if (wrong.length > 0) causes.push(...wrong);
    else causes.push(...checkResourceQuantity("storage", parseQuantity(amount), `${allocated}[${name}]`));
  }
  return causes;
}

function warnings({ metadata, spec }: PersistentVolumeClaim): string[] {
  const texts: string[] = [];
  if (metadata.annotations?.[BETA_STORAGE_CLASS] !== undefined) {
    const text = 'deprecated since v1.8; use "storageClassName" attribute instead';
    texts.push(`metadata.annotations[${BETA_STORAGE_CLASS}]: ${text}`);
  }
  return [...texts, ...storageWarnings(spec?.resources, "spec")];
}

export const PERSISTENT_VOLUME_CLAIM_STRATEGY: Strategy<PersistentVolumeClaim> = {
  checksMetaAgain: true,
  prepareForCreate: (claim) => {
    dropForeignSource(claim.spec);
    dropUnknownSource(claim.spec);
    alignSources(claim.spec);
    claim.status = { phase: "Pending" };
  },
  prepareForUpdate: ({ spec }, old) => {
    dropForeignSource(spec, old.spec);
    dropUnknownSource(spec, old.spec);
    alignSources(spec);
  },
  validate: ({ spec }) => checkClaimSpec(spec ?? {}, "spec"),
  validateUpdate,
  validateStatusUpdate,
  warnings,
  fields: ({ metadata }) => ({ name: metadata.name }),
};
