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
import { serveOpenApi } from "./openapi/index.ts";

/** Paths that are no resources: health, version, discovery, OpenAPI. Undefined for a path nobody knows. */
export async function serveNonResource(call: ApiCall, context: ApiContext): Promise<Answer | Response | undefined> {
  return (
    (await serveHealth(call, context)) ??
    serveDiscovery(call) ??
    serveOpenApi(call) ??
    (await serveIssuer(call, context))
  );
}

/** The documents by which others verify service-account tokens. */
async function serveIssuer({ url, headers }: ApiCall, { env, cluster }: ApiContext): Promise<Response | undefined> {
  if (url.pathname === OIDC_CONFIGURATION_PATH) return renderOidcConfiguration(url.origin);
  if (url.pathname !== OIDC_JWKS_PATH) return undefined;
  const keys = await clusterKeys(env, cluster);
  return keys ? renderJwks(headers.get("accept"), keys.serviceAccountJwk) : undefined;
}
