import { type ClusterNetwork, dnsClusterIp } from "./cluster-network.ts";
import type { Service } from "./types.ts";

/** The Service of names, as kubeadm makes it. The agents of nodes answer while no pod has the label. */
export const kubeDnsService = (network: ClusterNetwork): Service => ({
  metadata: {
    name: "kube-dns",
    namespace: "kube-system",
    labels: {
      "k8s-app": "kube-dns",
      "kubernetes.io/cluster-service": "true",
      "kubernetes.io/name": "CoreDNS",
    },
    annotations: { "prometheus.io/port": "9153", "prometheus.io/scrape": "true" },
  },
  spec: {
    type: "ClusterIP",
    clusterIP: dnsClusterIp(network),
    selector: { "k8s-app": "kube-dns" },
    ports: [
      { name: "dns", protocol: "UDP", port: 53, targetPort: 53 as never },
      { name: "dns-tcp", protocol: "TCP", port: 53, targetPort: 53 as never },
      { name: "metrics", protocol: "TCP", port: 9153, targetPort: 9153 as never },
    ],
  },
});
