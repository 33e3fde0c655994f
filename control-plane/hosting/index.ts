/**
 * Hosting: which clusters there are and who they are. Each cluster's identity (CA, signing keys, admin token, join
 * tokens, node credentials) lives in one ClusterIdentity object; the routes under /hearth/v1/ create clusters, issue the
 * front door's certificate, and hand out and take join tokens. It knows nothing of Kubernetes objects: what a new
 * cluster contains is the API server's business, and comes in as a function.
 */
export { isCluster } from "./cluster-directory.ts";
export type { PublicIdentity } from "./cluster-identity.ts";
export { fromBase64url, sha256Hex } from "./encoding.ts";
export { certifyNodeApi, HOSTING_PREFIX, handleHostingRequest, identityOf } from "./routes.ts";
export { importServiceAccountPublicKey, type ServiceAccountPublicJwk } from "./service-account-key.ts";
