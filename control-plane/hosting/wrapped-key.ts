import { base64url, fromBase64url, utf8 } from "./encoding.ts";

const IV_BYTES = 12;

/**
 * The cluster's own wrapping key, derived from the Worker's secret, so that two clusters never share one.
 * @see RFC 5869 (HKDF)
 */
export async function deriveWrappingKey(rootSecret: string, cluster: string): Promise<CryptoKey> {
  const root = await crypto.subtle.importKey("raw", utf8(rootSecret), "HKDF", false, ["deriveKey"]);
  return crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: utf8("hearth"), info: utf8(`cluster-keys/${cluster}`) },
    root,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
}

/** `name` is bound in, so that one wrapped value cannot be put in another's place. */
export async function wrapSecret(key: CryptoKey, name: string, secret: Uint8Array<ArrayBuffer>): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: utf8(name) }, key, secret);
  return `${base64url(iv)}.${base64url(sealed)}`;
}

/** @throws Error if the value was not wrapped with this key under this name (a changed ROOT_SECRET, most often) */
export async function unwrapSecret(key: CryptoKey, name: string, wrapped: string): Promise<Uint8Array<ArrayBuffer>> {
  const [iv, sealed] = wrapped.split(".");
  try {
    const plain = await crypto.subtle.decrypt(
      { name: "AES-GCM", iv: fromBase64url(iv ?? ""), additionalData: utf8(name) },
      key,
      fromBase64url(sealed ?? ""),
    );
    return new Uint8Array(plain);
  } catch (cause) {
    throw new Error(`${name} cannot be unwrapped: ROOT_SECRET is not the one it was wrapped with`, { cause });
  }
}
