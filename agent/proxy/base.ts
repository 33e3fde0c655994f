import { MASQUERADE, MASQUERADE_MARK, type SetName } from "./pieces.ts";
import type { Family } from "./service-port.ts";

/** The chains that hooks call. Priorities: DNAT is -100; what looks at addresses as the client wrote them comes before. */
const BASE_CHAINS: [name: string, hook: string][] = [
  ["filter-prerouting-pre-dnat", "type filter hook prerouting priority -110"],
  ["filter-output-pre-dnat", "type filter hook output priority -110"],
  ["filter-input", "type filter hook input priority 0"],
  ["filter-forward", "type filter hook forward priority 0"],
  ["filter-output", "type filter hook output priority 0"],
  ["nat-prerouting", "type nat hook prerouting priority -100"],
  ["nat-output", "type nat hook output priority -100"],
  ["nat-postrouting", "type nat hook postrouting priority 100"],
];

/** From a base chain to what it does. */
const JUMPS: [from: string, rule: string][] = [
  ["filter-input", "ct state new jump nodeport-endpoints-check"],
  ["filter-input", "ct state new jump service-endpoints-check"],
  ["filter-forward", "ct state new jump service-endpoints-check"],
  ["filter-output", "ct state new jump service-endpoints-check"],
  ["filter-prerouting-pre-dnat", "ct state new jump firewall-check"],
  ["filter-output-pre-dnat", "ct state new jump firewall-check"],
  ["nat-output", "jump services"],
  ["nat-prerouting", "jump services"],
  ["nat-postrouting", "jump masquerading"],
  ["filter-forward", "ct state new jump cluster-ips-check"],
  ["filter-output", "ct state new jump cluster-ips-check"],
];

const MAPS: Record<Exclude<SetName, "cluster-ips" | "hairpin-connections">, "address" | "port"> = {
  "service-ips": "address",
  "service-nodeports": "port",
  "no-endpoint-services": "address",
  "no-endpoint-nodeports": "port",
  "firewall-ips": "address",
};

export interface BaseOptions {
  family: Family;
  table: string;
  /** Tells whose table it is, for whoever finds it. */
  owner: string;
  /** The ranges of cluster addresses: where nobody is behind one, it is dropped rather than sent out. */
  serviceCidrs: readonly string[];
  podCidrs: readonly string[];
  /** The addresses on which node ports answer. */
  nodeIps: readonly string[];
}

/** The chain that marks a table as an agent's, whatever the table is called. */
export const ownerChain = (owner: string) => `hearth-${owner}`;

/**
 * The part of the table that does not depend on Services, in the shape of kube-proxy's nftables mode: written anew as a
 * whole, with every map and set emptied. For one transaction together with what fills them.
 */
export function renderBase({ family, table, owner, serviceCidrs, podCidrs, nodeIps }: BaseOptions): string[] {
  const at = `${family} ${table}`;
  const address = family === "ip6" ? "ipv6_addr" : "ipv4_addr";
  const target = `${family} daddr . meta l4proto . th dport`;
  const lines = [`add table ${at}`, `add chain ${at} ${ownerChain(owner)}`];
  const chain = (name: string, ...rules: string[]) =>
    lines.push(
      `add chain ${at} ${name}`,
      `flush chain ${at} ${name}`,
      ...rules.map((rule) => `add rule ${at} ${name} ${rule}`),
    );
  const set = (name: string, kind: "set" | "map", type: string) =>
    lines.push(`add ${kind} ${at} ${name} { type ${type} ; }`, `flush ${kind} ${at} ${name}`);

  for (const [name, hook] of BASE_CHAINS) {
    lines.push(`add chain ${at} ${name} { ${hook} ; }`, `flush chain ${at} ${name}`);
  }
  set("cluster-ips", "set", address);
  set("hairpin-connections", "set", `${address} . ${address} . inet_proto . inet_service`);
  set("nodeport-ips", "set", address);
  for (const [name, by] of Object.entries(MAPS)) {
    set(name, "map", `${by === "address" ? `${address} . ` : ""}inet_proto . inet_service : verdict`);
  }
  if (nodeIps.length > 0) lines.push(`add element ${at} nodeport-ips { ${nodeIps.join(" , ")} }`);

  // Kernels send only so many ICMP refusals a second; a reset always comes.
  chain("reject-chain", "meta l4proto tcp reject with tcp reset", "reject");
  chain("service-endpoints-check", `${target} vmap @no-endpoint-services`);
  chain(
    "nodeport-endpoints-check",
    `${family} daddr @nodeport-ips meta l4proto . th dport vmap @no-endpoint-nodeports`,
  );
  chain("firewall-check", `${target} vmap @firewall-ips`);
  chain(
    "cluster-ips-check",
    `${family} daddr @cluster-ips goto reject-chain`,
    ...serviceCidrs.map((cidr) => `${family} daddr ${cidr} drop`),
  );
  chain(
    "masquerading",
    `mark and ${MASQUERADE_MARK} != 0 mark set mark xor ${MASQUERADE_MARK} masquerade fully-random`,
    `ct status dnat ${family} saddr . ${family} daddr . meta l4proto . th dport @hairpin-connections masquerade fully-random`,
  );
  chain(
    "services",
    // From a pod of this node an answer comes back here anyway; from elsewhere it would not.
    ...(podCidrs.length > 0
      ? [`${family} daddr @cluster-ips ${family} saddr != { ${podCidrs.join(" , ")} } ${MASQUERADE}`]
      : []),
    `${target} vmap @service-ips`,
    `${family} daddr @nodeport-ips meta l4proto . th dport vmap @service-nodeports`,
  );
  for (const [from, rule] of JUMPS) lines.push(`add rule ${at} ${from} ${rule}`);
  return lines;
}
