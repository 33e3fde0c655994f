import type { UpstreamFailure } from "./upstream.ts";

/** Answers of the front door itself, when workerd gives none. */
export interface OwnAnswer {
  code: number;
  headers: Record<string, string>;
  body: string;
}

/** workerd starts in well under a second. */
const RETRY_AFTER_SECONDS = 1;

function answer(code: number, reason: string, message: string, retryAfterSeconds?: number): OwnAnswer {
  const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, details, code };
  const body = JSON.stringify(status);
  return {
    code,
    body,
    headers: {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
      ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
    },
  };
}

/** client-go waits and sends the request again on a Retry-After, so it is given only where that is harmless. */
const STARTING = answer(
  503,
  "ServiceUnavailable",
  "the control plane is starting again; please retry",
  RETRY_AFTER_SECONDS,
);
const BROKEN = answer(
  500,
  "InternalError",
  "Internal error occurred: the control plane ended while it served this request, which may or may not have been carried out",
);

/** To a method that the API does not have: upstream's answer. */
export const NOT_ALLOWED = answer(
  405,
  "MethodNotAllowed",
  "the server does not allow this method on the requested resource",
);

export const answerFailure = ({ isSafeToRepeat }: UpstreamFailure): OwnAnswer => (isSafeToRepeat ? STARTING : BROKEN);
