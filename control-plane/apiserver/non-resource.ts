import { failure } from "../../shared/api/status.ts";
import type { ApiContext } from "./attributes.ts";
import {
  clusterKeys,
  OIDC_CONFIGURATION_PATH,
  OIDC_JWKS_PATH,
  renderJwks,
  renderOidcConfiguration,
} from "./authn/index.ts";
import type { Answer, ApiCall } from "./call.ts";
import { serveDiscovery } from "./discovery/index.ts";
import { serveHealth } from "./health.ts";
import { serveMetrics } from "./metrics/index.ts";
import { serveOpenApi } from "./openapi/index.ts";

/** Paths that are no resources: health, version, discovery, OpenAPI. Undefined for a path nobody knows. */
export async function serveNonResource(call: ApiCall, context: ApiContext): Promise<Answer | Response | undefined> {
  return (
    (await serveHealth(call, context)) ??
    (await serveMetrics(call, context)) ??
    serveDiscovery(call) ??
    serveOpenApi(call) ??
    (await serveIssuer(call, context))
  );
}

/** The documents by which others verify service-account tokens. */
async function serveIssuer(
  { method, url, headers }: ApiCall,
  { env, cluster }: ApiContext,
): Promise<Response | undefined> {
  // The documents themselves name the one without a slash.
  const path = url.pathname.replace(/(?<=.)\/$/, "");
  if (path !== OIDC_CONFIGURATION_PATH && path !== OIDC_JWKS_PATH) return undefined;
  if (method !== "GET") {
    throw failure(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
  }
  const accept = headers.get("accept");
  // Clients come by TLS, which ends in front of this.
  if (path === OIDC_CONFIGURATION_PATH)
    return renderOidcConfiguration(accept, `https://${url.host}${url.prefix ?? ""}`);
  const keys = await clusterKeys(env, cluster);
  return keys ? renderJwks(accept, keys.serviceAccountJwk) : undefined;
}
