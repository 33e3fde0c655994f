import { type ApiError, failure, internalError, tooManyRequests } from "../../shared/api/status.ts";
import type { TunnelError } from "../../shared/tunnel/index.ts";

const RETRY_AFTER_SECONDS = 1;

/** To whom there is no place left. */
export const TOO_MANY = tooManyRequests("too many requests are open on this node, please try again later", 1);

export const NOT_ALLOWED = failure(
  405,
  "MethodNotAllowed",
  "the server does not allow this method on the requested resource",
);

export const BODY_TOO_SLOW = failure(408, "Timeout", "the request's body did not arrive in time");

/** client-go waits and sends the request again on a Retry-After: it is given only where that is harmless. */
const AWAY = failure(503, "ServiceUnavailable", "the control plane cannot be reached from this node; please retry", {
  retryAfterSeconds: RETRY_AFTER_SECONDS,
});
const BROKEN = internalError(
  "the connection to the control plane was lost; whether the request was carried out is not known",
);
const TOO_LONG = failure(431, "", "the request's address or headers are too long");

/**
 * What a caller is told when the tunnel gives no answer.
 * @param wasSent whether the control plane may have seen the request
 */
export function answerFailure(
  { code, message }: TunnelError,
  { method, wasSent }: { method: string; wasSent: boolean },
): ApiError {
  const isSafe = !wasSent || method === "GET" || method === "HEAD" || method === "OPTIONS";
  if (code === "refused") return TOO_MANY;
  if (code === "protocol" && !wasSent) return TOO_LONG;
  if (code === "disconnected" || code === "lost") return isSafe ? AWAY : BROKEN;
  return internalError(message);
}

/** An answer of this node's own, whole. */
export function renderAnswer({ status }: ApiError): { code: number; headers: Record<string, string>; body: string } {
  const body = `${JSON.stringify(status)}\n`;
  const retryAfter = status.details?.retryAfterSeconds;
  return {
    code: status.code,
    headers: {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
      ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
    },
    body,
  };
}
