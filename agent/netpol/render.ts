import type { Direction } from "./policy.ts";
import type { Change, PeerMatch, PortMatch, Rule, Ruleset, SetType } from "./ruleset.ts";

/** The sets that the hooks' chains look into. By direction and family. */
export const verdictMap = (direction: Direction, family: 4 | 6) => `pods-${direction}${family}`;
export const selfSet = (family: 4 | 6) => `self${family}`;
export const ownRanges = (family: 4 | 6) => `own-ranges${family}`;

export const BASE_SETS: [name: string, type: SetType][] = ([4, 6] as const).flatMap((family): [string, SetType][] => [
  [verdictMap("ingress", family), { key: "address", family, isVerdictMap: true }],
  [verdictMap("egress", family), { key: "address", family, isVerdictMap: true }],
  [selfSet(family), { key: "pair", family }],
  [ownRanges(family), { key: "range", family }],
]);

export interface TableOptions {
  table: string;
  /** Where the agent answers names for this node's pods, if policies about their port can be held to there. */
  names?: { address: string; port: number };
}

/** Before a packet filter's own rules (0), after the addresses of services are resolved (-100). */
const PRIORITY: Record<Direction, number> = { egress: -20, ingress: -19 };
const ELEMENTS_PER_LINE = 500;

/** One transaction that puts the whole table in the place of whatever there is by its name. */
export function renderWhole({ sets, chains }: Ruleset, options: TableOptions): string {
  const { table } = options;
  const change: Change = {
    newSets: [...sets].map(([name, { type }]): [string, SetType] => [name, type]).sort(byName),
    removedSets: [],
    added: [...sets]
      .filter(([, { elements }]) => elements.size > 0)
      .map(([name, { elements }]): [string, [string, string][]] => [name, [...elements].sort(byName)])
      .sort(byName),
    removed: [],
    chains: [...chains].sort(byName),
    removedChains: [],
  };
  const begin = [`add table inet ${table}`, `delete table inet ${table}`, `add table inet ${table}`];
  return `${begin.join("\n")}\n${renderChange(change, options, renderHooks(options))}`;
}

/** One transaction; for a table that is as the change expects it. */
export function renderChange(change: Change, { table }: TableOptions, hooks: string[] = []): string {
  const lines = [
    ...change.newSets.map(([name, type]) => `add ${kindOf(type)} inet ${table} ${name} { ${printType(type)}; }`),
    ...change.chains.flatMap(([name]) => [`add chain inet ${table} ${name}`, `flush chain inet ${table} ${name}`]),
    ...change.removedChains.map((name) => `flush chain inet ${table} ${name}`),
    ...change.removed.flatMap(([name, elements]) => elementLines("delete", table, name, elements)),
    ...change.added.flatMap(([name, elements]) => elementLines("add", table, name, elements.map(printElement))),
    ...change.chains.flatMap(([name, chain]) =>
      chain.rules.map((rule) => `add rule inet ${table} ${name} ${renderRule(rule, chain.direction)}`),
    ),
    ...change.removedChains.map((name) => `delete chain inet ${table} ${name}`),
    ...change.removedSets.map(([name, type]) => `delete ${kindOf(type)} inet ${table} ${name}`),
    ...hooks,
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** How many rules each of the hooks' chains has, for whoever looks whether all is there. */
export const hookRules = (options: TableOptions): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const line of renderHooks(options)) {
    const [, chain] = /^add rule inet \S+ (\S+)/.exec(line) ?? [];
    if (chain) counts.set(chain, (counts.get(chain) ?? 0) + 1);
  }
  return counts;
};

/**
 * Each direction has a chain of its own at the hook, so that "accept" in the one still leaves the other to judge. A
 * node's own packets take another hook, and so do those to the node: both are allowed always. Names are the exception:
 * they are asked of the node, but what answers stands for the pods of kube-dns, and is judged as one of them.
 */
