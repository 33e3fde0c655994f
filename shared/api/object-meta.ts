import {
  FIELD_IMMUTABLE,
  fieldForbidden,
  invalidEach,
  invalidValue,
  NOT_NEGATIVE,
  quote,
  required,
  tooLong,
} from "./field-error.ts";
import { checkLabelValue, checkQualifiedName, type NameRule, nameIsLabel, nameIsSubdomain } from "./names.ts";
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from "./object.ts";
import type { StatusCause } from "./status.ts";
import { utf8Length } from "./utf8.ts";

/** All annotations of an object together (256 KiB). */
export const MAX_ANNOTATION_BYTES = 256 * 1024;
const MAX_MANAGER_BYTES = 128;
const MAX_SUBRESOURCE_BYTES = 256;

export function validateLabels(labels: Record<string, string> | undefined, field: string): StatusCause[] {
  const causes: StatusCause[] = [];
  for (const [key, value] of Object.entries(labels ?? {})) {
    causes.push(...invalidEach(field, key, checkQualifiedName(key)));
    causes.push(...invalidEach(field, value, checkLabelValue(value)));
  }
  return causes;
}

export function validateAnnotations(annotations: Record<string, string> | undefined, field: string): StatusCause[] {
  const causes: StatusCause[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    causes.push(...invalidEach(field, key, checkQualifiedName(key.toLowerCase())));
    bytes += utf8Length(key) + utf8Length(value);
  }
  if (bytes > MAX_ANNOTATION_BYTES) causes.push(tooLong(field, MAX_ANNOTATION_BYTES));
  return causes;
}

