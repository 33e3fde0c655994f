import type { Pod } from "../api/index.ts";
import type { DnsConfig } from "../cri/index.ts";

/** Bounds of resolv.conf (KEP-2595). */
const MAX_SERVERS = 3;
const MAX_SEARCHES = 32;

export interface ClusterDns {
  serverIp: string;
  domain: string;
}

/** What the node's own resolv.conf says. */
export function parseResolvConf(text: string): DnsConfig {
  const config: DnsConfig = { servers: [], searches: [], options: [] };
  for (const line of text.split("\n")) {
    const [keyword, ...values] = line.trim().split(/\s+/);
    if (keyword === "nameserver" && values[0]) config.servers.push(values[0]);
    // The last search line wins.
    if (keyword === "search") config.searches = values.map((name) => (name === "." ? name : name.replace(/\.$/, "")));
    if (keyword === "options") config.options = values;
  }
  return config;
}

/** A pod's resolv.conf, by its dnsPolicy and dnsConfig. */
export function decideDns(pod: Pod, cluster: ClusterDns, host: DnsConfig): DnsConfig {
  const { spec } = pod;
  const policy = spec.dnsPolicy ?? "ClusterFirst";
  const usesCluster = policy === "ClusterFirstWithHostNet" || (policy === "ClusterFirst" && !spec.hostNetwork);
  const base: DnsConfig =
    policy === "None"
      ? { servers: [], searches: [], options: [] }
      : usesCluster
        ? {
            servers: [cluster.serverIp],
            searches: [
              `${pod.metadata.namespace}.svc.${cluster.domain}`,
              `svc.${cluster.domain}`,
              cluster.domain,
              ...host.searches,
            ],
            options: ["ndots:5"],
          }
        : host;
  const extra = spec.dnsConfig;
  return {
    servers: unique([...base.servers, ...(extra?.nameservers ?? [])]).slice(0, MAX_SERVERS),
    searches: unique([...base.searches, ...(extra?.searches ?? [])]).slice(0, MAX_SEARCHES),
    options: mergeOptions(base.options, extra?.options ?? []),
  };
}

/** The pod's options replace those of the same name. */
function mergeOptions(base: string[], extra: { name?: string; value?: string }[]): string[] {
  const byName = new Map(base.map((option) => [option.split(":")[0]!, option]));
  for (const { name, value } of extra) {
    if (name) byName.set(name, value === undefined || value === "" ? name : `${name}:${value}`);
  }
  return [...byName.values()];
}

const unique = (list: string[]) => [...new Set(list)];
