import { explainBadJson } from "../../shared/api/json-syntax.ts";
import type { Key } from "./interface.ts";

/** Where a paged list goes on: after a key, at the first page's revision; without one, in the newest state. */
export interface Continuation {
  revision?: number;
  after: Key;
}

/** Longer than any key with its wrapping; what is longer is not ours. */
const MAX_TOKEN_CHARS = 2_048;
/** Stands for the newest state in a token. */
const NEWEST = -1;
const GENERIC = "continue key is not valid";

/** The token in upstream's form: unpadded base64url of `{"v":"meta.k8s.io/v1","rv":…,"start":"<key>\0"}`. */
export function encodeContinue({ revision, after }: Continuation): string {
  const json = JSON.stringify({ v: "meta.k8s.io/v1", rv: revision ?? NEWEST, start: `${after}\0` });
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
  if (rv !== undefined && (typeof rv !== "number" || !Number.isSafeInteger(rv))) {
    return {
      error: `${GENERIC}: json: cannot unmarshal ${goKindOf(rv)} into Go struct field continueToken.rv of type int64`,
    };
  }
  if (!rv) {
    return { error: `${GENERIC}: incorrect encoded start resourceVersion (version meta.k8s.io/v1)` };
  }
  if (typeof start !== "string" || start === "") {
    return { error: `${GENERIC}: encoded start key empty (version meta.k8s.io/v1)` };
  }
  const after = start.endsWith("\0") ? start.slice(0, -1) : start;
  if (!isCleanPath(after)) return { error: `${GENERIC}: ${start}` };
  return rv < 0 ? { after } : { revision: rv, after };
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
  if (value === null) return {};
  if (typeof value === "object" && !Array.isArray(value)) return value;
  return `json: cannot unmarshal ${goKindOf(value)} into Go value of type storage.continueToken`;
}

/** A JSON value's kind, as Go's decoder names it. */
function goKindOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "number" ? `number ${value}` : typeof value;
}

const isCleanPath = (path: string) =>
  path
    .split("/")
    .every((part, index, parts) => part !== "." && part !== ".." && (part !== "" || (index === 0 && parts.length > 1)));
