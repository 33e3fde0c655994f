/** What part of a container's log is asked for, and how (the kubelet's PodLogOptions). */
export interface LogOptions {
  follow: boolean;
  previous: boolean;
  timestamps: boolean;
  /** Only lines at or after this time, in nanoseconds since the epoch. */
  sinceNanos?: bigint;
  tailLines?: number;
  limitBytes?: number;
}

/**
 * The query of `/containerLogs/…`. The API server has checked it; a wrong value that comes by the node proxy is refused.
 * @throws RangeError for a value that is not allowed
 */
export function parseLogQuery(query: URLSearchParams, nowMs: number): LogOptions {
  const sinceSeconds = wholeNumber(query, "sinceSeconds", 1);
  const sinceTime = query.get("sinceTime");
  const sinceMs = sinceTime ? Date.parse(sinceTime) : undefined;
  if (sinceMs !== undefined && Number.isNaN(sinceMs)) throw new RangeError("sinceTime is no RFC 3339 time");
  if (sinceSeconds !== undefined && sinceMs !== undefined) throw new RangeError("sinceTime and sinceSeconds together");
  const sinceEpochMs = sinceSeconds !== undefined ? nowMs - 1000 * sinceSeconds : sinceMs;
  const tail = query.get("tail");
  if (tail && tail !== "all" && !query.has("tailLines")) query.set("tailLines", tail);
  return {
    follow: isTrue(query, "follow"),
    previous: isTrue(query, "previous"),
    timestamps: isTrue(query, "timestamps"),
    sinceNanos: sinceEpochMs === undefined ? undefined : BigInt(Math.trunc(sinceEpochMs)) * 1_000_000n,
    tailLines: wholeNumber(query, "tailLines", 0),
    limitBytes: wholeNumber(query, "limitBytes", 1),
  };
}

function isTrue(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  return text !== null && text !== "0" && text.toLowerCase() !== "false";
}

function wholeNumber(query: URLSearchParams, name: string, least: number): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least) throw new RangeError(`${name} must be a whole number`);
  return value;
}
