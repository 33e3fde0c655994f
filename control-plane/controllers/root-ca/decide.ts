import type { ConfigMap, Namespace } from "../../../shared/api/types.ts";
import { isGoing } from "../namespace-state.ts";

export const ROOT_CA_CONFIG_MAP = "kube-root-ca.crt";

const DESCRIPTION = "kubernetes.io/description";
const DESCRIPTION_TEXT =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

export type Plan = { write: "none" } | { write: "create" | "update"; configMap: ConfigMap };

/** Brings kube-root-ca.crt of a namespace to exactly the cluster's CA: other keys are taken out. */
export function decide(
  { namespace, current }: { namespace: Namespace | undefined; current: ConfigMap | undefined },
  caCertificatePem: string,
): Plan {
  if (!namespace || isGoing(namespace)) return { write: "none" };
  const data = { "ca.crt": caCertificatePem };
  if (!current) {
    const metadata = {
      name: ROOT_CA_CONFIG_MAP,
      namespace: namespace.metadata.name,
      annotations: { [DESCRIPTION]: DESCRIPTION_TEXT },
    };
    return { write: "create", configMap: { apiVersion: "v1", kind: "ConfigMap", metadata, data } };
  }
  const isSame =
    JSON.stringify(current.data) === JSON.stringify(data) &&
    current.metadata.annotations?.[DESCRIPTION] === DESCRIPTION_TEXT;
  if (isSame) return { write: "none" };
  const annotations = { ...current.metadata.annotations, [DESCRIPTION]: DESCRIPTION_TEXT };
  return { write: "update", configMap: { ...current, metadata: { ...current.metadata, annotations }, data } };
}
