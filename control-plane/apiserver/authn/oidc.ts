import { failure } from "../../../shared/api/status.ts";
import type { ServiceAccountPublicJwk } from "../../hosting/index.ts";
import { ISSUER } from "./service-account-claims.ts";

export const OIDC_CONFIGURATION_PATH = "/.well-known/openid-configuration";
export const OIDC_JWKS_PATH = "/openid/v1/jwks";

const JWKS_MEDIA_TYPE = "application/jwk-set+json";
/** Upstream's: relying parties may keep the documents for an hour. */
const CACHE_CONTROL = "public, max-age=3600";

/**
 * The issuer's discovery document. `base`: where this API server was called,
 * e.g. `https://10.0.0.5:6443`, or `https://hearth.example/clusters/blue` for a cluster served by its path.
 * @throws ApiError 406 when the client takes no JSON
 */
export function renderOidcConfiguration(accept: string | null, base: string): Response {
  requireAccepted(accept, "application/json");
  const document = {
    issuer: ISSUER,
    jwks_uri: `${base}${OIDC_JWKS_PATH}`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
  };
  return new Response(JSON.stringify(document), {
    headers: { "content-type": "application/json", "cache-control": CACHE_CONTROL },
  });
}

/** @throws ApiError 406 when the client takes no JWKS (plain JSON does not count) */
export function renderJwks(accept: string | null, jwk: ServiceAccountPublicJwk): Response {
  requireAccepted(accept, JWKS_MEDIA_TYPE);
  return new Response(JSON.stringify({ keys: [jwk] }), {
    headers: { "content-type": JWKS_MEDIA_TYPE, "cache-control": CACHE_CONTROL },
  });
}

function requireAccepted(accept: string | null, type: string): void {
  const accepted = (accept ?? "*/*").split(",").map((range) => range.split(";")[0]!.trim());
  if (accepted.some((range) => range === "*/*" || range === "application/*" || range === type)) return;
  throw failure(406, "NotAcceptable", `406: Not Acceptable\n\nAvailable representations: ${type}`, {});
}
