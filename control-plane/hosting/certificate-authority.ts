import { API_COMMON_NAME } from "../../shared/tunnel/index.ts";
import * as der from "./der.ts";
import { hex } from "./encoding.ts";
import { parseIpAddress } from "./ip-address.ts";
import { parsePem, printPem } from "./pem.ts";

/** By whichever types the platform's or, in tests, Node.js's Web Crypto has. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const EC_P256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const DAY_MS = 24 * 3600 * 1000;
const CA_LIFETIME_MS = 3650 * DAY_MS;
const SERVING_LIFETIME_MS = 365 * DAY_MS;
/** Nothing takes a node's certificate back before it expires; half of this is what a node can be away and still serve. */
const NODE_API_LIFETIME_MS = 30 * DAY_MS;
/** Certificates begin a little in the past: a node whose clock is behind ours must still accept them. */
const BACKDATE_MS = 5 * 60 * 1000;
const SERIAL_BYTES = 16;
/** X.520's ub-common-name; TLS libraries refuse longer ones. */
const MAX_COMMON_NAME_CHARS = 64;
const IN_CLUSTER_NAMES = [
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
] as const;
/** A machine with many interfaces has dozens of addresses; a request with more is not from our front door. */
export const MAX_SUBJECT_ALT_NAMES = 256;

export const OID = {
  commonName: "2.5.4.3",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
} as const;

/** Bits of KeyUsage (RFC 5280 §4.2.1.3), as the byte of the bit string and its unused low bits. */
const KEY_USAGE = {
  digitalSignature: der.bitString(Uint8Array.of(0x80), 7),
  certAndCrlSign: der.bitString(Uint8Array.of(0x06), 1),
} as const;

/** What signing needs of a CA. */
export interface CertificateAuthority {
  commonName: string;
  privateKey: Key;
  /** SHA-1 of the CA's public key bits: issued certificates name their issuer's key by it. */
  keyId: Uint8Array;
}

export interface NewCertificateAuthority {
  certificatePem: string;
  commonName: string;
  privateKeyPkcs8: Uint8Array<ArrayBuffer>;
  /** Hex of the key identifier. */
  keyIdHex: string;
  /** `sha256:<hex>` over the DER SubjectPublicKeyInfo: what a join token pins (kubeadm's discovery hash). */
  publicKeyHash: string;
}

/** A new self-signed CA for one cluster, valid ten years. */
export async function createCertificateAuthority(cluster: string, nowMs: number): Promise<NewCertificateAuthority> {
  const keys = (await crypto.subtle.generateKey(EC_P256, true, ["sign", "verify"])) as {
    publicKey: Key;
    privateKey: Key;
  };
  const spki = new Uint8Array((await crypto.subtle.exportKey("spki", keys.publicKey)) as ArrayBuffer);
  const point = (await crypto.subtle.exportKey("raw", keys.publicKey)) as ArrayBuffer;
  const keyId = new Uint8Array(await crypto.subtle.digest("SHA-1", point));
  const commonName = `hearth-ca-${cluster}`;
  const certificate = await signCertificate(keys.privateKey, {
    issuer: nameOf(commonName),
    subject: nameOf(commonName),
    spki,
    notBeforeMs: nowMs - BACKDATE_MS,
    notAfterMs: nowMs + CA_LIFETIME_MS,
    extensions: [
      extension(OID.basicConstraints, true, der.sequence(der.boolean(true))),
      extension(OID.keyUsage, true, KEY_USAGE.certAndCrlSign),
      extension(OID.subjectKeyIdentifier, false, der.octetString(keyId)),
    ],
  });
  const pkcs8 = (await crypto.subtle.exportKey("pkcs8", keys.privateKey)) as ArrayBuffer;
  return {
    certificatePem: printPem("CERTIFICATE", certificate),
    commonName,
    privateKeyPkcs8: new Uint8Array(pkcs8),
    keyIdHex: hex(keyId),
    publicKeyHash: `sha256:${hex(await crypto.subtle.digest("SHA-256", spki))}`,
  };
}

export async function importCaPrivateKey(pkcs8: Uint8Array<ArrayBuffer>): Promise<Key> {
  return crypto.subtle.importKey("pkcs8", pkcs8, EC_P256, false, ["sign"]);
}

/**
 * A serving certificate for the front door's own key, valid one year. The private key never leaves the front door.
 * @param request the SubjectPublicKeyInfo in PEM (P-256), and DNS names and IP addresses the server answers to
 * @throws Error if the public key or an address is malformed
 */
