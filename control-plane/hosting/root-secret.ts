import { sha256Hex } from "./encoding.ts";

/**
 * Whether the request bears the Worker's own secret: it comes from the operator (our CLI, the front door).
 * Hashes are compared instead of the texts, so that time tells nothing about a prefix.
 */
export async function bearsRootSecret(authorization: string | null, rootSecret: string): Promise<boolean> {
  if (!rootSecret || !authorization?.startsWith("Bearer ")) return false;
  return (await sha256Hex(authorization.slice("Bearer ".length))) === (await sha256Hex(rootSecret));
}
