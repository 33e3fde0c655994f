import { explainBadJson } from "../../shared/api/json-syntax.ts";
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
  if (typeof parsed === "string") return { error: `${GENERIC}: ${parsed}` };
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

interface Token {
  v?: unknown;
  rv?: unknown;
  start?: unknown;
}

/** A text is why it is none. */
function parseToken(token: string): Token | string {
  if (token.length > MAX_TOKEN_CHARS) return `it is longer than ${MAX_TOKEN_CHARS} characters`;
  const firstBad = token.search(/[^A-Za-z0-9_-]/);
  if (firstBad >= 0) return `illegal base64 data at input byte ${firstBad}`;
  // One character over tells six bits: no byte.
  if (token.length % 4 === 1) return `illegal base64 data at input byte ${token.length - 1}`;
  const text = atob(token.replaceAll("-", "+").replaceAll("_", "/"));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return explainBadJson(text);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  return "json: it is no object";
}

const isCleanPath = (path: string) =>
  path
    .split("/")
    .every((part, index, parts) => part !== "." && part !== ".." && (part !== "" || (index === 0 && parts.length > 1)));
