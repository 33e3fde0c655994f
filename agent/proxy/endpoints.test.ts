import { describe, expect, it } from "vitest";
import type { EndpointSlice, Service } from "../../shared/api/types.ts";
import { chooseEndpoints, type Endpoint, endpointsOf } from "./endpoints.ts";
import { type ServicePort, servicePorts } from "./service-port.ts";

const PLACE = { nodeName: "here", zone: "a" };

const service = (spec: Partial<Service["spec"]> = {}, more: Partial<Service> = {}): Service => ({
  metadata: { name: "web", namespace: "shop", ...more.metadata },
  spec: { clusterIP: "10.96.0.7", clusterIPs: ["10.96.0.7"], ports: [{ port: 80, protocol: "TCP" }], ...spec },
  status: more.status ?? {},
});

describe("servicePorts", () => {
  const only = (spec: Partial<Service["spec"]>, more?: Partial<Service>): Partial<ServicePort> | undefined =>
    servicePorts(service(spec, more), "ip")[0];

  it.each<{
    name: string;
    spec?: Partial<Service["spec"]>;
    more?: Partial<Service>;
    want: Partial<ServicePort> | undefined;
  }>([
    {
      name: "one port",
      want: { service: "shop/web", name: "", protocol: "TCP", clusterIp: "10.96.0.7", port: 80, nodePort: 0 },
    },
    { name: "headless", spec: { clusterIP: "None", clusterIPs: ["None"] }, want: undefined },
    { name: "an external name", spec: { type: "ExternalName", clusterIP: "", clusterIPs: [] }, want: undefined },
    {
      name: "another proxy's",
      more: { metadata: { name: "web", labels: { "service.kubernetes.io/service-proxy-name": "mine" } } },
      want: undefined,
    },
    {
      name: "marked as headless",
      more: { metadata: { name: "web", labels: { "service.kubernetes.io/headless": "" } } },
      want: undefined,
    },
    {
      name: "a node port",
      spec: { type: "NodePort", ports: [{ port: 80, nodePort: 30080 }] },
      want: { nodePort: 30080, protocol: "TCP" },
    },
    {
      name: "a node port of a Service that has none any more",
      spec: { type: "ClusterIP", ports: [{ port: 80, nodePort: 30080 }] },
      want: { nodePort: 0 },
    },
    {
      name: "external addresses of its family",
      spec: { externalIPs: ["192.0.2.9", "2001:db8::9"] },
      want: { externalIps: ["192.0.2.9"] },
    },
    {
      name: "a load balancer's addresses, but not a proxying one's",
      spec: { type: "LoadBalancer", loadBalancerSourceRanges: [" 192.0.2.0/24", "2001:db8::/32"] },
      more: {
        status: {
          loadBalancer: { ingress: [{ ip: "192.0.2.5" }, { ip: "192.0.2.6", ipMode: "Proxy" }, { hostname: "x" }] },
        },
      },
      want: { loadBalancerIps: ["192.0.2.5"], sourceRanges: ["192.0.2.0/24"] },
    },
    {
      name: "addresses that are none",
      spec: { externalIPs: ["1.2.3.4 }; flush ruleset", "300.1.1.1"], loadBalancerSourceRanges: ["all"] },
      want: { externalIps: [], sourceRanges: [] },
    },
    {
      name: "every address among the source ranges of one family",
      spec: { loadBalancerSourceRanges: ["192.0.2.0/24", "0.0.0.0/0"] },
      want: { sourceRanges: [] },
    },
    {
      name: "every address of the other family",
      spec: { loadBalancerSourceRanges: ["192.0.2.0/24", "::/0"] },
      want: { sourceRanges: ["192.0.2.0/24"] },
    },
    { name: "affinity", spec: { sessionAffinity: "ClientIP" }, want: { affinitySeconds: 10_800 } },
    {
      name: "affinity for a time",
      spec: { sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } } },
      want: { affinitySeconds: 60 },
    },
    {
      name: "the Local policy without anything external",
      spec: { externalTrafficPolicy: "Local" },
      want: { isExternalLocal: false },
    },
    {
      name: "the Local policies",
      spec: { type: "NodePort", externalTrafficPolicy: "Local", internalTrafficPolicy: "Local" },
      want: { isExternalLocal: true, isInternalLocal: true },
    },
  ])("$name", ({ spec = {}, more, want }) => {
    if (want === undefined) expect(only(spec, more)).toBeUndefined();
    else expect(only(spec, more)).toMatchObject(want);
  });

  it("has a port for each family that the Service has", () => {
    const dual = service({ clusterIPs: ["10.96.0.7", "fd00:0:0::7"] });
    expect(["ip", "ip6"].map((family) => servicePorts(dual, family as "ip")[0]?.clusterIp)).toEqual([
      "10.96.0.7",
      "fd00::7",
    ]);
    expect(servicePorts(service(), "ip6")).toEqual([]);
  });
});

