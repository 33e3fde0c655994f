import type { ApiContext } from "./attributes.ts";
import type { Answer, ApiCall } from "./call.ts";

/** Paths that are no resources: health, version, discovery, OpenAPI. Undefined for a path nobody knows. */
export async function serveNonResource(_call: ApiCall, _context: ApiContext): Promise<Answer | undefined> {
  return undefined;
}
