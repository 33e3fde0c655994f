/**
 * Authentication: from a request to a user. Client certificates (verified by the TLS front), the admin's token, node
 * credentials and service-account tokens, the last both issued and verified here. What a user may do is authorization's
 * business; what a token request must look like is the TokenRequest handler's.
 */
export { authenticate, reviewToken } from "./authenticate.ts";
export { clusterKeys, clusterNetwork } from "./cluster-keys.ts";
export { OIDC_CONFIGURATION_PATH, OIDC_JWKS_PATH, renderJwks, renderOidcConfiguration } from "./oidc.ts";
export { ISSUER, type TokenOrder } from "./service-account-claims.ts";
export { issueServiceAccountToken } from "./service-account-token.ts";
