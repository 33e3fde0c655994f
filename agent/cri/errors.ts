import { status as GrpcStatus } from "@grpc/grpc-js";

/** What a caller may want to tell apart; every other gRPC code is "Unknown". */
export type CriErrorCode =
  | "AlreadyExists"
  | "Cancelled"
  | "DeadlineExceeded"
  | "FailedPrecondition"
  | "InvalidArgument"
  | "NotFound"
  | "PermissionDenied"
  | "ResourceExhausted"
  | "Unavailable"
  | "Unimplemented"
  | "Unknown";

const CODES: Record<number, CriErrorCode> = {
  [GrpcStatus.ALREADY_EXISTS]: "AlreadyExists",
  [GrpcStatus.CANCELLED]: "Cancelled",
  [GrpcStatus.DEADLINE_EXCEEDED]: "DeadlineExceeded",
  [GrpcStatus.FAILED_PRECONDITION]: "FailedPrecondition",
  [GrpcStatus.INVALID_ARGUMENT]: "InvalidArgument",
  [GrpcStatus.NOT_FOUND]: "NotFound",
  [GrpcStatus.PERMISSION_DENIED]: "PermissionDenied",
  [GrpcStatus.RESOURCE_EXHAUSTED]: "ResourceExhausted",
  [GrpcStatus.UNAVAILABLE]: "Unavailable",
  [GrpcStatus.UNIMPLEMENTED]: "Unimplemented",
  [GrpcStatus.UNAUTHENTICATED]: "PermissionDenied",
};

/** A call that the container runtime refused or did not answer. `message` reads as a Go gRPC client prints it. */
export class CriError extends Error {
  readonly code: CriErrorCode;
  readonly method: string;
  /** The runtime's own sentence, without the rpc prefix. */
  readonly detail: string;

  constructor(code: CriErrorCode, method: string, detail: string, options?: ErrorOptions) {
    super(`rpc error: code = ${code} desc = ${detail}`, options);
    this.name = "CriError";
    this.code = code;
    this.method = method;
    this.detail = detail;
  }
}

/** The one place where a gRPC failure becomes ours. */
export function toCriError(method: string, error: unknown): CriError {
  if (error instanceof CriError) return error;
  const grpc = error as { code?: number; details?: string; message?: string };
  const code = (grpc.code !== undefined && CODES[grpc.code]) || "Unknown";
  return new CriError(code, method, grpc.details || grpc.message || String(error), { cause: error });
}

const codeOf = (error: unknown) => (error instanceof CriError ? error.code : undefined);

export const isCriNotFound = (error: unknown) => codeOf(error) === "NotFound";
/** The runtime is not running, or its socket is not there. */
export const isCriUnavailable = (error: unknown) => codeOf(error) === "Unavailable";
export const isCriUnimplemented = (error: unknown) => codeOf(error) === "Unimplemented";

/** For `.catch` on calls that may be repeated: what is gone already is as wanted. */
export function ignoreNotFound(error: unknown): undefined {
  if (!isCriNotFound(error)) throw error;
}
