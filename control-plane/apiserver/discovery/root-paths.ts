import { GROUPS } from "../../../shared/schema/index.ts";
import { OIDC_CONFIGURATION_PATH, OIDC_JWKS_PATH } from "../authn/index.ts";
import { HEALTH_PATHS } from "../health.ts";

const DOCUMENTS = ["/metrics", "/openapi/v2", "/openapi/v3", "/version"];

/** Every path that is served and is no resource's, in order: `kubectl get --raw /`. */
export function rootPaths(): string[] {
  const groups = GROUPS.flatMap(({ name, versions }) => {
    const root = name === "" ? "/api" : `/apis/${name}`;
    return [root, ...versions.map((version) => `${root}/${version}`)];
  });
  return [...groups, "/apis", "/apis/", OIDC_CONFIGURATION_PATH, OIDC_JWKS_PATH, ...HEALTH_PATHS, ...DOCUMENTS].sort();
}
