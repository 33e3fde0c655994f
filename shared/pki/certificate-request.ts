import { DER_TAG, type DerElement, elementAt, oidText, readElements, readOnly } from "./der-reader.ts";

/** A request with a 16384-bit key and a hundred names has under 10 kB. */
const MAX_REQUEST_BYTES = 64 * 1024;
const PEM = /-----BEGIN CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE REQUEST-----/;

const OID = {
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  extensionRequest: "1.2.840.113549.1.9.14",
  subjectAltName: "2.5.29.17",
} as const;
/** GeneralName (RFC 5280 §4.2.1.6). */
const NAME_TAG = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const;

/** PKCS #10 (RFC 2986), what a signer looks at. */
export interface CertificateRequest {
  commonName: string;
  organizations: string[];
  dnsNames: string[];
  emailAddresses: string[];
  uris: string[];
  /** 4 or 16 bytes each. */
  ipAddresses: Uint8Array[];
  /** DER as it was sent. */
  subject: Uint8Array;
  publicKey: Uint8Array;
  signed: Uint8Array;
  signatureAlgorithm: string;
  signature: Uint8Array;
}

/**
 * The request of a PEM text.
 * @throws Error for what is no certificate request; the signature is `isSignedByItsKey`'s to check
 */
export function parseCertificateRequest(pem: string): CertificateRequest {
  const match = PEM.exec(pem);
  if (!match) throw new Error("PEM block type must be CERTIFICATE REQUEST");
  const der = fromBase64(match[1]!.replace(/\s/g, ""));
  if (der.length > MAX_REQUEST_BYTES) throw new Error("the certificate request is too large");
  const [info, algorithm, signature] = readElements(readOnly(der, DER_TAG.sequence).contents);
  if (!info || !algorithm || signature?.tag !== DER_TAG.bitString) throw new Error("asn1: no certificate request");
  const [, subject, publicKey, attributes] = readElements(info.contents);
  if (subject?.tag !== DER_TAG.sequence || publicKey?.tag !== DER_TAG.sequence)
    throw new Error("asn1: no subject or public key");
  return {
    ...readSubject(subject),
    ...readNames(attributes),
    subject: subject.whole,
    publicKey: publicKey.whole,
    signed: info.whole,
    signatureAlgorithm: oidText(elementAt(algorithm, 0)),
    // The first byte says how many bits of the last are unused: none in a signature.
    signature: signature.contents.subarray(1),
  };
}

function readSubject(subject: DerElement): Pick<CertificateRequest, "commonName" | "organizations"> {
  let commonName = "";
  const organizations: string[] = [];
  for (const set of readElements(subject.contents)) {
    for (const attribute of readElements(set.contents)) {
      const [type, value] = readElements(attribute.contents);
      if (!type || !value) throw new Error("asn1: no attribute of a name");
      const id = oidText(type);
      if (id === OID.commonName) commonName = text(value.contents);
      if (id === OID.organization) organizations.push(text(value.contents));
    }
  }
  return { commonName, organizations };
}

type Names = Pick<CertificateRequest, "dnsNames" | "emailAddresses" | "uris" | "ipAddresses">;

function readNames(attributes: DerElement | undefined): Names {
  const names: Names = { dnsNames: [], emailAddresses: [], uris: [], ipAddresses: [] };
  for (const attribute of attributes ? readElements(attributes.contents) : []) {
    const [type, values] = readElements(attribute.contents);
    if (!type || !values || oidText(type) !== OID.extensionRequest) continue;
    for (const extension of readElements(elementAt(values, 0).contents)) {
      const parts = readElements(extension.contents);
      const value = parts.at(-1);
      if (!parts[0] || !value || oidText(parts[0]) !== OID.subjectAltName) continue;
      addNames(names, readOnly(value.contents, DER_TAG.sequence));
    }
  }
  return names;
}

function addNames(names: Names, list: DerElement): void {
  for (const { tag, contents } of readElements(list.contents)) {
    if (tag === NAME_TAG.dns) names.dnsNames.push(text(contents));
    if (tag === NAME_TAG.email) names.emailAddresses.push(text(contents));
    if (tag === NAME_TAG.uri) names.uris.push(text(contents));
    if (tag !== NAME_TAG.ip) continue;
    if (contents.length !== 4 && contents.length !== 16) throw new Error("x509: cannot parse IP address");
    names.ipAddresses.push(contents);
  }
}

function text(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Error("asn1: a text that is no UTF-8", { cause });
  }
}

function fromBase64(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch (cause) {
    throw new Error("the PEM block is no base64", { cause });
  }
}