describe("endpointsOf", () => {
  const slice = (changes: Partial<EndpointSlice>): EndpointSlice => ({
    metadata: { name: "s" },
    addressType: "IPv4",
    ports: [{ port: 8080, protocol: "TCP" }],
    endpoints: [],
    ...changes,
  });
  const of = (...slices: EndpointSlice[]) =>
    endpointsOf(slices, { family: "ip", name: "", protocol: "TCP", nodeName: "here" }).map(
      ({ address, port, isReady }) => `${address}:${port}${isReady ? "" : " unready"}`,
    );

  it.each<{ name: string; slices: Partial<EndpointSlice>[]; want: string[] }>([
    {
      name: "sorted, over all slices",
      slices: [{ endpoints: [{ addresses: ["10.0.0.2"] }] }, { endpoints: [{ addresses: ["10.0.0.1"] }] }],
      want: ["10.0.0.1:8080", "10.0.0.2:8080"],
    },
    {
      name: "of its port alone",
      slices: [{ ports: [{ name: "other", port: 1 }], endpoints: [{ addresses: ["10.0.0.1"] }] }],
      want: [],
    },
    {
      name: "of its protocol alone",
      slices: [{ ports: [{ port: 1, protocol: "UDP" }], endpoints: [{ addresses: ["10.0.0.1"] }] }],
      want: [],
    },
    {
      name: "of its family alone",
      slices: [{ addressType: "IPv6", endpoints: [{ addresses: ["fd00::1"] }] }],
      want: [],
    },
    { name: "no names", slices: [{ addressType: "FQDN", endpoints: [{ addresses: ["a.example"] }] }], want: [] },
    {
      name: "nothing that is no address",
      slices: [{ endpoints: [{ addresses: ["10.0.0.1 . 80"] }, { addresses: [] }] }],
      want: [],
    },
    {
      name: "the ready one of two of the same address",
      slices: [
        { endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: true } }] },
        { endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: false } }] },
      ],
      want: ["10.0.0.1:8080"],
    },
    {
      name: "ready unless it says otherwise",
      slices: [{ endpoints: [{ addresses: ["10.0.0.1"] }, { addresses: ["10.0.0.2"], conditions: { ready: false } }] }],
      want: ["10.0.0.1:8080", "10.0.0.2:8080 unready"],
    },
  ])("$name", ({ slices, want }) => expect(of(...slices.map(slice))).toEqual(want));
});

