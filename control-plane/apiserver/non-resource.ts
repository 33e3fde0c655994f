import type { ApiContext } from "./attributes.ts";
import type { Answer, ApiCall } from "./call.ts";
import { serveHealth } from "./health.ts";

/** Paths that are no resources: health, version, discovery, OpenAPI. Undefined for a path nobody knows. */
export async function serveNonResource(call: ApiCall, context: ApiContext): Promise<Answer | Response | undefined> {
  return serveHealth(call, context);
}
