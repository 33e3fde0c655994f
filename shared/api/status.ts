import { type GroupResource, printGroupResource } from "./group-resource.ts";

/** metav1.StatusReason, the ones this API gives. */
export type StatusReason =
  | "Unauthorized"
  | "Forbidden"
  | "NotFound"
  | "AlreadyExists"
  | "Conflict"
  | "Gone"
  | "Expired"
  | "Invalid"
  | "ServerTimeout"
  | "Timeout"
  | "TooManyRequests"
  | "BadRequest"
  | "MethodNotAllowed"
  | "NotAcceptable"
  | "RequestEntityTooLarge"
  | "UnsupportedMediaType"
  | "InternalError"
  | "ServiceUnavailable"
  | "";

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** metav1.Status, as it goes over the wire. */
export interface Status {
  kind: "Status";
  apiVersion: "v1";
  /** Of a list that cannot go on as it was: a token to go on with all the same. */
  metadata: { continue?: string };
  status: "Success" | "Failure";
  message?: string;
  reason?: StatusReason;
  details?: StatusDetails;
  code: number;
}

/** The one error of the API, on both sides of it: carries a Status. */
export class ApiError extends Error {
  readonly status: Status;

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? status.reason ?? `HTTP ${status.code}`, options);
    this.name = "ApiError";
    this.status = status;
  }
}

export function failure(code: number, reason: StatusReason, message: string, details?: StatusDetails): ApiError {
  return new ApiError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    ...(reason === "" ? {} : { reason }),
    ...(details ? { details } : {}),
    code,
  });
}

/** StatusDetails names the resource in `kind` (upstream's habit), and leaves the core group out. */
function detailsOf({ group, resource }: GroupResource, name?: string): StatusDetails {
  return { ...(name ? { name } : {}), ...(group ? { group } : {}), kind: resource };
}

export const notFound = (gr: GroupResource, name: string) =>
  failure(404, "NotFound", `${printGroupResource(gr)} "${name}" not found`, detailsOf(gr, name));

/** The path itself is unknown. */
export const pathNotFound = () => failure(404, "NotFound", "the server could not find the requested resource", {});

export const alreadyExists = (gr: GroupResource, name: string) =>
  failure(409, "AlreadyExists", `${printGroupResource(gr)} "${name}" already exists`, detailsOf(gr, name));

export const conflict = (gr: GroupResource, name: string, why: string) =>
  failure(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${printGroupResource(gr)} "${name}": ${why}`,
    detailsOf(gr, name),
  );

/** The compare-and-swap conflict that client-go retries on. */
export const OBJECT_MODIFIED =
  "the object has been modified; please apply your changes to the latest version and try again";

export const badRequest = (message: string) => failure(400, "BadRequest", message);

export const unauthorized = () => failure(401, "Unauthorized", "Unauthorized");

export const forbidden = (gr: GroupResource, name: string, why: string) =>
  failure(
    403,
    "Forbidden",
    name === ""
      ? `${printGroupResource(gr)} is forbidden: ${why}`
      : `${printGroupResource(gr)} "${name}" is forbidden: ${why}`,
    detailsOf(gr, name),
  );

/** `causes` in upstream's order; the message joins them as field.ErrorList does. */
export function invalid(gk: { group: string; kind: string }, name: string, causes: StatusCause[]): ApiError {
  const texts = causes.map((c) => `${c.field}: ${c.message}`);
  const unique = [...new Set(texts)];
  const joined = unique.length === 1 ? unique[0] : `[${unique.join(", ")}]`;
  const printed = gk.group === "" ? gk.kind : `${gk.kind}.${gk.group}`;
  return failure(422, "Invalid", `${printed} "${name}" is invalid${texts.length ? `: ${joined}` : ""}`, {
    ...(name ? { name } : {}),
    ...(gk.group ? { group: gk.group } : {}),
    ...(gk.kind ? { kind: gk.kind } : {}),
    ...(causes.length ? { causes } : {}),
  });
}

export const expired = (message: string) => failure(410, "Expired", message);

export const methodNotAllowed = (gr: GroupResource, action: string) =>
  failure(
    405,
    "MethodNotAllowed",
    `${action} is not supported on resources of kind "${printGroupResource(gr)}"`,
    detailsOf(gr),
  );

export const notAcceptable = (accepted: string[]) =>
  failure(406, "NotAcceptable", `only the following media types are accepted: ${accepted.join(", ")}`);

export const unsupportedMediaType = (accepted: string[]) =>
  failure(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );

/** A body over the server's limit (3 MiB). */
export const requestTooLarge = (message: string) => failure(413, "RequestEntityTooLarge", message);

export const internalError = (message: string) =>
  failure(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });

export const tooManyRequests = (message: string, retryAfterSeconds: number) =>
  failure(429, "TooManyRequests", message, { retryAfterSeconds });

export const serviceUnavailable = (message: string) => failure(503, "ServiceUnavailable", message);

const reasonOf = (error: unknown): StatusReason | undefined =>
  error instanceof ApiError ? error.status.reason : undefined;

export const isNotFound = (error: unknown) => reasonOf(error) === "NotFound";
export const isAlreadyExists = (error: unknown) => reasonOf(error) === "AlreadyExists";
export const isConflict = (error: unknown) => reasonOf(error) === "Conflict";
/**
 * For `catch` after a write that holds for one version or uid alone: the object that it was meant for is not there any more.
 * @throws any other error
 */
export function ignoreStale(error: unknown): void {
  if (!isNotFound(error) && !isConflict(error)) throw error;
}

export const isExpired = (error: unknown) => reasonOf(error) === "Expired" || reasonOf(error) === "Gone";
export const isForbidden = (error: unknown) => reasonOf(error) === "Forbidden";
export const isInvalid = (error: unknown) => reasonOf(error) === "Invalid";
