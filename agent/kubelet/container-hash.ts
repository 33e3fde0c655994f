import { createHash } from "node:crypto";
import type { Container } from "../api/index.ts";

/**
 * What a running container was made from, of the fields that may change in a pod (upstream hashes the same two).
 * The value is our own: containers of another kubelet are not adopted.
 */
export function hashContainer({ name, image }: Container): string {
  return createHash("sha256").update(JSON.stringify({ name, image })).digest("hex").slice(0, 16);
}
