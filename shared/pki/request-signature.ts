import type { CertificateRequest } from "./certificate-request.ts";
import { DER_TAG, elementAt, oidText, readElements, readOnly } from "./der-reader.ts";

interface Algorithm {
  name: "ECDSA" | "RSASSA-PKCS1-v1_5" | "Ed25519";
  hash?: "SHA-256" | "SHA-384" | "SHA-512";
}

/** By the signature's object identifier (RFC 5758, 4055, 8410). SHA-1 is refused, as everywhere by now. */
const ALGORITHMS: Record<string, Algorithm> = {
  "1.2.840.10045.4.3.2": { name: "ECDSA", hash: "SHA-256" },
  "1.2.840.10045.4.3.3": { name: "ECDSA", hash: "SHA-384" },
  "1.2.840.10045.4.3.4": { name: "ECDSA", hash: "SHA-512" },
  "1.2.840.113549.1.1.11": { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  "1.2.840.113549.1.1.12": { name: "RSASSA-PKCS1-v1_5", hash: "SHA-384" },
  "1.2.840.113549.1.1.13": { name: "RSASSA-PKCS1-v1_5", hash: "SHA-512" },
  "1.3.101.112": { name: "Ed25519" },
};

/** Curves by object identifier (RFC 5480), with the bytes of a coordinate. */
const CURVES: Record<string, { name: string; bytes: number }> = {
  "1.2.840.10045.3.1.7": { name: "P-256", bytes: 32 },
  "1.3.132.0.34": { name: "P-384", bytes: 48 },
  "1.3.132.0.35": { name: "P-521", bytes: 66 },
};

/** Whether whoever made the request holds the key that it is for; false for keys that cannot be checked, too. */
export async function isSignedByItsKey(request: CertificateRequest): Promise<boolean> {
  const algorithm = ALGORITHMS[request.signatureAlgorithm];
  if (!algorithm) return false;
  const { name, hash } = algorithm;
  try {
    const spki = copy(request.publicKey);
    const signed = copy(request.signed);
    if (name !== "ECDSA") {
      const key = await crypto.subtle.importKey("spki", spki, hash ? { name, hash } : { name }, false, ["verify"]);
      return await crypto.subtle.verify(name, key, copy(request.signature), signed);
    }
    const curve = CURVES[oidText(elementAt(readOnly(request.publicKey, DER_TAG.sequence), 0, 1))];
    if (!curve) return false;
    const key = await crypto.subtle.importKey("spki", spki, { name, namedCurve: curve.name }, false, ["verify"]);
    return await crypto.subtle.verify({ name, hash: hash! }, key, sideBySide(request.signature, curve.bytes), signed);
  } catch {
    return false; // no key, or no signature, of its algorithm
  }
}

/** WebCrypto wants r and s of fixed length one after the other; DER has a sequence of two integers. */
function sideBySide(signature: Uint8Array, bytes: number): Uint8Array<ArrayBuffer> {
  const raw = new Uint8Array(bytes * 2);
  const parts = readElements(readOnly(signature, DER_TAG.sequence).contents);
  for (const [i, { contents }] of parts.slice(0, 2).entries()) {
    const digits = contents[0] === 0 ? contents.subarray(1) : contents;
    if (digits.length > bytes) throw new Error("the number is larger than the curve's");
    raw.set(digits, bytes * (i + 1) - digits.length);
  }
  return raw;
}

const copy = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);
