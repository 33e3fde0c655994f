import { describe, expect, it } from "vitest";
import { aPod } from "../../test/builders/kubelet.ts";
import { decideDns, parseResolvConf } from "./dns-config.ts";

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

describe("parseResolvConf", () => {
  it("reads servers, the last search line and options", () => {
    const text =
      "# note\nnameserver 192.0.2.1\nnameserver 192.0.2.2\nsearch old\nsearch a.example. b\noptions ndots:1 edns0\n";
    expect(parseResolvConf(text)).toEqual({
      servers: ["192.0.2.1", "192.0.2.2"],
      searches: ["a.example", "b"],
      options: ["ndots:1", "edns0"],
    });
  });
});
