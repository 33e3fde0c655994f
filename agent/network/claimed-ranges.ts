import { type IpRange, parseCidr, parseIp, rangeContains, rangesOverlap } from "../../shared/api/ip.ts";
import type { Node, ServiceCIDR } from "../../shared/api/types.ts";
import type { Informer } from "../informer/index.ts";
import type { Log } from "../log/index.ts";

/**
 * A Node without what it claims of the Services' ranges: an agent writes its own Node's addresses, and nobody is to get
 * packets for Services by saying that it is one. The same object where there is nothing to take away.
 */
export function withoutServiceRanges(node: Node, services: readonly IpRange[]): Node {
  const { spec, status } = node;
  const isClaimed = (address: string) => {
    const ip = parseIp(address);
    return ip !== undefined && services.some((range) => rangeContains(range, ip));
  };
  const isMet = (cidr: string) => {
    const range = parseCidr(cidr);
    return range !== undefined && services.some((each) => rangesOverlap(each, range));
  };
  const podCidrs = spec?.podCIDRs ?? (spec?.podCIDR !== undefined ? [spec.podCIDR] : []);
  const addresses = status?.addresses ?? [];
  const keptCidrs = podCidrs.filter((cidr) => !isMet(cidr));
  const keptAddresses = addresses.filter(({ address }) => !isClaimed(address));
  if (keptCidrs.length === podCidrs.length && keptAddresses.length === addresses.length) return node;
  const { podCIDR: _, podCIDRs: __, ...otherSpec } = spec ?? {};
  const [podCIDR] = keptCidrs;
  return {
    ...node,
    spec: { ...otherSpec, ...(podCIDR !== undefined && { podCIDR, podCIDRs: keptCidrs }) },
    status: { ...status, addresses: keptAddresses },
  };
}

/**
 * The cluster's nodes as every part of the network sees them. Where this machine's own network meets the Services' ranges
 * it is its owner's mistake, and no claim.
 */
export function checkedNodes(
  nodes: Informer<Node>,
  serviceCidrs: Pick<Informer<ServiceCIDR>, "list" | "onChange" | "isKnown" | "known">,
  { nodeName, log }: { nodeName: string; log: Log },
): Informer<Node> {
  let texts = "";
  let ranges: IpRange[] = [];
  let checked = new WeakMap<Node, Node>();
  const told = new Set<string>();

  function readRanges(): void {
    const cidrs = serviceCidrs
      .list()
      .flatMap(({ spec }) => spec?.cidrs ?? [])
      .sort();
    if (cidrs.join() === texts) return;
    texts = cidrs.join();
    ranges = cidrs.map(parseCidr).filter((range) => range !== undefined);
    checked = new WeakMap();
  }

  function check(node: Node): Node {
    if (node.metadata.name === nodeName) return node;
    const known = checked.get(node);
    if (known) return known;
    const trusted = withoutServiceRanges(node, ranges);
    checked.set(node, trusted);
    if (trusted === node) told.delete(node.metadata.name);
    else if (!told.has(node.metadata.name)) {
      told.add(node.metadata.name);
      log("warn", "a node claims addresses of Services, which are not its own", { node: node.metadata.name });
    }
    return trusted;
  }

  const isKnown = () => nodes.isKnown() && serviceCidrs.isKnown();
  /** Nothing is believed of others before it is known what is not theirs. */
  const isTold = (node: Node) => serviceCidrs.isKnown() || node.metadata.name === nodeName;
  readRanges();
  // Before those who ask: listeners are told in the order in which they came.
  serviceCidrs.onChange(readRanges);
  return {
    isKnown,
    isSynced: nodes.isSynced,
    known: Promise.all([nodes.known, serviceCidrs.known]).then(() => undefined),
    list: () => nodes.list().filter(isTold).map(check),
    get(key) {
      const node = nodes.get(key);
      return node && isTold(node) ? check(node) : undefined;
    },
    onChange(listener) {
      const ends = [
        nodes.onChange(listener),
        serviceCidrs.onChange(() => listener(new Set(nodes.list().map(({ metadata }) => metadata.name)))),
      ];
      return () => {
        for (const end of ends) end();
      };
    },
  };
}
