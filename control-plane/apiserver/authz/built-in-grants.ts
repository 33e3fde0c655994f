import { AUTHENTICATED, UNAUTHENTICATED } from "./access.ts";
import type { Grant } from "./rbac.ts";

const group = (name: string) => ({ kind: "Group", name });

const grant = (name: string, groups: string[], rules: Grant["rules"]): Grant => ({
  binding: `ClusterRoleBinding ${JSON.stringify(name)}`,
  role: `ClusterRole ${JSON.stringify(name)}`,
  subjects: groups.map(group),
  rules,
});

const DISCOVERY_PATHS = [
  "/api",
  "/api/*",
  "/apis",
  "/apis/*",
  "/healthz",
  "/livez",
  "/openapi",
  "/openapi/*",
  "/readyz",
  "/version",
  "/version/",
];
const PUBLIC_PATHS = ["/healthz", "/livez", "/readyz", "/version", "/version/"];

/**
 * What upstream grants in every cluster by default roles that anybody needs to begin with. They hold whether or not
 * the cluster has the objects; the rest of upstream's default roles are objects or nothing.
 */
export const BUILT_IN_GRANTS: Grant[] = [
  grant(
    "system:public-info-viewer",
    [AUTHENTICATED, UNAUTHENTICATED],
    [{ verbs: ["get"], nonResourceURLs: PUBLIC_PATHS }],
  ),
  grant("system:discovery", [AUTHENTICATED], [{ verbs: ["get"], nonResourceURLs: DISCOVERY_PATHS }]),
  grant(
    "system:basic-user",
    [AUTHENTICATED],
    [
      {
        verbs: ["create"],
        apiGroups: ["authorization.k8s.io"],
        resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
      },
      { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
    ],
  ),
  grant(
    "system:service-account-issuer-discovery",
    ["system:serviceaccounts"],
    [{ verbs: ["get"], nonResourceURLs: ["/.well-known/openid-configuration", "/openid/v1/jwks"] }],
  ),
];
