export interface HostAlias {
  ip: string;
  hostnames?: string[];
}

const HEADER = "# Kubernetes-managed hosts file.\n";
const HOST_NETWORK_HEADER = "# Kubernetes-managed hosts file (host network).\n";

const LOCAL_ENTRIES = `127.0.0.1	localhost
::1	localhost ip6-localhost ip6-loopback
fe00::0	ip6-localnet
fe00::0	ip6-mcastprefix
fe00::1	ip6-allnodes
fe00::2	ip6-allrouters
`;

/** A pod's /etc/hosts: its own name for each of its addresses, and its aliases. */
export function renderHostsFile({
  podIps,
  hostname,
  domain,
  hostAliases = [],
}: {
  podIps: string[];
  hostname: string;
  domain: string;
  hostAliases?: HostAlias[];
}): string {
  const names = domain ? `${hostname}.${domain}\t${hostname}` : hostname;
  const own = podIps.map((ip) => `${ip}\t${names}\n`).join("");
  return HEADER + LOCAL_ENTRIES + own + renderAliases(hostAliases);
}

/** For a pod in the host's network: the node's own file, with the pod's aliases. */
export const renderHostNetworkHostsFile = (nodeHosts: string, hostAliases: HostAlias[] = []) =>
  HOST_NETWORK_HEADER + nodeHosts + renderAliases(hostAliases);

function renderAliases(aliases: HostAlias[]): string {
  if (aliases.length === 0) return "";
  const lines = aliases.map(({ ip, hostnames }) => `${ip}\t${(hostnames ?? []).join("\t")}\n`);
  return `\n# Entries added by HostAliases.\n${lines.join("")}`;
}
