import { type IpAddress, printCidr, printIp } from "../../shared/api/ip.ts";
import type { Path } from "./decide-paths.ts";
import { RELAY_SOURCE } from "./names.ts";
import type { Peer } from "./peer.ts";
import type { Overlay } from "./plan.ts";

export interface MasqueradeInputs {
  table: string;
  self: Peer;
  peers: readonly Peer[];
  paths: readonly Path[];
  bridgeName: string;
  overlays: readonly Pick<Overlay, "name" | "id" | "port" | "sourcePort">[];
  wireguard?: {
    /** The device's name; absent: there is none. */
    name?: string;
    /** Nodes that are reached through it. */
    nodeAddresses: readonly IpAddress[];
  };
}

/**
 * The rules of the pod network, to replace what was there in one transaction. What pods send to the outside has the
 * node's address, or no answer would find back. Pods among themselves, and the nodes that have a route to pods, see each
 * other's true addresses. Encapsulated packets are taken from nodes alone: anyone else's, a pod's say, would come in past
 * every policy.
 */
export function renderTable(inputs: MasqueradeInputs): string {
  const { table, self, peers, paths, bridgeName, overlays, wireguard } = inputs;
  const direct = new Set(paths.filter(({ kind }) => kind === "direct").map(({ peer }) => peer));
  const lines = [`table inet ${table} {}`, `delete table inet ${table}`, `table inet ${table} {`];
  for (const family of [4, 6] as const) {
    const ranges = [self, ...peers]
      .flatMap(({ podCidrs }) => podCidrs.filter((cidr) => cidr.family === family))
      .map(printCidr);
    const nodes = [
      ...peers.filter(({ name }) => direct.has(name)).flatMap(({ addresses }) => addresses),
      ...(wireguard?.nodeAddresses ?? []),
    ]
      .filter((each) => each.family === family)
      .map(printIp);
    const senders = peers.flatMap(({ addresses }) => addresses.filter((each) => each.family === family).map(printIp));
    lines.push(
      ...renderSet(`cluster${family}`, family, [...ranges, ...nodes]),
      ...renderSet(`nodes${family}`, family, senders),
    );
  }
  lines.push("  chain postrouting {", "    type nat hook postrouting priority srcnat; policy accept;");
  for (const cidr of self.podCidrs) {
    const protocol = cidr.family === 4 ? "ip" : "ip6";
    const multicast = cidr.family === 4 ? "224.0.0.0/4" : "ff00::/8";
    const range = printCidr(cidr);
    lines.push(
      `    ${protocol} saddr ${range} ${protocol} daddr { ${range}, ${multicast} } return`,
      `    ${protocol} saddr ${range} ${protocol} daddr != @cluster${cidr.family} masquerade`,
    );
  }
  lines.push("  }");
  if (overlays.length > 0) lines.push(...renderInput(overlays, bridgeName));
  const devices = [...overlays, ...(wireguard?.name === undefined ? [] : [{ name: wireguard.name }])];
  if (devices.length > 0) lines.push(...renderForward(devices));
  return `${lines.join("\n")}\n}\n`;
}

/** Ranges may lie in one another; nft joins them. */
function renderSet(name: string, family: 4 | 6, elements: string[]): string[] {
  const list = [...new Set(elements)].sort();
  return [
    `  set ${name} {`,
    `    type ipv${family}_addr`,
    "    flags interval",
    "    auto-merge",
    ...(list.length > 0 ? [`    elements = { ${list.join(", ")} }`] : []),
    "  }",
  ];
}

const renderInput = (overlays: MasqueradeInputs["overlays"], bridgeName: string): string[] => [
  "  chain input {",
  "    type filter hook input priority filter; policy accept;",
  ...overlays.flatMap((overlay) =>
    overlay.sourcePort === undefined ? fromNodes(overlay, bridgeName) : fromAgent(overlay.port, overlay.sourcePort),
  ),
  "  }",
];

const renderForward = (devices: readonly { name: string }[]): string[] => [
  "  chain forward {",
  "    type filter hook forward priority mangle; policy accept;",
  // A firewall on the way may swallow the ICMP that would tell a sender the size that fits.
  ...devices.map(({ name }) => `    oifname "${name}" tcp flags syn tcp option maxseg size set rt mtu`),
  "  }",
];

/** The VNI stands in the datagram behind flags: 32 bits of the VXLAN header, after the 64 of UDP's. */
const fromNodes = ({ id, port }: { id: number; port: number }, bridgeName: string): string[] => [
  `    udp dport ${port} @th,96,24 ${id} iifname "${bridgeName}" drop`,
  `    meta nfproto ipv4 udp dport ${port} @th,96,24 ${id} ip saddr != @nodes4 drop`,
  `    meta nfproto ipv6 udp dport ${port} @th,96,24 ${id} ip6 saddr != @nodes6 drop`,
];

/** The relay's device has its packets from the agent, which holds the port that they are sent from; and the agent from it. */
const fromAgent = (port: number, agentPort: number): string[] => [
  `    udp dport { ${port}, ${agentPort} } iifname != "lo" drop`,
  `    meta nfproto ipv4 udp dport ${port} ip saddr != ${RELAY_SOURCE} drop`,
  `    meta nfproto ipv6 udp dport ${port} drop`,
  `    udp dport ${port} udp sport != ${agentPort} drop`,
];
