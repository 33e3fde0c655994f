/** The service range's tenth address and the domain, as kubeadm sets them. */
export const CLUSTER_DNS = "10.96.0.10";
export const CLUSTER_DOMAIN = "cluster.local";

/** KubeletConfiguration (kubelet.config.k8s.io/v1beta1): the values this agent works with, for `configz`. */
export const kubeletConfiguration = (podLogsDir: string): Record<string, unknown> => ({
  kind: "KubeletConfiguration",
  apiVersion: "kubelet.config.k8s.io/v1beta1",
  clusterDNS: [CLUSTER_DNS],
  clusterDomain: CLUSTER_DOMAIN,
  maxPods: 110,
  nodeStatusUpdateFrequency: "10s",
  nodeStatusReportFrequency: "5m0s",
  nodeLeaseDurationSeconds: 40,
  podLogsDir,
  serializeImagePulls: true,
});
