import { createHmac } from "node:crypto";
import type { TLSSocket } from "node:tls";

/** See control-plane/apiserver/authn/client-certificate.ts, which reads it. */
const HEADER = "X-Hearth-Client-Certificate";

/**
 * The header line that vouches for the connection's client certificate; empty without one that our CA signed.
 * Made once per connection: the signature covers who, and until when.
 */
export function certificateHeader(socket: TLSSocket, cluster: string, rootSecret: string): string {
  if (!socket.authorized) return "";
  const { subject, fingerprint256, valid_to } = socket.getPeerCertificate();
  if (!subject?.CN) return "";
  const organizations = subject.O as string | string[] | undefined;
  const payload = Buffer.from(
    JSON.stringify({
      cluster,
      cn: subject.CN,
      o: organizations === undefined ? [] : [organizations].flat(),
      sha256: fingerprint256.replaceAll(":", "").toLowerCase(),
      notAfterMs: Date.parse(valid_to),
    }),
  ).toString("base64url");
  return `${HEADER}: ${payload}.${createHmac("sha256", rootSecret).update(payload).digest("base64url")}\r\n`;
}
