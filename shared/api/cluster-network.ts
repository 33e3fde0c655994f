import { type IpRange, parseCidr, printCidr, printIp, rangesOverlap } from "./ip.ts";

/** Which addresses a cluster hands out. In each list one range, or one of each family; the family of the first is the cluster's. */
export interface ClusterNetwork {
  /** Of pods (kube-controller-manager's `--cluster-cidr`): each node gets a part of each range. */
  clusterCidrs: string[];
  /** Of Services (kube-apiserver's `--service-cluster-ip-range`). */
  serviceCidrs: string[];
}

export const DEFAULT_CLUSTER_NETWORK: ClusterNetwork = {
  clusterCidrs: ["10.244.0.0/16"],
  serviceCidrs: ["10.96.0.0/16"],
};

/** What a node gets of each range: upstream's `--node-cidr-mask-size-ipv4` and `-ipv6`. */
export const NODE_PREFIX = { 4: 24, 6: 64 } as const;
/** Upstream's bound of the ranges that nodes can be given: 2 to the power of so many. */
const MAX_NODE_BITS = 16;
/** The tenth address is that of names. */
const LONGEST_SERVICE_PREFIX = { 4: 28, 6: 124 } as const;
/** kube-apiserver's, for IPv6; and kubeadm's range is no larger either. */
const SHORTEST_SERVICE_PREFIX = { 4: 8, 6: 64 } as const;

/** The family of names and the API, of Services that do not ask for another, and of pods' and nodes' first addresses. */
export const primaryFamily = ({ serviceCidrs }: Pick<ClusterNetwork, "serviceCidrs">): 4 | 6 =>
  serviceCidrs[0]?.includes(":") ? 6 : 4;

/** The first address of the range of Services: that of the API. */
export const apiClusterIp = ({ serviceCidrs }: Pick<ClusterNetwork, "serviceCidrs">): string =>
  addressAt(serviceCidrs, 1n);

/** The tenth, as kubeadm sets it: where pods ask for names. */
export const dnsClusterIp = ({ serviceCidrs }: Pick<ClusterNetwork, "serviceCidrs">): string =>
  addressAt(serviceCidrs, 10n);

function addressAt([cidr = ""]: string[], offset: bigint): string {
  const range = parseCidr(cidr);
  if (!range) throw new RangeError(`"${cidr}" is no range of addresses`);
  return printIp({ family: range.family, value: range.first + offset });
}

/**
 * Reads upstream's two options, lists with a comma; one that is not given keeps its value of `base`.
 * @returns the network in canonical form, or what is wrong, which begins with the option's name
 */
export function parseClusterNetwork(
  options: { clusterCidr?: string | undefined; serviceClusterIpRange?: string | undefined },
  base: ClusterNetwork = DEFAULT_CLUSTER_NETWORK,
): { network: ClusterNetwork } | { error: string } {
  const pods = parseRanges("--cluster-cidr", options.clusterCidr, base.clusterCidrs);
  if ("error" in pods) return pods;
  const services = parseRanges("--service-cluster-ip-range", options.serviceClusterIpRange, base.serviceCidrs);
  if ("error" in services) return services;
  for (const range of pods.ranges) {
    const bits = NODE_PREFIX[range.family] - range.prefixLength;
    if (bits >= 0 && bits <= MAX_NODE_BITS) continue;
    const shortest = NODE_PREFIX[range.family] - MAX_NODE_BITS;
    return refuse(
      "--cluster-cidr",
      `${printCidr(range)} must have a prefix of /${shortest} to /${NODE_PREFIX[range.family]}`,
    );
  }
  for (const range of services.ranges) {
    const [shortest, longest] = [SHORTEST_SERVICE_PREFIX[range.family], LONGEST_SERVICE_PREFIX[range.family]];
    if (range.prefixLength >= shortest && range.prefixLength <= longest) continue;
    return refuse(
      "--service-cluster-ip-range",
      `${printCidr(range)} must have a prefix of /${shortest} to /${longest}`,
    );
  }
  const [pod, service] = [pods.ranges[0]!, services.ranges[0]!];
  if (pod.family !== service.family) {
    const why = `${printCidr(service)} is not of the IP family of the pods' first range, ${printCidr(pod)}`;
    return refuse("--service-cluster-ip-range", why);
  }
  for (const pod of pods.ranges) {
    const clash = services.ranges.find((service) => rangesOverlap(pod, service));
    if (clash) return refuse("--cluster-cidr", `${printCidr(pod)} overlaps with the services' ${printCidr(clash)}`);
  }
  return { network: { clusterCidrs: pods.ranges.map(printCidr), serviceCidrs: services.ranges.map(printCidr) } };
}

function parseRanges(
  option: string,
  text: string | undefined,
  base: string[],
): { ranges: IpRange[] } | { error: string } {
  const parts = text === undefined ? base : text.split(",").map((part) => part.trim());
  if (parts.length > 2) return refuse(option, "must not contain more than two entries");
  const ranges: IpRange[] = [];
  for (const part of parts) {
    const range = parseCidr(part);
    if (!range || range.mapped) return refuse(option, `"${part}" is not a CIDR, like 10.0.0.0/16 or fd00::/108`);
    ranges.push(range);
  }
  const [first, second] = ranges;
  if (second && first?.family === second.family) {
    return refuse(option, "must be of different IP family");
  }
  return { ranges };
}

const refuse = (option: string, why: string) => ({ error: `${option}: ${why}` });

/**
 * Whether a cluster may go over to another network: the second family may come, change and go. The first ranges stay, as
 * addresses out of them are in nodes' configurations and certificates.
 * @returns what is wrong; undefined if it may
 */
export function checkNetworkChange(current: ClusterNetwork, wanted: ClusterNetwork): string | undefined {
  const lists = [
    ["--cluster-cidr", current.clusterCidrs, wanted.clusterCidrs],
    ["--service-cluster-ip-range", current.serviceCidrs, wanted.serviceCidrs],
  ] as const;
  for (const [option, [now], [then]] of lists) {
    if (now !== then)
      return `${option}: the cluster has ${now}, which cannot be changed to ${then}; only a second range may come and go`;
  }
  return undefined;
}
