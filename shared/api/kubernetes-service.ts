import { apiClusterIp, type ClusterNetwork } from "./cluster-network.ts";
import type { Service } from "./types.ts";

/** kube-apiserver's default. */
const API_PORT = 6443;

/** The Service of the API itself. @param apiPort the port that the API server listens on */
export const kubernetesService = (network: ClusterNetwork, apiPort = API_PORT): Service => ({
  metadata: {
    name: "kubernetes",
    namespace: "default",
    labels: { component: "apiserver", provider: "kubernetes" },
  },
  spec: {
    type: "ClusterIP",
    clusterIP: apiClusterIp(network),
    ipFamilyPolicy: "SingleStack",
    internalTrafficPolicy: "Cluster",
    sessionAffinity: "None",
    ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: apiPort as never }],
  },
});