describe("chooseEndpoints", () => {
  const port = (spec: Partial<Service["spec"]> = {}) => servicePorts(service(spec), "ip")[0]!;
  const endpoint = (last: number, changes: Partial<Endpoint> = {}): Endpoint => ({
    address: `10.0.0.${last}`,
    port: 80,
    isReady: true,
    isServing: true,
    isTerminating: false,
    isLocal: false,
    zoneHints: [],
    nodeHints: [],
    ...changes,
  });
  const draining = { isReady: false, isServing: true, isTerminating: true };
  const unready = { isReady: false, isServing: false };
  const here = { isLocal: true };
  const externalLocal: Partial<Service["spec"]> = {
    type: "NodePort",
    externalTrafficPolicy: "Local",
    ports: [{ port: 80, nodePort: 30080 }],
  };

  it.each<{
    name: string;
    spec?: Partial<Service["spec"]>;
    endpoints: Endpoint[];
    cluster: number[];
    local?: number[];
    hasAny?: boolean;
  }>([
    { name: "none", endpoints: [], cluster: [], hasAny: false },
    { name: "the ready ones", endpoints: [endpoint(1), endpoint(2, unready)], cluster: [1] },
    { name: "none that drains while one is ready", endpoints: [endpoint(1), endpoint(2, draining)], cluster: [1] },
    {
      name: "those that drain when none is ready",
      endpoints: [endpoint(1, unready), endpoint(2, draining)],
      cluster: [2],
    },
    {
      name: "not those that neither are ready nor serve",
      endpoints: [endpoint(1, { ...draining, isServing: false })],
      cluster: [],
      hasAny: false,
    },
    {
      name: "those of the zone",
      endpoints: [endpoint(1, { zoneHints: ["a"] }), endpoint(2, { zoneHints: ["b"] })],
      cluster: [1],
    },
    { name: "all when one has no hint", endpoints: [endpoint(1, { zoneHints: ["a"] }), endpoint(2)], cluster: [1, 2] },
    {
      name: "all when none is for the zone",
      endpoints: [endpoint(1, { zoneHints: ["c"] }), endpoint(2, { zoneHints: ["b"] })],
      cluster: [1, 2],
    },
    {
      name: "those of the node before those of the zone",
      endpoints: [
        endpoint(1, { zoneHints: ["a"], nodeHints: ["there"] }),
        endpoint(2, { zoneHints: ["b"], nodeHints: ["here"] }),
      ],
      cluster: [2],
    },
    {
      name: "those of the zone when none is for the node",
      endpoints: [
        endpoint(1, { zoneHints: ["a"], nodeHints: ["there"] }),
        endpoint(2, { zoneHints: ["b"], nodeHints: ["there"] }),
      ],
      cluster: [1],
    },
    {
      name: "hints of unready ones do not count",
      endpoints: [endpoint(1, { zoneHints: ["a"] }), endpoint(2, { ...unready })],
      cluster: [1],
    },
    {
      name: "here alone, by the internal policy",
      spec: { internalTrafficPolicy: "Local" },
      endpoints: [endpoint(1), endpoint(2, here)],
      cluster: [],
      local: [2],
    },
    {
      name: "none here: none, though there are some",
      spec: { internalTrafficPolicy: "Local" },
      endpoints: [endpoint(1)],
      cluster: [],
      local: [],
      hasAny: true,
    },
    {
      name: "both, by the external policy",
      spec: externalLocal,
      endpoints: [endpoint(1), endpoint(2, here)],
      cluster: [1, 2],
      local: [2],
    },
    {
      name: "here those that drain",
      spec: externalLocal,
      endpoints: [endpoint(1), endpoint(2, { ...here, ...draining })],
      cluster: [1],
      local: [2],
    },
  ])("$name", ({ spec, endpoints, cluster, local = [], hasAny = true }) => {
    const choice = chooseEndpoints(endpoints, port(spec), PLACE);
    const lasts = (list: Endpoint[]) => list.map(({ address }) => Number(address.split(".")[3]));
    expect({ cluster: lasts(choice.cluster), local: lasts(choice.local), hasAny: choice.hasAny }).toEqual({
      cluster,
      local,
      hasAny,
    });
    expect(new Set(choice.reachable)).toEqual(new Set([...choice.cluster, ...choice.local]));
  });
});
