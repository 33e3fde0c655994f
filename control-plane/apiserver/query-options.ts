import { fieldForbidden, invalidValue, notSupported, required, tooLong } from "../../shared/api/field-error.ts";
import { parseInt64 } from "../../shared/api/int64.ts";
import { badRequest, invalid, type StatusCause } from "../../shared/api/status.ts";

/** Options of a write, from the query. */
export interface WriteOptions {
  dryRun: boolean;
  fieldValidation: "Ignore" | "Warn" | "Strict";
  fieldManager: string;
}

export interface PatchOptions extends WriteOptions {
  /** An apply takes fields over from other managers. */
  force: boolean;
}

const FIELD_VALIDATIONS = ["Ignore", "Strict", "Warn"] as const;
const MAX_FIELD_MANAGER = 128;

/**
 * @param kind CreateOptions, UpdateOptions or PatchOptions, which errors name
 * @throws ApiError 422
 */
export function parseWriteOptions(query: URLSearchParams, kind: string): WriteOptions {
  if (query.size === 0) return { dryRun: false, fieldValidation: "Warn", fieldManager: "" };
  const causes = checkWriteOptions(query);
  if (causes.length > 0) throw invalid({ group: "meta.k8s.io", kind }, "", causes);
  return readWriteOptions(query);
}

/**
 * Options of a PATCH; an apply has one more, and must say who applies.
 * @throws ApiError 422
 */
export function parsePatchOptions(query: URLSearchParams, isApply: boolean): PatchOptions {
  const force = query.get("force");
  const causes: StatusCause[] = [];
  if (!isApply && force !== null) causes.push(fieldForbidden("force", "may not be specified for non-apply patch"));
  if (isApply && !query.get("fieldManager")) causes.push(required("fieldManager", "is required for apply patch"));
  causes.push(...checkWriteOptions(query));
  if (causes.length > 0) throw invalid({ group: "meta.k8s.io", kind: "PatchOptions" }, "", causes);
  return { ...readWriteOptions(query), force: parseFlag(force) };
}

function readWriteOptions(query: URLSearchParams): WriteOptions {
  return {
    dryRun: query.has("dryRun"),
    fieldValidation: (query.get("fieldValidation") || "Warn") as WriteOptions["fieldValidation"],
    fieldManager: query.get("fieldManager") ?? "",
  };
}

function checkWriteOptions(query: URLSearchParams): StatusCause[] {
  const dryRun = query.getAll("dryRun");
  const fieldValidation = query.get("fieldValidation") ?? "";
  const fieldManager = query.get("fieldManager") ?? "";
  const causes: StatusCause[] = [];
  if (new TextEncoder().encode(fieldManager).length > MAX_FIELD_MANAGER) {
    causes.push(tooLong("fieldManager", MAX_FIELD_MANAGER));
  }
  const chars = Array.from(fieldManager);
  const unprintable = chars.findIndex((char) => !/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char));
  if (unprintable >= 0) {
    const code = chars[unprintable]!.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
    const why = `invalid character U+${code} (at position ${unprintable})`;
    causes.push(invalidValue("fieldManager", fieldManager, why));
  }
  causes.push(...checkDryRun(dryRun));
  if (fieldValidation !== "" && !(FIELD_VALIDATIONS as readonly string[]).includes(fieldValidation)) {
    causes.push(notSupported("fieldValidation", fieldValidation, ["", ...FIELD_VALIDATIONS]));
  }
  return causes;
}

export function checkDryRun(values: readonly string[]): StatusCause[] {
  const unique = [...new Set(values)];
  if (unique.length === 0 || (unique.length === 1 && unique[0] === "All")) return [];
  return [notSupported("dryRun", values, ["All"])];
}

/** Upstream's conversion of a query value to a boolean: anything but false and 0 is true. */
export const parseFlag = (value: string | null): boolean =>
  value !== null && !["false", "0"].includes(value.toLowerCase());

/** @throws ApiError 400, in the words of Go's strconv */
export function parseInteger(value: string | null): number | undefined {
  if (value === null) return undefined;
  if (!/^[+-]?\d+$/.test(value)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
  }
  const parsed = parseInt64(value);
  if (parsed === undefined) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: value out of range`);
  }
  return Number(parsed);
}
