import { fromBase64url } from "../../hosting/index.ts";
import type { UserInfo } from "../attributes.ts";
import type { CallHeaders } from "../request-head.ts";
import { isFresh } from "./fresh.ts";
import { certificateUser } from "./users.ts";

/**
 * The TLS front passes on a client certificate that it verified: `<payload>.<signature>`, both base64url; the payload is
 * JSON, the signature HMAC-SHA256 over it with ROOT_SECRET. The front drops any such header a client sends.
 */
export const CLIENT_CERTIFICATE_HEADER = "x-hearth-client-certificate";

/** The same connection sends the same text each time; verified ones are kept by it. */
const verified = new Map<string, { user: UserInfo; cluster: string; untilMs: number }>();
const MAX_VERIFIED = 1_024;
const FRESH_MS = 60_000;

/** The certificate's user; undefined when there is no certificate, or the header is not the front's. */
export async function authenticateCertificate(
  headers: Pick<CallHeaders, "get">,
  { cluster, rootSecret, nowMs }: { cluster: string; rootSecret: string; nowMs: number },
): Promise<UserInfo | undefined> {
  const text = headers.get(CLIENT_CERTIFICATE_HEADER);
  if (!text) return undefined;
  const entry = verified.get(text);
  if (entry?.cluster === cluster && isFresh(entry, FRESH_MS, nowMs)) return entry.user;
  const [payload = "", signature = ""] = text.split(".");
  if (!(await isFromFront(payload, signature, rootSecret))) return undefined;
  const certificate = JSON.parse(new TextDecoder().decode(fromBase64url(payload))) as {
    /** The cluster whose CA signed it: elsewhere the same names are other people. */
    cluster: string;
    cn: string;
    o: string[];
    sha256: string;
    /** Epoch milliseconds. */
    notAfterMs: number;
  };
  if (certificate.cluster !== cluster || !certificate.cn || nowMs > certificate.notAfterMs) return undefined;
  const user = certificateUser(certificate);
  verified.set(text, { user, cluster, untilMs: Math.min(nowMs + FRESH_MS, certificate.notAfterMs) });
  if (verified.size > MAX_VERIFIED) verified.delete(verified.keys().next().value!);
  return user;
}

async function isFromFront(payload: string, signature: string, rootSecret: string): Promise<boolean> {
  const encoder = new TextEncoder();
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(rootSecret), hmac, false, ["verify"]);
  try {
    return await crypto.subtle.verify("HMAC", key, fromBase64url(signature), encoder.encode(payload));
  } catch {
    return false; // not base64
  }
}