function renderHooks({ table, names }: TableOptions): string[] {
  const chain = (direction: Direction, side: "saddr" | "daddr") => {
    const add = `add rule inet ${table} ${direction}`;
    return [
      `add chain inet ${table} ${direction} { type filter hook forward priority ${PRIORITY[direction]}; policy accept; }`,
      `${add} ct state established,related accept`,
      // A bridge's neighbours find each other: IPv6's are packets that come by here.
      `${add} icmpv6 type { nd-router-solicit, nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert } accept`,
      // A pod cannot be kept from itself: through a service it comes back to itself from outside.
      `${add} ip saddr . ip daddr @${selfSet(4)} accept`,
      `${add} ip6 saddr . ip6 daddr @${selfSet(6)} accept`,
      `${add} ip ${side} vmap @${verdictMap(direction, 4)}`,
      `${add} ip6 ${side} vmap @${verdictMap(direction, 6)}`,
      // Of this node, and nobody knows yet which pod's.
      `${add} ip ${side} @${ownRanges(4)} drop`,
      `${add} ip6 ${side} @${ownRanges(6)} drop`,
    ];
  };
  const input = `add rule inet ${table} names`;
  return [
    ...chain("egress", "saddr"),
    ...chain("ingress", "daddr"),
    `add chain inet ${table} names { type filter hook input priority ${PRIORITY.egress}; policy accept; }`,
    `${input} ct state established,related accept`,
    ...(names ? [`${input} ${ruleOfNames(names)}`] : []),
  ];
}

function ruleOfNames({ address, port }: NonNullable<TableOptions["names"]>): string {
  const family = address.includes(":") ? 6 : 4;
  const ip = ipOf(family);
  return `${ip} daddr ${address} meta l4proto { tcp, udp } th dport ${port} ${ip} saddr vmap @${verdictMap("egress", family)}`;
}

export function renderRule(rule: Rule, direction: Direction): string {
  if (rule.verdict === "jump") return `jump ${rule.chain}`;
  if (rule.verdict === "drop") return "drop";
  return [
    ...(rule.peer ? [renderPeer(rule.peer, direction)] : []),
    ...(rule.port ? [renderPort(rule.port)] : []),
    "accept",
  ].join(" ");
}

function renderPeer(peer: PeerMatch, direction: Direction): string {
  const side = `${ipOf(peer.family)} ${direction === "ingress" ? "saddr" : "daddr"}`;
  if ("set" in peer) return `${side} @${peer.set}`;
  // All addresses of a family are no range to nft.
  const block = peer.cidr.endsWith("/0") ? `meta nfproto ipv${peer.family}` : `${side} ${peer.cidr}`;
  return peer.except.length > 0 ? `${block} ${side} != { ${peer.except.join(", ")} }` : block;
}

function renderPort(port: PortMatch): string {
  if ("set" in port) return `${ipOf(port.family)} daddr . meta l4proto . th dport @${port.set}`;
  const protocol = port.protocol.toLowerCase();
  if (!port.ranges) return `meta l4proto ${protocol}`;
  const ranges = port.ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`));
  return `${protocol} dport { ${ranges.join(", ")} }`;
}

const ipOf = (family: 4 | 6) => (family === 4 ? "ip" : "ip6");
const kindOf = ({ isVerdictMap }: SetType) => (isVerdictMap ? "map" : "set");

function printType({ key, family, isVerdictMap }: SetType): string {
  const address = `ipv${family}_addr`;
  const keys = {
    address,
    pair: `${address} . ${address}`,
    endpoint: `${address} . inet_proto . inet_service`,
    range: address,
  };
  return `type ${keys[key]}${isVerdictMap ? " : verdict" : ""}${key === "range" ? "; flags interval" : ""}`;
}

const printElement = ([element, verdict]: [string, string]) => (verdict ? `${element} : ${verdict}` : element);

function elementLines(verb: "add" | "delete", table: string, set: string, elements: string[]): string[] {
  const lines: string[] = [];
  for (let at = 0; at < elements.length; at += ELEMENTS_PER_LINE) {
    lines.push(`${verb} element inet ${table} ${set} { ${elements.slice(at, at + ELEMENTS_PER_LINE).join(", ")} }`);
  }
  return lines;
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : a > b ? 1 : 0;
