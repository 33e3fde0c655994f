import type { Secret, ServiceAccount } from "../../../shared/api/types.ts";

export const ACCOUNT_TOKEN = "kubernetes.io/service-account-token";
export const ACCOUNT_NAME = "kubernetes.io/service-account.name";
export const ACCOUNT_UID = "kubernetes.io/service-account.uid";
/** What the cache holds in place of a token. */
export const TOKEN_IS_THERE = "cHJlc2VudA==";

/**
 * - remove: the account is gone, or another one of that name
 * - fill: the data that are to be added; `token` says whether one is to be signed
 */
export type Plan =
  | { step: "none" }
  | { step: "remove" }
  | { step: "fill"; data: Record<string, string>; token: boolean; annotations: Record<string, string> };

/** What a Secret of type service-account-token lacks. @param account the one its annotation names */
export function decide(secret: Secret, account: ServiceAccount | undefined, caCertificatePem: string): Plan {
  if (secret.metadata.deletionTimestamp) return { step: "none" };
  const uid = secret.metadata.annotations?.[ACCOUNT_UID];
  if (!account || (uid && uid !== account.metadata.uid)) return { step: "remove" };
  const ca = btoa(caCertificatePem);
  const data: Record<string, string> = {};
  if (secret.data?.["ca.crt"] !== ca) data["ca.crt"] = ca;
  if (!secret.data?.["namespace"]) data["namespace"] = btoa(secret.metadata.namespace ?? "");
  const token = !secret.data?.["token"];
  if (!token && Object.keys(data).length === 0) return { step: "none" };
  const annotations = { [ACCOUNT_NAME]: account.metadata.name, [ACCOUNT_UID]: account.metadata.uid ?? "" };
  return { step: "fill", data, token, annotations };
}

/** The claims of a token that lies in a Secret: it holds for as long as the Secret does. */
export function legacyClaims(secret: Secret, account: ServiceAccount): Record<string, string> {
  const { name, namespace = "", uid = "" } = account.metadata;
  return {
    iss: "kubernetes/serviceaccount",
    "kubernetes.io/serviceaccount/namespace": namespace,
    "kubernetes.io/serviceaccount/secret.name": secret.metadata.name,
    "kubernetes.io/serviceaccount/service-account.name": name,
    "kubernetes.io/serviceaccount/service-account.uid": uid,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
}
