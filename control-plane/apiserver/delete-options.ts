import { notSupported } from "../../shared/api/field-error.ts";
import { isJsonObject } from "../../shared/api/json.ts";
import { badRequest, invalid, type StatusCause } from "../../shared/api/status.ts";
import { parseBody } from "./decode.ts";
import { checkDryRun, parseInteger } from "./query-options.ts";

/** meta/v1 DeleteOptions, from the body or else from the query. */
export interface DeleteOptions {
  gracePeriodSeconds?: number;
  propagationPolicy?: "Foreground" | "Background" | "Orphan";
  /** The old form of propagationPolicy. */
  orphanDependents?: boolean;
  uid?: string;
  resourceVersion?: string;
  dryRun: boolean;
}

const POLICIES = ["Foreground", "Background", "Orphan"];

/** A body, even an empty object, makes the query count for nothing (upstream's rule). */
export function parseDeleteOptions(body: string, contentType: string | null, query: URLSearchParams): DeleteOptions {
  return body === "" ? fromQuery(query) : fromBody(parseBody(body, contentType, "DeleteOptions"));
}

/** @throws ApiError 400 for what is no DeleteOptions, 422 for values that are not allowed */
export const fromBody = (value: unknown): DeleteOptions => checkDeleteOptions(uncheckedFromBody(value));

/**
 * As the client sent them.
 * @throws ApiError 400 for what is no DeleteOptions
 */
export function uncheckedFromBody(value: unknown): UncheckedDeleteOptions {
  if (!isJsonObject(value)) throw badRequest("decoded object cannot be converted to DeleteOptions");
  if (typeof value.kind === "string" && value.kind !== "" && value.kind !== "DeleteOptions") {
    throw badRequest("decoded object cannot be converted to DeleteOptions");
  }
  const preconditions = isJsonObject(value.preconditions) ? value.preconditions : {};
  return {
    gracePeriodSeconds: typeof value.gracePeriodSeconds === "number" ? value.gracePeriodSeconds : undefined,
    propagationPolicy: typeof value.propagationPolicy === "string" ? value.propagationPolicy : undefined,
    orphanDependents: typeof value.orphanDependents === "boolean" ? value.orphanDependents : undefined,
    uid: typeof preconditions.uid === "string" ? preconditions.uid : undefined,
    resourceVersion: typeof preconditions.resourceVersion === "string" ? preconditions.resourceVersion : undefined,
    dryRun: Array.isArray(value.dryRun) ? value.dryRun.map(String) : [],
  };
}

function fromQuery(query: URLSearchParams): DeleteOptions {
  const orphan = query.get("orphanDependents");
  return checkDeleteOptions({
    gracePeriodSeconds: parseInteger(query.get("gracePeriodSeconds")),
    propagationPolicy: query.get("propagationPolicy") ?? undefined,
    orphanDependents: orphan === null ? undefined : !["false", "0"].includes(orphan.toLowerCase()),
    dryRun: query.getAll("dryRun"),
  });
}

export type UncheckedDeleteOptions = Omit<DeleteOptions, "dryRun" | "propagationPolicy"> & {
  dryRun: string[];
  propagationPolicy?: string;
};

/** @throws ApiError 422 for values that are not allowed */
export function checkDeleteOptions({ dryRun, propagationPolicy, ...rest }: UncheckedDeleteOptions): DeleteOptions {
  const causes: StatusCause[] = [];
  if (propagationPolicy !== undefined && rest.orphanDependents !== undefined) {
    causes.push({
      reason: "FieldValueInvalid",
      field: "propagationPolicy",
      message: `Invalid value: ${JSON.stringify(propagationPolicy)}: orphanDependents and deletionPropagation cannot be both set`,
    });
  }
  if (propagationPolicy !== undefined && !POLICIES.includes(propagationPolicy)) {
    causes.push(notSupported("propagationPolicy", propagationPolicy, [...POLICIES, "nil"]));
  }
  causes.push(...checkDryRun(dryRun));
  if (causes.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", causes);
  return {
    ...rest,
    propagationPolicy: propagationPolicy as DeleteOptions["propagationPolicy"],
    dryRun: dryRun.length > 0,
  };
}
