import { type ApiError, badRequest, failure } from "../../shared/api/status.ts";

const MAX_UINT64 = 2n ** 64n - 1n;

/**
 * A resourceVersion as a revision; "" and "0" both mean none in particular. One that is larger than a number holds
 * exactly is larger than any revision too.
 * @param refuse makes the error of a text that is no version
 */
export function parseRevision(resourceVersion: string, refuse: (why: string) => ApiError): number | undefined {
  if (resourceVersion === "") return undefined;
  const why = /^\d+$/.test(resourceVersion)
    ? BigInt(resourceVersion) > MAX_UINT64
      ? "value out of range"
      : undefined
    : "invalid syntax";
  if (why !== undefined) {
    const text = JSON.stringify(resourceVersion);
    throw refuse(`resourceVersion: Invalid value: ${text}: strconv.ParseUint: parsing ${text}: ${why}`);
  }
  return Number(resourceVersion) || undefined;
}

/** As lists refuse a version. */
export const badListVersion = (why: string): ApiError => badRequest(`invalid resource version: ${why}`);

/** As reads of one object and watches do: upstream takes it for a fault of its own. */
export const badReadVersion = (why: string): ApiError => failure(500, "", why);

/**
 * A version that is yet to come: the client has talked to another cluster, or to one that was restored.
 * @param asked as the client sent it
 */
export const tooLargeVersion = (asked: string, current: number): ApiError =>
  failure(504, "Timeout", `Timeout: Too large resource version: ${BigInt(asked)}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
