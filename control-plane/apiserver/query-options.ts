import { fieldForbidden, invalidValue, notSupported, required, tooLong } from "../../shared/api/field-error.ts";
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

/** Options of list, watch and deletecollection. */
export interface ListOptions {
  /** Undefined: no limit. */
  limit?: number;
  continue: string;
  resourceVersion: string;
  resourceVersionMatch: string;
  timeoutSeconds?: number;
  allowWatchBookmarks: boolean;
  sendInitialEvents?: boolean;
}

/** @throws ApiError 400 for what is no number, 422 for combinations that are not allowed */
export function parseListOptions(query: URLSearchParams, watch: boolean): ListOptions {
  const sendInitialEvents = query.get("sendInitialEvents");
  const limit = parseInteger(query.get("limit"));
  const options: ListOptions = {
    ...(limit !== undefined && limit > 0 ? { limit } : {}),
    continue: query.get("continue") ?? "",
    resourceVersion: query.get("resourceVersion") ?? "",
    resourceVersionMatch: query.get("resourceVersionMatch") ?? "",
    timeoutSeconds: parseInteger(query.get("timeoutSeconds")),
    allowWatchBookmarks: parseFlag(query.get("allowWatchBookmarks")),
    ...(sendInitialEvents === null ? {} : { sendInitialEvents: parseFlag(sendInitialEvents) }),
  };
  const causes = watch ? checkWatchOptions(options) : checkListOptions(options);
  if (causes.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", causes);
  return options;
}

/** Upstream's conversion of a query value to a boolean: anything but false and 0 is true. */
const parseFlag = (value: string | null): boolean => value !== null && !["false", "0"].includes(value.toLowerCase());

/** @throws ApiError 400, in the words of Go's strconv */
export function parseInteger(value: string | null): number | undefined {
  if (value === null) return undefined;
  if (!/^[+-]?\d+$/.test(value)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
  }
  const parsed = Number(value);
  if (!Number.isSafeInteger(parsed)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: value out of range`);
  }
  return parsed;
}

const MATCH = "resourceVersionMatch";

function checkListOptions(options: ListOptions): StatusCause[] {
  const { resourceVersionMatch: match, resourceVersion } = options;
  const causes: StatusCause[] = [];
  if (match !== "") {
    if (resourceVersion === "") {
      causes.push(fieldForbidden(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`));
    }
    if (options.continue !== "") {
      causes.push(fieldForbidden(MATCH, `${MATCH} is forbidden when continue is provided`));
    }
    if (match !== "Exact" && match !== "NotOlderThan") {
      causes.push(notSupported(MATCH, match, ["Exact", "NotOlderThan", ""]));
    }
    if (match === "Exact" && resourceVersion === "0") {
      causes.push(fieldForbidden(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    causes.push(fieldForbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return causes;
}

function checkWatchOptions(options: ListOptions): StatusCause[] {
  const { resourceVersionMatch: match, sendInitialEvents } = options;
  const causes: StatusCause[] = [];
  if (sendInitialEvents !== undefined && match !== "NotOlderThan") {
    causes.push(fieldForbidden(MATCH, `sendInitialEvents requires setting ${MATCH} to NotOlderThan`));
  }
  if (match !== "") {
    if (sendInitialEvents === undefined) {
      causes.push(fieldForbidden(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`));
    }
    if (match !== "NotOlderThan") causes.push(notSupported(MATCH, match, ["NotOlderThan"]));
    if (options.continue !== "") {
      causes.push(fieldForbidden(MATCH, `${MATCH} is forbidden when continue is provided`));
    }
  }
  return causes;
}

/**
 * A resourceVersion as a revision; "" and "0" both mean none in particular.
 * @throws ApiError 400 or 422 for what is no number
 */
export function parseRevision(resourceVersion: string): number | undefined {
  if (resourceVersion === "" || resourceVersion === "0") return undefined;
  if (!/^\d{1,15}$/.test(resourceVersion)) {
    throw invalid({ group: "", kind: "" }, "", [
      {
        reason: "FieldValueInvalid",
        field: "resourceVersion",
        message: `Invalid value: ${JSON.stringify(resourceVersion)}: strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`,
      },
    ]);
  }
  return Number(resourceVersion);
}
