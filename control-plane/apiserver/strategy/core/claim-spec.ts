import {
  fieldForbidden,
  invalidEach,
  invalidValue,
  notSupported,
  required,
} from "../../../../shared/api/field-error.ts";
import { checkDns1123Label, checkDns1123Subdomain } from "../../../../shared/api/names.ts";
import { compareQuantities, milliUnits, parseQuantity, ZERO_QUANTITY } from "../../../../shared/api/quantity.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type {
  PersistentVolumeClaimSpec,
  TypedLocalObjectReference,
  TypedObjectReference,
} from "../../../../shared/api/types.ts";
import { checkLabelSelector } from "../label-selector.ts";
import { checkResourceQuantity } from "../pod-spec/resources.ts";

export const ACCESS_MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
export const VOLUME_MODES = ["Block", "Filesystem"];

/** Known modes, and ReadWriteOncePod alone. */
export function checkAccessModes(modes: string[], field: string): StatusCause[] {
  const causes = modes
    .filter((mode) => !ACCESS_MODES.includes(mode))
    .map((mode) => notSupported(field, mode, ACCESS_MODES));
  const known = modes.filter((mode) => ACCESS_MODES.includes(mode));
  if (known.includes("ReadWriteOncePod") && known.some((mode) => mode !== "ReadWriteOncePod")) {
    causes.push(fieldForbidden(field, "may not use ReadWriteOncePod with other access modes"));
  }
  return causes;
}

function checkDataSource(source: TypedLocalObjectReference | TypedObjectReference, path: string): StatusCause[] {
  const { name, kind = "", apiGroup = "" } = source;
  const causes: StatusCause[] = [];
  if (!name) causes.push(required(`${path}.name`));
  if (!kind) causes.push(required(`${path}.kind`));
  if (!apiGroup && kind !== "PersistentVolumeClaim") {
    causes.push(invalidValue(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  }
  if (apiGroup) causes.push(...invalidEach(`${path}.apiGroup`, apiGroup, checkDns1123Subdomain(apiGroup)));
  const namespace = "namespace" in source ? source.namespace : undefined;
  if (namespace) causes.push(...invalidEach(`${path}.namespace`, namespace, checkDns1123Label(namespace)));
  return causes;
}

/** The spec of a claim: of its own, in a StatefulSet's template, or of an ephemeral volume. */
export function checkClaimSpec(spec: PersistentVolumeClaimSpec, path: string): StatusCause[] {
  const modes = spec.accessModes ?? [];
  const causes: StatusCause[] = [];
  if (modes.length === 0) causes.push(required(`${path}.accessModes`, "at least 1 access mode is required"));
  causes.push(
    ...checkLabelSelector(spec.selector, `${path}.selector`),
    ...checkAccessModes(modes, `${path}.accessModes`),
  );
  const storage = spec.resources?.requests?.storage;
  const storageField = `${path}.resources[storage]`;
  if (storage === undefined) causes.push(required(storageField));
  else if (compareQuantities(parseQuantity(storage), ZERO_QUANTITY) <= 0) {
    causes.push(invalidValue(storageField, storage, "must be greater than zero"));
  } else causes.push(...checkResourceQuantity("storage", parseQuantity(storage), storageField));
  if (spec.storageClassName) {
    causes.push(
      ...invalidEach(`${path}.storageClassName`, spec.storageClassName, checkDns1123Subdomain(spec.storageClassName)),
    );
  }
  if (spec.volumeMode !== undefined && !VOLUME_MODES.includes(spec.volumeMode)) {
    causes.push(notSupported(`${path}.volumeMode`, spec.volumeMode, VOLUME_MODES));
  }
  const { dataSource, dataSourceRef } = spec;
  if (dataSource) causes.push(...checkDataSource(dataSource, `${path}.dataSource`));
  if (dataSourceRef) causes.push(...checkDataSource(dataSourceRef, `${path}.dataSourceRef`));
  if (dataSource && dataSourceRef?.namespace) {
    causes.push(invalidValue(path, {}, "may not be specified when dataSourceRef.namespace is specified"));
  } else if (dataSource && dataSourceRef && !isSameSource(dataSource, dataSourceRef)) {
    causes.push(invalidValue(path, {}, "must match dataSourceRef"));
  }
  const attributesClass = spec.volumeAttributesClassName;
  if (attributesClass) {
    causes.push(
      ...invalidEach(`${path}.volumeAttributesClassName`, attributesClass, checkDns1123Subdomain(attributesClass)),
    );
  }
  return causes;
}

const isSameSource = (a: TypedLocalObjectReference, b: TypedObjectReference) =>
  a.apiGroup === b.apiGroup && a.kind === b.kind && a.name === b.name;

/** Of the spec of a claim, or of a template of one, at `path`. */
export function storageWarnings(resources: PersistentVolumeClaimSpec["resources"], path: string): string[] {
  return (["requests", "limits"] as const).flatMap((list) => {
    const amount = resources?.[list]?.storage;
    // Thousandths, rounded up: finer ones are not seen.
    if (amount === undefined || milliUnits(parseQuantity(amount)) % 1000 === 0) return [];
    const field = `${path}.resources.${list}[storage]`;
    return [`${field}: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`];
  });
}
