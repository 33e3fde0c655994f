import type { Key } from "./interface.ts";

/** Where a paged list goes on: after a key, at the first page's revision. */
export interface Continuation {
  revision: number;
  after: Key;
}

/** Longer than any key with its wrapping; what is longer is not ours. */
const MAX_TOKEN_CHARS = 2_048;
const GENERIC = "continue key is not valid";

/** The token in upstream's form: unpadded base64url of `{"v":"meta.k8s.io/v1","rv":…,"start":"<key>\0"}`. */
export function encodeContinue({ revision, after }: Continuation): string {
  const json = JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start: `${after}\0` });
  return btoa(json).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Reads a token as clients send it back.
 * @returns the continuation, or what is wrong with it in upstream's words (answered with 400)
 */
export function decodeContinue(token: string): Continuation | { error: string } {
  const parsed = parseToken(token);
  if (parsed === null) return { error: GENERIC };
  if (parsed.v !== "meta.k8s.io/v1")
    return { error: `${GENERIC}: server does not recognize this encoded version ${parsed.v ?? ""}` };
  const { rv, start } = parsed;
  if (typeof rv !== "number" || !Number.isSafeInteger(rv) || rv <= 0) {
    return { error: `${GENERIC}: incorrect encoded start resourceVersion (version meta.k8s.io/v1)` };
  }
  if (typeof start !== "string" || start === "") {
    return { error: `${GENERIC}: encoded start key empty (version meta.k8s.io/v1)` };
  }
  const after = start.endsWith("\0") ? start.slice(0, -1) : start;
  if (!isCleanPath(after)) return { error: `${GENERIC}: ${start}` };
  return { revision: rv, after };
}

function parseToken(token: string): { v?: unknown; rv?: unknown; start?: unknown } | null {
  if (token.length > MAX_TOKEN_CHARS || !/^[A-Za-z0-9_-]*$/.test(token)) return null;
  try {
    const value: unknown = JSON.parse(atob(token.replaceAll("-", "+").replaceAll("_", "/")));
    return typeof value === "object" && value !== null ? value : null;
  } catch {
    // Not base64 or not JSON: not a token of ours.
    return null;
  }
}

const isCleanPath = (path: string) =>
  path
    .split("/")
    .every((part, index, parts) => part !== "." && part !== ".." && (part !== "" || (index === 0 && parts.length > 1)));
