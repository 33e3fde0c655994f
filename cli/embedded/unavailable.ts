/** What a client is told while workerd is down; client-go waits and asks again on a 503 or 429 with Retry-After. */
export const RETRY_AFTER_SECONDS = 1;

export const UNAVAILABLE_BODY = JSON.stringify({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "the control plane is starting again; please retry",
  reason: "ServiceUnavailable",
  details: { retryAfterSeconds: RETRY_AFTER_SECONDS },
  code: 503,
});

export const UNAVAILABLE_HEADERS: Record<string, string> = {
  "content-type": "application/json",
  "retry-after": String(RETRY_AFTER_SECONDS),
  "content-length": String(Buffer.byteLength(UNAVAILABLE_BODY)),
};
