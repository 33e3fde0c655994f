import { fromBase64url } from "../../hosting/index.ts";

const RS256 = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const;
/** Our own tokens have some 1,300 characters. */
const MAX_JWT_CHARS = 16_384;

/** A JWT taken apart; nothing in it is to be trusted before `isSignedBy`. */
export interface ParsedJwt {
  header: { alg?: unknown; kid?: unknown };
  claims: Record<string, unknown>;
  /** What the signature is over. */
  signed: string;
  signature: Uint8Array<ArrayBuffer>;
}

/** Undefined when the text is no JWT in compact form. */
export function parseJwt(token: string): ParsedJwt | undefined {
  if (token.length > MAX_JWT_CHARS) return undefined;
  const parts = token.split(".");
  if (parts.length !== 3) return undefined;
  try {
    const [header, claims] = parts.slice(0, 2).map((part) => JSON.parse(new TextDecoder().decode(fromBase64url(part))));
    if (!isRecord(header) || !isRecord(claims)) return undefined;
    return { header, claims, signed: `${parts[0]}.${parts[1]}`, signature: fromBase64url(parts[2]!) };
  } catch {
    return undefined; // not base64url, or not JSON
  }
}

/** RS256 only, whatever the header says: a token must not choose how it is checked. */
export async function isSignedBy(jwt: ParsedJwt, key: CryptoKey): Promise<boolean> {
  if (jwt.header.alg !== "RS256") return false;
  return crypto.subtle.verify(RS256, key, jwt.signature, new TextEncoder().encode(jwt.signed));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
