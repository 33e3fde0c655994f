/** A kubeconfig for the cluster's administrator. */
export function renderKubeconfig({ server, caPem, token }: { server: string; caPem: string; token: string }): string {
  return `apiVersion: v1
kind: Config
clusters:
- name: hearth
  cluster:
    server: ${server}
    certificate-authority-data: ${Buffer.from(caPem).toString("base64")}
contexts:
- name: hearth
  context:
    cluster: hearth
    user: admin
current-context: hearth
users:
- name: admin
  user:
    token: ${token}
`;
}
