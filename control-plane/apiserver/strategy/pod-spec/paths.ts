import { invalidValue } from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";

/** No `..` among the parts of a path. */
export function checkNoBacksteps(value: string, field: string): StatusCause[] {
  return value.split("/").includes("..") ? [invalidValue(field, value, "must not contain '..'")] : [];
}

/** A relative path that stays below where it starts. */
export function checkDescendingPath(value: string, field: string): StatusCause[] {
  const absolute = value.startsWith("/") ? [invalidValue(field, value, "must be a relative path")] : [];
  return [...absolute, ...checkNoBacksteps(value, field)];
}

/** The same, for files of a volume: names that begin with two dots are the kubelet's. */
export function checkVolumeFilePath(value: string, field: string): StatusCause[] {
  const reserved =
    value.startsWith("..") && !value.startsWith("../") ? [invalidValue(field, value, "must not start with '..'")] : [];
  return [...checkDescendingPath(value, field), ...reserved];
}
