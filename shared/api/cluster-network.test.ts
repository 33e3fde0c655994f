import { describe, expect, it } from "vitest";
import {
  apiClusterIp,
  checkNetworkChange,
  DEFAULT_CLUSTER_NETWORK,
  dnsClusterIp,
  parseClusterNetwork,
} from "./cluster-network.ts";

const dual = {
  clusterCidrs: ["10.244.0.0/16", "fd00:10:244::/48"],
  serviceCidrs: ["10.96.0.0/16", "fd00:10:96::/112"],
};

describe("parseClusterNetwork", () => {
  it.each([
    { name: "is IPv4 by default", options: {}, want: DEFAULT_CLUSTER_NETWORK },
    {
      name: "both families",
      options: {
        clusterCidr: "10.244.0.0/16,fd00:10:244::/48",
        serviceClusterIpRange: "10.96.0.0/16,fd00:10:96::/112",
      },
      want: dual,
    },
    {
      name: "in canonical form",
      options: { clusterCidr: "10.1.2.3/16, FD00:0::1/56", serviceClusterIpRange: "10.130.0.0/12" },
      want: { clusterCidrs: ["10.1.0.0/16", "fd00::/56"], serviceCidrs: ["10.128.0.0/12"] },
    },
    {
      name: "IPv6 first",
      options: {
        clusterCidr: "fd00:10:244::/48,10.244.0.0/16",
        serviceClusterIpRange: "fd00:10:96::/112,10.96.0.0/16",
      },
      want: {
        clusterCidrs: ["fd00:10:244::/48", "10.244.0.0/16"],
        serviceCidrs: ["fd00:10:96::/112", "10.96.0.0/16"],
      },
    },
    {
      name: "IPv6 alone",
      options: { clusterCidr: "fd00:10:244::/48", serviceClusterIpRange: "fd00:10:96::/112" },
      want: { clusterCidrs: ["fd00:10:244::/48"], serviceCidrs: ["fd00:10:96::/112"] },
    },
    {
      name: "one alone",
      options: { serviceClusterIpRange: "172.30.0.0/20" },
      want: { clusterCidrs: ["10.244.0.0/16"], serviceCidrs: ["172.30.0.0/20"] },
    },
  ])("$name", ({ options, want }) => expect(parseClusterNetwork(options)).toEqual({ network: want }));

  it.each([
    { options: { clusterCidr: "10.244.0.0" }, why: '--cluster-cidr: "10.244.0.0" is not a CIDR' },
    { options: { clusterCidr: "" }, why: '--cluster-cidr: "" is not a CIDR' },
    { options: { clusterCidr: "::ffff:10.0.0.0/112" }, why: "is not a CIDR" },
    { options: { clusterCidr: "10.0.0.0/16,10.1.0.0/16" }, why: "must be of different IP family" },
    { options: { clusterCidr: "10.0.0.0/16,fd00::/48,10.1.0.0/16" }, why: "more than two entries" },
    {
      options: { clusterCidr: "fd00::/48" },
      why: "10.96.0.0/16 is not of the IP family of the pods' first range, fd00::/48",
    },
    { options: { clusterCidr: "10.0.0.0/16,fd00::/47" }, why: "fd00::/47 must have a prefix of /48 to /64" },
    { options: { clusterCidr: "10.0.0.0/25" }, why: "10.0.0.0/25 must have a prefix of /8 to /24" },
    {
      options: { serviceClusterIpRange: "10.96.0.0/16,fd00::/48" },
      why: "fd00::/48 must have a prefix of /64 to /124",
    },
    { options: { serviceClusterIpRange: "10.96.0.0/29" }, why: "10.96.0.0/29 must have a prefix of /8 to /28" },
    {
      options: { serviceClusterIpRange: "10.244.8.0/24" },
      why: "10.244.0.0/16 overlaps with the services' 10.244.8.0/24",
    },
  ])("refuses: $why", ({ options, why }) => {
    expect(parseClusterNetwork(options)).toEqual({ error: expect.stringContaining(why) });
  });
});

it("has addresses of its own", () => {
  expect([apiClusterIp(dual), dnsClusterIp(dual)]).toEqual(["10.96.0.1", "10.96.0.10"]);
  expect([apiClusterIp, dnsClusterIp].map((of) => of({ serviceCidrs: ["fd00:10:96::/112"] }))).toEqual([
    "fd00:10:96::1",
    "fd00:10:96::a",
  ]);
  expect(dnsClusterIp({ serviceCidrs: ["172.30.16.0/20"] })).toBe("172.30.16.10");
});

it.each([
  { name: "a second family comes", from: DEFAULT_CLUSTER_NETWORK, to: dual, why: undefined },
  { name: "and goes", from: dual, to: DEFAULT_CLUSTER_NETWORK, why: undefined },
  {
    name: "the first stays",
    from: dual,
    to: { ...dual, serviceCidrs: ["10.97.0.0/16"] },
    why: expect.stringContaining("--service-cluster-ip-range: the cluster has 10.96.0.0/16"),
  },
])("of a cluster that is there: $name", ({ from, to, why }) => expect(checkNetworkChange(from, to)).toEqual(why));
