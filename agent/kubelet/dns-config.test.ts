import { describe, expect, it } from "vitest";
import { aPod } from "../../test/builders/kubelet.ts";
import { decideDns, parseResolvConf, whyResolvConfTooLong } from "./dns-config.ts";

const HOST = { servers: ["192.0.2.1"], searches: ["lab.example"], options: ["timeout:2"] };
const CLUSTER = { serverIp: "10.96.0.10", domain: "cluster.local" };
const CLUSTER_FIRST = {
  servers: ["10.96.0.10"],
  searches: ["default.svc.cluster.local", "svc.cluster.local", "cluster.local", "lab.example"],
  options: ["ndots:5"],
};

describe("decideDns", () => {
  it.each([
    { name: "ClusterFirst", spec: {}, want: CLUSTER_FIRST },
    { name: "ClusterFirst in the host's network is Default", spec: { hostNetwork: true }, want: HOST },
    {
      name: "ClusterFirstWithHostNet",
      spec: { hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" },
      want: CLUSTER_FIRST,
    },
    { name: "Default", spec: { dnsPolicy: "Default" }, want: HOST },
    {
      name: "None with the pod's own",
      spec: {
        dnsPolicy: "None",
        dnsConfig: { nameservers: ["1.1.1.1"], searches: ["a"], options: [{ name: "edns0" }] },
      },
      want: { servers: ["1.1.1.1"], searches: ["a"], options: ["edns0"] },
    },
    {
      name: "the pod's options replace those of the same name, and lists have no doubles",
      spec: { dnsConfig: { nameservers: ["10.96.0.10"], options: [{ name: "ndots", value: "2" }] } },
      want: { ...CLUSTER_FIRST, options: ["ndots:2"] },
    },
  ])("$name", ({ spec, want }) => expect(decideDns(aPod(spec), CLUSTER, HOST)).toEqual(want));
});

describe("what fits into a resolv.conf", () => {
  const names = (count: number, length = 3) =>
    Array.from({ length: count }, (_, index) => String(index).padStart(length, "n"));
  const searchesOf = (searches: string[]) => {
    const told: string[] = [];
    const pod = aPod({ dnsPolicy: "None", dnsConfig: { nameservers: ["192.0.2.1"], searches } });
    return { ...decideDns(pod, CLUSTER, HOST, (message) => told.push(message)), told };
  };

  it("is three servers", () => {
    const told: string[] = [];
    const dnsConfig = { nameservers: ["192.0.2.1", "192.0.2.2", "192.0.2.3"] };
    expect(decideDns(aPod({ dnsConfig }), CLUSTER, HOST, (message) => told.push(message)).servers).toEqual([
      "10.96.0.10",
      "192.0.2.1",
      "192.0.2.2",
    ]);
    expect(told).toEqual([
      "Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: 10.96.0.10 192.0.2.1 192.0.2.2",
    ]);
  });

  it.each([
    { name: "32 domains", searches: names(32), want: names(32) },
    { name: "not a 33rd", searches: names(33), want: names(32) },
    { name: "253 characters in one", searches: names(1, 253), want: names(1, 253) },
    { name: "not 254", searches: ["a", ...names(1, 254), "b"], want: ["a", "b"] },
    {
      name: "2048 characters in all",
      searches: [...names(8, 227), "x".repeat(224)],
      want: [...names(8, 227), "x".repeat(224)],
    },
    { name: "not 2049", searches: [...names(8, 227), "x".repeat(225)], want: names(8, 227) },
  ])("is $name", ({ searches, want }) => {
    const got = searchesOf(searches);
    expect(got.searches).toEqual(want);
    const omitted = `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${want.join(" ")}`;
    expect(got.told).toEqual(want.length < searches.length ? [omitted] : []);
  });

  it.each([
    { name: "29 domains", searches: names(29), want: undefined },
    {
      name: "30 domains",
      searches: names(30),
      want: "Resolv.conf file '/r' contains search line consisting of more than 29 domains!",
    },
    {
      name: "a long one",
      searches: names(1, 254),
      want: 'Resolv.conf file "/r" contains a search path which length is more than allowed 253 chars!',
    },
    {
      name: "a long line",
      searches: names(9, 240),
      want: "Resolv.conf file '/r' contains search line which length is more than allowed 2048 chars!",
    },
  ])("of the node's own: $name", ({ searches, want }) => {
    expect(whyResolvConfTooLong("/r", { servers: [], searches, options: [] })).toBe(want);
  });
});

describe("parseResolvConf", () => {
  it("reads servers, the last search line and options", () => {
    const text =
      "# note\nnameserver 192.0.2.1\nnameserver 192.0.2.2\nsearch old\nsearch a.example. . b\noptions ndots:1 edns0\noptions ndots:2\n";
    expect(parseResolvConf(text)).toEqual({
      servers: ["192.0.2.1", "192.0.2.2"],
      searches: ["a.example", "b"],
      options: ["ndots:2", "edns0"],
    });
  });
});
