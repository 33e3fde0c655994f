import * as x509 from "@peculiar/x509";
import { hex } from "./encoding.ts";

const EC_P256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const DAY_MS = 24 * 3600 * 1000;
const CA_LIFETIME_MS = 3650 * DAY_MS;
const SERVING_LIFETIME_MS = 365 * DAY_MS;
/** Certificates begin a little in the past: a node whose clock is behind ours must still accept them. */
const BACKDATE_MS = 5 * 60 * 1000;
/** A machine with many interfaces has dozens of addresses; a request with more is not from our front door. */
export const MAX_SUBJECT_ALT_NAMES = 256;

x509.cryptoProvider.set(crypto as unknown as Crypto);

export interface CertificateAuthority {
  certificatePem: string;
  privateKey: CryptoKey;
}

/** A new self-signed CA for one cluster, and its private key in PKCS #8. */
export async function createCertificateAuthority(
  cluster: string,
  nowMs: number,
): Promise<{ certificatePem: string; privateKeyPkcs8: Uint8Array<ArrayBuffer> }> {
  const keys = await generateKeyPair();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=hearth-ca-${cluster}`,
    keys,
    signingAlgorithm: EC_P256,
    notBefore: new Date(nowMs - BACKDATE_MS),
    notAfter: new Date(nowMs + CA_LIFETIME_MS),
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const pkcs8 = (await crypto.subtle.exportKey("pkcs8", keys.privateKey)) as ArrayBuffer;
  return { certificatePem: certificate.toString("pem"), privateKeyPkcs8: new Uint8Array(pkcs8) };
}

export async function importCaPrivateKey(pkcs8: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey("pkcs8", pkcs8, EC_P256, false, ["sign"]);
}

/** `sha256:<hex>` over the DER SubjectPublicKeyInfo: what a join token pins (kubeadm's discovery hash). */
export async function hashCaPublicKey(certificatePem: string): Promise<string> {
  const { publicKey } = new x509.X509Certificate(certificatePem);
  return `sha256:${hex(await crypto.subtle.digest("SHA-256", publicKey.rawData))}`;
}

/**
 * A serving certificate for the front door's own key, valid one year. The private key never leaves the front door.
 * @param request the SubjectPublicKeyInfo in PEM, and DNS names and IP addresses the server answers to
 * @throws Error if the public key or a name cannot be parsed
 */
export async function issueServingCertificate(
  ca: CertificateAuthority,
  request: { publicKeyPem: string; dnsNames: string[]; ipAddresses: string[] },
  nowMs: number,
): Promise<string> {
  const issuer = new x509.X509Certificate(ca.certificatePem);
  const publicKey = new x509.PublicKey(request.publicKeyPem);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: "CN=kube-apiserver",
    issuer: issuer.subject,
    publicKey,
    signingKey: ca.privateKey,
    signingAlgorithm: EC_P256,
    notBefore: new Date(nowMs - BACKDATE_MS),
    notAfter: new Date(nowMs + SERVING_LIFETIME_MS),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...request.dnsNames.map((value) => ({ type: "dns", value }) as const),
        ...request.ipAddresses.map((value) => ({ type: "ip", value }) as const),
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return certificate.toString("pem");
}

async function generateKeyPair(): Promise<CryptoKeyPair> {
  return (await crypto.subtle.generateKey(EC_P256, true, ["sign", "verify"])) as CryptoKeyPair;
}
