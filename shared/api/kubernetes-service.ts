import type { Service } from "./types.ts";

/** First address of the service range. */
export const API_CLUSTER_IP = "10.96.0.1";
/** kube-apiserver's default. */
const API_PORT = 6443;

/** The Service of the API itself. @param apiPort the port that the API server listens on */
export const kubernetesService = (apiPort = API_PORT): Service => ({
  metadata: {
    name: "kubernetes",
    namespace: "default",
    labels: { component: "apiserver", provider: "kubernetes" },
  },
  spec: {
    type: "ClusterIP",
    clusterIP: API_CLUSTER_IP,
    ipFamilyPolicy: "SingleStack",
    internalTrafficPolicy: "Cluster",
    sessionAffinity: "None",
    ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: apiPort as never }],
  },
});
