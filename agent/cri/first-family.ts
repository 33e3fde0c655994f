import type { CriClient } from "./client.ts";

/**
 * A runtime that tells pods' addresses of the cluster's first family first, whatever its own order: containerd has IPv4
 * first, as long as nobody configures it. The kubelet sorts them likewise, by its node's first address.
 */
export const withFirstFamily = (cri: CriClient, family: 4 | 6): CriClient => ({
  ...cri,
  async podSandboxStatus(id, verbose) {
    const response = await cri.podSandboxStatus(id, verbose);
    const { network } = response.status;
    if (!network) return response;
    const ips = [network.ip, ...network.additionalIps.map((each) => each.ip)].filter((ip) => ip !== "");
    const isFirst = (ip: string) => ip.includes(":") === (family === 6);
    const [ip = "", ...others] = [...ips.filter(isFirst), ...ips.filter((each) => !isFirst(each))];
    const sorted = { ...network, ip, additionalIps: others.map((other) => ({ ip: other })) };
    return { ...response, status: { ...response.status, network: sorted } };
  },
});
