import { notSupported } from "../../shared/api/field-error.ts";
import { isJsonObject, type Json, type JsonObject } from "../../shared/api/json.ts";
import { ApiError, badRequest, invalid, type StatusCause } from "../../shared/api/status.ts";
import { decodeObject, keepRepeatedKeys, lastOfRepeated } from "../../shared/schema/index.ts";
import { parseBody } from "./decode.ts";
import { goKind, jsonParseError, TYPE_META_FIELDS } from "./decode-error.ts";
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

/**
 * A body, even an empty object, makes the query count for nothing (upstream's rule).
 * @throws ApiError 400 for what is no DeleteOptions, 422 for values that are not allowed
 */
export function parseDeleteOptions(body: string, contentType: string | null, query: URLSearchParams): DeleteOptions {
  if (body === "") return fromQuery(query);
  const value = parseBody(body, contentType, KIND, badRequest);
  const isYaml = contentType?.includes("yaml") ?? false;
  return checkDeleteOptions(decodeDeleteOptions(isYaml ? value : keepRepeatedKeys(body, value)));
}

const KIND = "DeleteOptions";
const SCHEMA = `io.k8s.apimachinery.pkg.apis.meta.v1.${KIND}`;
const SCHEME = 'in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"';
/** Kinds that every group has; upstream knows no way from them to DeleteOptions. */
const META_KINDS = new Set(["CreateOptions", "GetOptions", "ListOptions", "PatchOptions", "Status", "UpdateOptions"]);

/** @throws ApiError 400: upstream gives its decoder's words bare here */
function decodeDeleteOptions(value: Json): UncheckedDeleteOptions {
  if (value === null) return uncheckedFromBody({});
  if (!isJsonObject(value)) {
    throw badRequest(
      jsonParseError(`json: cannot unmarshal ${goKind(value)} into Go value of type ${TYPE_META_FIELDS}`),
    );
  }
  const apiVersion = lastOfRepeated(value, "apiVersion");
  const kind = lastOfRepeated(value, "kind");
  for (const [field, member] of Object.entries({ apiVersion, kind })) {
    if (member === undefined || typeof member === "string") continue;
    const why = `json: cannot unmarshal ${goKind(member)} into Go struct field .${field} of type string`;
    throw badRequest(jsonParseError(why));
  }
  if (typeof kind === "string" && kind !== "" && kind !== KIND) {
    if (META_KINDS.has(kind)) throw badRequest(`converting (v1.${kind}) to (v1.${KIND}): unknown conversion`);
    const version = typeof apiVersion === "string" && apiVersion !== "" ? apiVersion : "v1";
    throw badRequest(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)} ${SCHEME}`);
  }
  try {
    return uncheckedFromBody(decodeObject(SCHEMA, value, "Ignore").object);
  } catch (error) {
    if (error instanceof ApiError)
      throw badRequest(error.message.replace(/^.*? cannot be handled as a DeleteOptions: /, ""));
    throw error;
  }
}

/** Decoded ones, as the client sent them. */
export function uncheckedFromBody(value: JsonObject): UncheckedDeleteOptions {
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
    uid: query.get("uid") ?? undefined,
    resourceVersion: query.get("resourceVersion") ?? undefined,
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
