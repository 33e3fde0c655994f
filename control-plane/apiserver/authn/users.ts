import type { UserInfo } from "../attributes.ts";
import type { ServiceAccountClaims } from "./service-account-claims.ts";

const AUTHENTICATED = "system:authenticated";
const CREDENTIAL_ID = "authentication.kubernetes.io/credential-id";

/** Bearer of the kubeconfig that `hearth up` writes. */
export const adminUser = (): UserInfo => ({
  username: "admin",
  uid: "admin",
  groups: ["system:masters", AUTHENTICATED],
});

export const nodeUser = (node: string): UserInfo => ({
  username: `system:node:${node}`,
  groups: ["system:nodes", AUTHENTICATED],
});

/** CN is the user, each O a group (kube-apiserver's CommonNameUserConversion). */
export const certificateUser = (certificate: { cn: string; o: string[]; sha256: string }): UserInfo => ({
  username: certificate.cn,
  groups: [...certificate.o, AUTHENTICATED],
  extra: { [CREDENTIAL_ID]: [`X509SHA256=${certificate.sha256}`] },
});

export function serviceAccountUser(claims: Pick<ServiceAccountClaims, "jti" | "kubernetes.io">): UserInfo {
  const { namespace, serviceaccount, pod, node } = claims["kubernetes.io"];
  const extra: Record<string, string[]> = {};
  if (claims.jti) extra[CREDENTIAL_ID] = [`JTI=${claims.jti}`];
  if (pod) {
    extra["authentication.kubernetes.io/pod-name"] = [pod.name];
    extra["authentication.kubernetes.io/pod-uid"] = [pod.uid];
  }
  if (node) {
    extra["authentication.kubernetes.io/node-name"] = [node.name];
    if (node.uid) extra["authentication.kubernetes.io/node-uid"] = [node.uid];
  }
  return {
    username: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
    uid: serviceaccount.uid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, AUTHENTICATED],
    ...(Object.keys(extra).length ? { extra } : {}),
  };
}
