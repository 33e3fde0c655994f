import type { Service } from "./types.ts";

/** Where pods ask for names. */
export const DNS_CLUSTER_IP = "10.96.0.10";

/** The Service of names, as kubeadm makes it. The agents of nodes answer while no pod has the label. */
export const kubeDnsService = (): Service => ({
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
    clusterIP: DNS_CLUSTER_IP,
    selector: { "k8s-app": "kube-dns" },
    ports: [
      { name: "dns", protocol: "UDP", port: 53, targetPort: 53 as never },
      { name: "dns-tcp", protocol: "TCP", port: 53, targetPort: 53 as never },
      { name: "metrics", protocol: "TCP", port: 9153, targetPort: 9153 as never },
    ],
  },
});
