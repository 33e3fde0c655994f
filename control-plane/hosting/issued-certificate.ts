import { isSignedByItsKey, parseCertificateRequest } from "../../shared/pki/index.ts";
import { type CertificateAuthority, extension, nameOf, OID, signCertificate } from "./certificate-authority.ts";
import * as der from "./der.ts";
import { printPem } from "./pem.ts";

/** Certificates begin a little in the past: a machine whose clock is behind ours must still accept them (upstream's). */
const BACKDATE_MS = 5 * 60 * 1000;
/** Shorter ones are not shortened by the backdating (upstream's). */
const SHORT_MS = 8 * 3600 * 1000;

/** Bits of KeyUsage, from the most significant of the first byte on (RFC 5280 §4.2.1.3). */
const KEY_USAGES: Record<string, number> = {
  signing: 0,
  "digital signature": 0,
  "content commitment": 1,
  "key encipherment": 2,
  "data encipherment": 3,
  "key agreement": 4,
  "cert sign": 5,
  "crl sign": 6,
  "encipher only": 7,
  "decipher only": 8,
};
const EXTENDED_USAGES: Record<string, string> = {
  any: "2.5.29.37.0",
  "server auth": "1.3.6.1.5.5.7.3.1",
  "client auth": "1.3.6.1.5.5.7.3.2",
  "code signing": "1.3.6.1.5.5.7.3.3",
  "email protection": "1.3.6.1.5.5.7.3.4",
  "s/mime": "1.3.6.1.5.5.7.3.4",
  "ipsec end system": "1.3.6.1.5.5.7.3.5",
  "ipsec tunnel": "1.3.6.1.5.5.7.3.6",
  "ipsec user": "1.3.6.1.5.5.7.3.7",
  timestamping: "1.3.6.1.5.5.7.3.8",
  "ocsp signing": "1.3.6.1.5.5.7.3.9",
  "microsoft sgc": "1.3.6.1.4.1.311.10.3.3",
  "netscape sgc": "2.16.840.1.113730.4.1",
};

/** What is to be certified: somebody has approved it, and its signer recognized it. */
export interface IssueRequest {
  /** PEM, PKCS #10. */
  requestPem: string;
  /** Words of CertificateSigningRequest's spec.usages. */
  usages: string[];
  ttlSeconds: number;
}

/**
 * A certificate for a request's key, subject and names; never a CA's.
 * @returns PEM
 * @throws Error for what is no request, is not signed by its own key, or has a usage that is not known
 */
export async function issueCertificate(
  ca: CertificateAuthority,
  { requestPem, usages, ttlSeconds }: IssueRequest,
  nowMs: number,
): Promise<string> {
  const request = parseCertificateRequest(requestPem);
  if (!(await isSignedByItsKey(request))) throw new Error("unable to verify certificate request signature");
  const names = [
    ...request.dnsNames.map((name) => der.tagged(2, false, new TextEncoder().encode(name))),
    ...request.emailAddresses.map((name) => der.tagged(1, false, new TextEncoder().encode(name))),
    ...request.ipAddresses.map((address) => der.tagged(7, false, address)),
    ...request.uris.map((uri) => der.tagged(6, false, new TextEncoder().encode(uri))),
  ];
  const ttlMs = ttlSeconds * 1000;
  const certificate = await signCertificate(ca.privateKey, {
    issuer: nameOf(ca.commonName),
    subject: new Uint8Array(request.subject),
    spki: new Uint8Array(request.publicKey),
    notBeforeMs: nowMs - BACKDATE_MS,
    notAfterMs: nowMs + (ttlMs < SHORT_MS ? ttlMs : ttlMs - BACKDATE_MS),
    extensions: [
      ...usageExtensions(usages),
      extension(OID.basicConstraints, true, der.sequence()),
      extension(OID.authorityKeyIdentifier, false, der.sequence(der.tagged(0, false, ca.keyId))),
      ...(names.length > 0 ? [extension(OID.subjectAltName, false, der.sequence(...names))] : []),
    ],
  });
  return printPem("CERTIFICATE", certificate);
}

function usageExtensions(usages: string[]): der.Der[] {
  const bits = usages.flatMap((usage) => KEY_USAGES[usage] ?? []);
  const ids = [...new Set(usages.flatMap((usage) => EXTENDED_USAGES[usage] ?? []))];
  const unknown = usages.filter((usage) => KEY_USAGES[usage] === undefined && !EXTENDED_USAGES[usage]);
  if (unknown.length > 0)
    throw new Error(`unrecognized usage values: [${unknown.map((usage) => JSON.stringify(usage)).join(" ")}]`);
  return [
    ...(bits.length > 0 ? [extension(OID.keyUsage, true, namedBits(bits))] : []),
    ...(ids.length > 0 ? [extension(OID.extKeyUsage, false, der.sequence(...ids.map(der.oid)))] : []),
  ];
}

/** A named bit list has no trailing zero bits in DER (X.690 §11.2.2). */
function namedBits(bits: number[]): der.Der {
  const last = Math.max(...bits);
  const bytes = new Uint8Array(Math.floor(last / 8) + 1);
  for (const bit of bits) bytes[bit >> 3] = bytes[bit >> 3]! | (0x80 >> (bit & 7));
  return der.bitString(bytes, 7 - (last & 7));
}
