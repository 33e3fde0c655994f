import type { Secret } from "../../shared/api/types.ts";

export const BOOTSTRAP_TOKEN = "bootstrap.kubernetes.io/token";
const NAMESPACE = "kube-system";
const NAME_PREFIX = "bootstrap-token-";

/** Secrets that hold bootstrap tokens count only in kube-system. */
export const isBootstrapToken = ({ type, metadata }: Secret): boolean =>
  type === BOOTSTRAP_TOKEN && metadata.namespace === NAMESPACE;

const text = ({ data }: Secret, key: string): string => {
  try {
    return atob(data?.[key] ?? "");
  } catch {
    return ""; // no base64: as if it were not there
  }
};

/** When a token expires (epoch ms): Infinity for one that never does, 0 for one whose time is none. */
export function expiryMs(secret: Secret): number {
  const expiration = text(secret, "expiration");
  if (expiration === "") return Number.POSITIVE_INFINITY;
  const isRfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(expiration);
  return isRfc3339 ? Date.parse(expiration) || 0 : 0;
}

/** Id and secret of a token that may sign cluster-info (kubeadm's discovery); undefined for one that may not. */
export function signingToken(secret: Secret, nowMs: number): { id: string; secret: string } | undefined {
  const id = text(secret, "token-id");
  const value = text(secret, "token-secret");
  if (!isBootstrapToken(secret) || secret.metadata.name !== NAME_PREFIX + id) return undefined;
  if (!/^[a-z0-9]{6}$/.test(id) || value === "" || expiryMs(secret) <= nowMs) return undefined;
  return text(secret, "usage-bootstrap-signing") === "true" ? { id, secret: value } : undefined;
}