function validateOwnerReferences(references: OwnerReference[] | undefined, field: string): StatusCause[] {
  const causes: StatusCause[] = [];
  let controller = "";
  for (const reference of references ?? []) {
    const apiVersion = reference.apiVersion ?? "";
    const parts = apiVersion.split("/");
    if (apiVersion === "" || parts.length > 2 || parts[parts.length - 1] === "") {
      causes.push(invalidValue(`${field}.apiVersion`, apiVersion, "version must not be empty"));
    }
    if (!reference.kind) causes.push(invalidValue(`${field}.kind`, "", "must not be empty"));
    if (!reference.name) causes.push(invalidValue(`${field}.name`, "", "must not be empty"));
    if (!reference.uid) causes.push(invalidValue(`${field}.uid`, "", "must not be empty"));
    if (apiVersion === "v1" && reference.kind === "Event") {
      causes.push(invalidValue(field, reference, "/v1, Kind=Event is disallowed from being an owner"));
    }
    if (!reference.controller) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === "") controller = name;
    else {
      causes.push(
        invalidValue(
          field,
          references,
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`,
        ),
      );
    }
  }
  return causes;
}

function validateFinalizers(finalizers: string[] | undefined, field: string): StatusCause[] {
  const list = finalizers ?? [];
  const causes = list.flatMap((finalizer) => invalidEach(field, finalizer, checkQualifiedName(finalizer)));
  if (list.includes("orphan") && list.includes("foregroundDeletion")) {
    causes.push(invalidValue(field, list, "finalizer orphan and foregroundDeletion cannot be both set"));
  }
  return causes;
}

function validateManagedFields(entries: ManagedFieldsEntry[] | undefined, field: string): StatusCause[] {
  return (entries ?? []).flatMap((entry, index) => {
    const path = `${field}[${index}]`;
    const causes: StatusCause[] = [];
    if (entry.operation !== "Apply" && entry.operation !== "Update") {
      causes.push(invalidValue(`${path}.operation`, entry.operation ?? "", "must be `Apply` or `Update`"));
    }
    if (entry.fieldsType && entry.fieldsType !== "FieldsV1") {
      causes.push(invalidValue(`${path}.fieldsType`, entry.fieldsType, "must be `FieldsV1`"));
    }
    if (utf8Length(entry.manager ?? "") > MAX_MANAGER_BYTES) {
      causes.push(tooLong(`${path}.manager`, MAX_MANAGER_BYTES));
    }
    if (utf8Length(entry.subresource ?? "") > MAX_SUBRESOURCE_BYTES) {
      causes.push(tooLong(`${path}.subresource`, MAX_SUBRESOURCE_BYTES));
    }
    return causes;
  });
}

/**
 * Metadata of an object that is created: the name has been generated already.
 * @param options.nameRule by default a DNS subdomain
 * @returns causes in upstream's order; empty when valid
 */
export function validateObjectMeta(
  meta: ObjectMeta,
  options: { namespaced: boolean; nameRule?: NameRule },
  field = "metadata",
): StatusCause[] {
  const nameRule = options.nameRule ?? nameIsSubdomain;
  const causes: StatusCause[] = [];
  if (meta.generateName) {
    causes.push(...invalidEach(`${field}.generateName`, meta.generateName, nameRule(meta.generateName, true)));
  }
  if (!meta.name) causes.push(required(`${field}.name`, "name or generateName is required"));
  else causes.push(...invalidEach(`${field}.name`, meta.name, nameRule(meta.name, false)));

  if (!options.namespaced) {
    if (meta.namespace) causes.push(fieldForbidden(`${field}.namespace`, "not allowed on this type"));
  } else if (!meta.namespace) causes.push(required(`${field}.namespace`));
  else causes.push(...invalidEach(`${field}.namespace`, meta.namespace, nameIsLabel(meta.namespace, false)));

  if ((meta.generation ?? 0) < 0) {
    causes.push(invalidValue(`${field}.generation`, meta.generation, NOT_NEGATIVE));
  }
  causes.push(
    ...validateLabels(meta.labels, `${field}.labels`),
    ...validateAnnotations(meta.annotations, `${field}.annotations`),
    ...validateOwnerReferences(meta.ownerReferences, `${field}.ownerReferences`),
    ...validateFinalizers(meta.finalizers, `${field}.finalizers`),
    ...validateManagedFields(meta.managedFields, `${field}.managedFields`),
  );
  return causes;
}

/** Metadata that the client may not change; `new` has been filled by the server where the client may leave it out. */
const IMMUTABLE_META = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/** Strings print as "" when absent, times and pointers as null. */
const absentMeta = (name: (typeof IMMUTABLE_META)[number]) =>
  name === "name" || name === "namespace" || name === "uid" ? "" : null;

/** Metadata of an update, against what is stored. Causes in upstream's order. */
export function validateObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta, field = "metadata"): StatusCause[] {
  const causes: StatusCause[] = [];
  if (old.deletionTimestamp) {
    const before = new Set(old.finalizers ?? []);
    const added = [...new Set(meta.finalizers ?? [])].filter((finalizer) => !before.has(finalizer)).sort();
    if (added.length > 0) {
      causes.push(
        fieldForbidden(
          `${field}.finalizers`,
          `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map(quote).join(", ")}}`,
        ),
      );
    }
  }
  if (!meta.resourceVersion) {
    causes.push(
      invalidValue(`${field}.resourceVersion`, meta.resourceVersion ?? "", "must be specified for an update"),
    );
  }
  if ((meta.generation ?? 0) < (old.generation ?? 0)) {
    causes.push(invalidValue(`${field}.generation`, meta.generation ?? 0, "must not be decremented"));
  }
  for (const name of IMMUTABLE_META) {
    const value = meta[name] ?? absentMeta(name);
    if (value !== (old[name] ?? absentMeta(name))) {
      causes.push(invalidValue(`${field}.${name}`, value, FIELD_IMMUTABLE));
    }
  }
  causes.push(
    ...validateLabels(meta.labels, `${field}.labels`),
    ...validateAnnotations(meta.annotations, `${field}.annotations`),
    ...validateOwnerReferences(meta.ownerReferences, `${field}.ownerReferences`),
    ...validateManagedFields(meta.managedFields, `${field}.managedFields`),
  );
  return causes;
}
