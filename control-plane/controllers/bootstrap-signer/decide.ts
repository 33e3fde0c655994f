import type { KubeObject } from "../../../shared/api/object.ts";
import type { ConfigMap } from "../../../shared/api/types.ts";

const SIGNATURE_PREFIX = "jws-kubeconfig-";

/** What a machine that joins reads before it trusts anybody. */
export const isClusterInfo = ({ metadata }: KubeObject): boolean =>
  metadata.namespace === "kube-public" && metadata.name === "cluster-info";

/** The data with these signatures and no others; undefined when they are there. @param signatures by token id */
export function withSignatures(
  { data = {} }: ConfigMap,
  signatures: ReadonlyMap<string, string>,
): Record<string, string> | undefined {
  const rest = Object.entries(data).filter(([key]) => !key.startsWith(SIGNATURE_PREFIX));
  const signed = [...signatures].map(([id, signature]) => [SIGNATURE_PREFIX + id, signature] as const);
  const next = Object.fromEntries([...rest, ...signed]);
  const isSame =
    Object.keys(next).length === Object.keys(data).length && signed.every(([key, value]) => data[key] === value);
  return isSame ? undefined : next;
}

/** JWS with HS256 and the content left out (RFC 7515, appendix F): whoever knows the token can check the kubeconfig. */
export async function detachedSignature(
  content: string,
  { id, secret }: { id: string; secret: string },
): Promise<string> {
  const encoder = new TextEncoder();
  const header = base64url(encoder.encode(JSON.stringify({ alg: "HS256", kid: id })));
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), hmac, false, ["sign"]);
  const signed = encoder.encode(`${header}.${base64url(encoder.encode(content))}`);
  return `${header}..${base64url(new Uint8Array(await crypto.subtle.sign("HMAC", key, signed)))}`;
}

function base64url(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
