import { base64url, utf8 } from "./encoding.ts";

const RS256 = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const;

/** The public half, as the cluster's JWKS publishes it. */
export interface ServiceAccountPublicJwk {
  use: "sig";
  kty: "RSA";
  kid: string;
  alg: "RS256";
  n: string;
  e: string;
}

/** A new RS256 signing key. The kid is the hash of the public key, as kube-apiserver derives it. */
export async function createServiceAccountKey(): Promise<{
  publicJwk: ServiceAccountPublicJwk;
  privateKeyPkcs8: Uint8Array<ArrayBuffer>;
}> {
  const pair = (await crypto.subtle.generateKey(
    { ...RS256, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
    true,
    ["sign", "verify"],
  )) as CryptoKeyPair;
  const spki = (await crypto.subtle.exportKey("spki", pair.publicKey)) as ArrayBuffer;
  const { n, e } = (await crypto.subtle.exportKey("jwk", pair.publicKey)) as JsonWebKey;
  const kid = base64url(await crypto.subtle.digest("SHA-256", spki));
  const pkcs8 = (await crypto.subtle.exportKey("pkcs8", pair.privateKey)) as ArrayBuffer;
  return {
    publicJwk: { use: "sig", kty: "RSA", kid, alg: "RS256", n: n ?? "", e: e ?? "" },
    privateKeyPkcs8: new Uint8Array(pkcs8),
  };
}

export async function importServiceAccountPrivateKey(pkcs8: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey("pkcs8", pkcs8, RS256, false, ["sign"]);
}

export async function importServiceAccountPublicKey(jwk: ServiceAccountPublicJwk): Promise<CryptoKey> {
  const { kty, n, e } = jwk;
  return crypto.subtle.importKey("jwk", { kty, n, e, alg: "RS256", ext: true }, RS256, false, ["verify"]);
}

/** A compact JWS over the claims. */
export async function signJwt(key: CryptoKey, kid: string, claims: object): Promise<string> {
  const head = base64url(utf8(JSON.stringify({ alg: "RS256", kid })));
  const signed = `${head}.${base64url(utf8(JSON.stringify(claims)))}`;
  return `${signed}.${base64url(await crypto.subtle.sign(RS256, key, utf8(signed)))}`;
}