export async function issueServingCertificate(
  ca: CertificateAuthority,
  request: { publicKeyPem: string; dnsNames: string[]; ipAddresses: string[] },
  nowMs: number,
): Promise<string> {
  return certifyServer(ca, { ...request, commonName: API_COMMON_NAME, lifetimeMs: SERVING_LIFETIME_MS }, nowMs);
}

/**
 * For the API that a node serves to its pods, valid 30 days: by the names and the address that pods use, and none else. Its subject tells
 * it from the front door's: an agent that dials the control plane must not take another node for it, though that has the
 * name `kubernetes` and the same CA.
 * @throws Error if the public key is malformed
 */
export async function issueNodeApiCertificate(
  ca: CertificateAuthority,
  { publicKeyPem, node, clusterIp }: { publicKeyPem: string; node: string; clusterIp: string },
  nowMs: number,
): Promise<string> {
  const names = { dnsNames: [...IN_CLUSTER_NAMES], ipAddresses: [clusterIp] };
  const commonName = `hearth:node-api:${node}`.slice(0, MAX_COMMON_NAME_CHARS);
  return certifyServer(ca, { publicKeyPem, ...names, commonName, lifetimeMs: NODE_API_LIFETIME_MS }, nowMs);
}

async function certifyServer(
  ca: CertificateAuthority,
  request: {
    publicKeyPem: string;
    dnsNames: string[];
    ipAddresses: string[];
    commonName: string;
    lifetimeMs: number;
  },
  nowMs: number,
): Promise<string> {
  const spki = parsePem("PUBLIC KEY", request.publicKeyPem);
  await crypto.subtle.importKey("spki", spki, EC_P256, true, ["verify"]); // certify nothing but a real key
  const names = [
    ...request.dnsNames.map((name) => der.tagged(2, false, new TextEncoder().encode(name))),
    ...request.ipAddresses.map((address) => der.tagged(7, false, parseIpAddress(address))),
  ];
  const certificate = await signCertificate(ca.privateKey, {
    issuer: nameOf(ca.commonName),
    subject: nameOf(request.commonName),
    spki,
    notBeforeMs: nowMs - BACKDATE_MS,
    notAfterMs: nowMs + request.lifetimeMs,
    extensions: [
      extension(OID.basicConstraints, true, der.sequence()),
      extension(OID.keyUsage, true, KEY_USAGE.digitalSignature),
      extension(OID.extKeyUsage, false, der.sequence(der.oid(OID.serverAuth))),
      extension(OID.authorityKeyIdentifier, false, der.sequence(der.tagged(0, false, ca.keyId))),
      extension(OID.subjectAltName, false, der.sequence(...names)),
    ],
  });
  return printPem("CERTIFICATE", certificate);
}

export interface CertificateFields {
  issuer: der.Der;
  subject: der.Der;
  spki: Uint8Array<ArrayBuffer>;
  notBeforeMs: number;
  notAfterMs: number;
  extensions: der.Der[];
}

/** RFC 5280 §4.1, version 3. */
export async function signCertificate(key: Key, fields: CertificateFields): Promise<der.Der> {
  const algorithm = der.sequence(der.oid(OID.ecdsaWithSha256));
  const tbs = der.sequence(
    der.tagged(0, true, der.integer(Uint8Array.of(2))),
    der.integer(newSerial()),
    algorithm,
    fields.issuer,
    der.sequence(der.time(fields.notBeforeMs), der.time(fields.notAfterMs)),
    fields.subject,
    fields.spki,
    der.tagged(3, true, der.sequence(...fields.extensions)),
  );
  const signature = new Uint8Array(await crypto.subtle.sign(EC_P256, key, tbs));
  return der.sequence(tbs, algorithm, der.bitString(der.ecdsaSignature(signature)));
}

/** A name of a common name alone. */
export const nameOf = (commonName: string) =>
  der.sequence(der.set(der.sequence(der.oid(OID.commonName), der.utf8String(commonName))));

export const extension = (id: string, isCritical: boolean, value: der.Der) =>
  der.sequence(der.oid(id), ...(isCritical ? [der.boolean(true)] : []), der.octetString(value));

/** Random and positive; the first byte is never zero, so that its length does not vary. */
function newSerial(): Uint8Array {
  const serial = crypto.getRandomValues(new Uint8Array(SERIAL_BYTES));
  serial[0] = (serial[0]! & 0x7f) | 0x40;
  return serial;
}
