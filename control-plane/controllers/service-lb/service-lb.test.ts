import { describe, expect, it } from "vitest";
import { BALANCED_FROM } from "../../../shared/api/load-balancer.ts";
import type { EndpointSlice, Node, Service } from "../../../shared/api/types.ts";
import { node, service } from "../../../test/builders/objects.ts";
import { firstFree, parseAddressRange, poolHas } from "./address-pool.ts";
import { IPS_ANNOTATION, POOL_ANNOTATION } from "./allocate.ts";
import { NODES_CLASS, POOL_CLASS } from "./classes.ts";
import { type BalancerConfig, DEFAULT_CONFIG, parseBalancerConfig } from "./config.ts";
import { CLEANUP_FINALIZER, decide } from "./decide.ts";
import { type Holding, holdingOf } from "./holding.ts";
import { balancerView, nodeAddresses, nodesWithEndpoints } from "./node-addresses.ts";

const lan = { name: "lan", ...range("192.0.2.8-192.0.2.9", "fd00::8/127"), autoAssign: true };
const spare = { name: "spare", ...range("198.51.100.0/31"), autoAssign: false };
const both = { ...DEFAULT_CONFIG, pools: [lan, spare] };

function range(...texts: string[]) {
  return { ranges: texts.map((text) => parseAddressRange(text)!) };
}

describe("parseAddressRange", () => {
  it.each([
    { text: "192.0.2.8/30", has: ["192.0.2.8", "192.0.2.11"], hasNot: ["192.0.2.7", "192.0.2.12", "::1"] },
    { text: " 192.0.2.8 - 192.0.2.9 ", has: ["192.0.2.9"], hasNot: ["192.0.2.10"] },
    { text: "192.0.2.8", has: ["192.0.2.8"], hasNot: ["192.0.2.9"] },
    { text: "fd00::8-fd00::1:0", has: ["fd00::ffff"], hasNot: ["fd00::1:1"] },
  ])("$text", ({ text, has, hasNot }) => {
    const pool = { name: "p", autoAssign: true, ...range(text) };
    expect(has.filter((ip) => !poolHas(pool, ip))).toEqual([]);
    expect(hasNot.filter((ip) => poolHas(pool, ip))).toEqual([]);
  });

  it.each(["", "x", "192.0.2.9-192.0.2.8", "192.0.2.8-fd00::1", "192.0.2.8/33", "1.2.3.4-1.2.3.5-1.2.3.6"])(
    "none: %s",
    (text) => expect(parseAddressRange(text)).toBeUndefined(),
  );

  it("finds what is free in a vast one", () => {
    const vast = { name: "p", autoAssign: true, ...range("fd00::/64") };
    expect(firstFree(vast, "IPv6", (ip) => ["fd00::", "fd00::1"].includes(ip))).toBe("fd00::2");
    expect(firstFree(vast, "IPv4", () => false)).toBeUndefined();
  });
});

type Data = Record<string, string> | undefined;

describe("parseBalancerConfig", () => {
  it.each<{ name: string; data: Data; want: BalancerConfig }>([
    { name: "nothing", data: undefined, want: DEFAULT_CONFIG },
    { name: "switched off", data: { enabled: "false" }, want: { ...DEFAULT_CONFIG, enabled: false } },
    { name: "pools only", data: { nodeAddresses: "false" }, want: { ...DEFAULT_CONFIG, nodeAddresses: false } },
    {
      name: "pools",
      data: {
        pools: `
- {name: lan, addresses: [192.0.2.8-192.0.2.9, "fd00::8/127"]}
- {name: spare, addresses: [198.51.100.0/31], autoAssign: false}`,
      },
      want: both,
    },
  ])("$name", ({ data, want }) => expect(parseBalancerConfig(data)).toEqual(want));

  it.each<{ data: Data; says: string }>([
    { data: { enabled: "no" }, says: "enabled" },
    { data: { addresses: "192.0.2.8" }, says: "addresses" },
    { data: { pools: "- {name: lan, addresses: [192.0.2.300]}" }, says: "no range of addresses: 192.0.2.300" },
    { data: { pools: "- {name: a, addresses: [192.0.2.8/29]}\n- {name: b, addresses: [192.0.2.9]}" }, says: "overlap" },
    { data: { pools: "- {name: a, addresses: [1.1.1.1]}\n- {name: a, addresses: [1.1.1.2]}" }, says: "one name" },
    { data: { pools: "- {name: A, addresses: [1.1.1.1]}" }, says: "DNS label" },
    { data: { pools: "{" }, says: "pools" },
  ])("refuses $data", ({ data, says }) => expect(() => parseBalancerConfig(data)).toThrow(says));
});

const address = (type: string, ip: string) => ({ type, address: ip });
const ready = (name: string, ...addresses: { type: string; address: string }[]) =>
  node(name)
    .with({ status: { addresses, conditions: [{ type: "Ready", status: "True" }] } })
    .build();
const lost = (object: Node): Node => ({
  ...object,
  status: { ...object.status, conditions: [{ type: "Ready", status: "Unknown" }] as never },
});
const excluded = (object: Node): Node => ({
  ...object,
  metadata: { ...object.metadata, labels: { "node.kubernetes.io/exclude-from-external-load-balancers": "" } },
});
const a = ready("a", address("InternalIP", "192.0.2.1"), address("Hostname", "a"));
const b = ready("b", address("InternalIP", "192.0.2.2"), address("InternalIP", "fd00::2"));
const c = ready("c", address("InternalIP", "192.0.2.3"), address("ExternalIP", "203.0.113.3"));

describe("nodeAddresses", () => {
  const everybody = () => true;
  it.each([
    { name: "no nodes", nodes: [], want: [] },
    { name: "those of the family", nodes: [b, a], want: ["192.0.2.1", "192.0.2.2"] },
    { name: "both families", nodes: [a, b], families: ["IPv4", "IPv6"], want: ["192.0.2.1", "192.0.2.2", "fd00::2"] },
    { name: "external ones before others", nodes: [a, c], want: ["203.0.113.3"] },
    { name: "not of nodes that are lost or excluded", nodes: [lost(a), excluded(c), b], want: ["192.0.2.2"] },
    { name: "of those alone that answer", nodes: [a, b], answers: (name: string) => name === "b", want: ["192.0.2.2"] },
    { name: "none of nodes that were never ready", nodes: [lost(a)], want: [] },
    {
      name: "as before when all are lost",
      nodes: [lost(a), lost(b)],
      current: ["192.0.2.2", "9.9.9.9"],
      want: ["192.0.2.2"],
    },
  ])("$name", ({ nodes, families, answers = everybody, current = [], want }) => {
    expect(nodeAddresses(nodes, (families as ["IPv4"]) ?? ["IPv4"], answers, current)).toEqual(want);
  });

  it("changes with what it is made from, and with nothing else", () => {
    const beaten = { ...a, metadata: { ...a.metadata, resourceVersion: "77" } };
    expect(balancerView(beaten)).toBe(balancerView(a));
    for (const other of [lost(a), excluded(a), ready("a", address("InternalIP", "192.0.2.9"))])
      expect(balancerView(other)).not.toBe(balancerView(a));
  });
});

const slice = (...endpoints: NonNullable<EndpointSlice["endpoints"]>): EndpointSlice => ({
  metadata: { name: "s", namespace: "default" },
  addressType: "IPv4",
  endpoints,
});
const endpoint = (nodeName: string, conditions: object) => ({ addresses: ["10.0.0.1"], nodeName, conditions });

it.each([
  { name: "ready ones", endpoints: [endpoint("a", { ready: true }), endpoint("b", { ready: false })], want: ["a"] },
  { name: "unknown counts as ready", endpoints: [endpoint("a", {})], want: ["a"] },
  {
    name: "ending ones where none is ready",
    endpoints: [
      endpoint("a", { ready: false, serving: true, terminating: true }),
      endpoint("b", { ready: false, serving: false, terminating: true }),
    ],
    want: ["a"],
  },
])("nodesWithEndpoints: $name", ({ endpoints, want }) =>
  expect([...nodesWithEndpoints([slice(...endpoints)])]).toEqual(want),
);

type Spec = Partial<NonNullable<Service["spec"]>>;

function balancer(spec: Spec = {}, annotations: Record<string, string> = {}, name = "web"): Service {
  const built = service(name).build();
  return {
    ...built,
    metadata: { ...built.metadata, annotations, creationTimestamp: "2026-01-01T00:00:02Z" as never },
    spec: { ...built.spec, type: "LoadBalancer", ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack", ...spec },
  };
}

function holding(object: Service, from: string, ...ips: string[]): Service {
  const metadata = {
    ...object.metadata,
    annotations: { ...object.metadata.annotations, [BALANCED_FROM]: from },
    finalizers: [CLEANUP_FINALIZER],
  };
  return { ...object, metadata, status: { loadBalancer: { ingress: ips.map((ip) => ({ ip, ipMode: "VIP" })) } } };
}

const deleted = (object: Service): Service => ({
  ...object,
  metadata: { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" as never },
});

const other = (ip: string, rest: Partial<Holding> = {}): Holding => ({
  key: "default/other",
  creationTimestamp: "2026-01-01T00:00:01Z",
  ips: [ip],
  from: "pool/lan",
  ports: ["80/TCP"],
  ...rest,
});
const younger = { creationTimestamp: "2026-01-01T00:00:03Z" };
const dual: Spec = { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack" };
const preferred: Spec = { ...dual, ipFamilyPolicy: "PreferDualStack" };

describe("decide", () => {
  const fromLan = (...ips: string[]) => ({ step: "hold", ips, from: "pool/lan" });
  const fromNodes = (...ips: string[]) => ({ step: "hold", ips, from: "nodes" });
  const waits = (problem?: string) => ({ step: "wait", isHeld: false, ...(problem && { problem }) });

  it.each([
    { name: "not without nodes", service: balancer(), want: waits() },
    {
      name: "nodes' addresses by default",
      service: balancer(),
      nodes: [a, b],
      want: fromNodes("192.0.2.1", "192.0.2.2"),
    },
    {
      name: "not when that is switched off",
      service: balancer(),
      nodes: [a],
      config: { ...DEFAULT_CONFIG, nodeAddresses: false },
      want: waits(),
    },
    {
      name: "not when all is",
      service: balancer(),
      nodes: [a],
      config: { ...DEFAULT_CONFIG, enabled: false },
      want: { step: "leave" },
    },
    { name: "no other type", service: balancer({ type: "NodePort" }), nodes: [a], want: { step: "leave" } },
    {
      name: "no other class",
      service: balancer({ loadBalancerClass: "metallb.io/x" }),
      nodes: [a],
      want: { step: "leave" },
    },
    {
      name: "the nodes' class beside pools",
      service: balancer({ loadBalancerClass: NODES_CLASS }),
      nodes: [a],
      config: { ...both, enabled: false, nodeAddresses: false },
      want: fromNodes("192.0.2.1"),
    },
    {
      name: "the pools' class without one",
      service: balancer({ loadBalancerClass: POOL_CLASS }),
      nodes: [a],
      want: waits("no available IPs"),
    },
    {
      name: "an asked for address means nothing without pools",
      service: balancer({ loadBalancerIP: "9.9.9.9" }),
      nodes: [a],
      want: fromNodes("192.0.2.1"),
    },
    {
      name: "Local: nodes with endpoints",
      service: balancer({ externalTrafficPolicy: "Local" }),
      nodes: [a, b],
      slices: [slice(endpoint("b", { ready: true }))],
      want: fromNodes("192.0.2.2"),
    },
    { name: "Local without any", service: balancer({ externalTrafficPolicy: "Local" }), nodes: [a], want: waits() },
    {
      name: "a port of the nodes is one Service's",
      service: balancer(),
      nodes: [a],
      others: [other("192.0.2.1", { from: "nodes" })],
      want: waits('port 80/TCP of the nodes is used by "default/other"'),
    },
    {
      name: "ports of both protocols are two",
      service: balancer(),
      nodes: [a],
      others: [other("192.0.2.1", { from: "nodes", ports: ["80/UDP"] })],
      want: fromNodes("192.0.2.1"),
    },
    {
      name: "who has the port keeps it",
      service: holding(balancer(), "nodes", "192.0.2.1"),
      nodes: [a],
      others: [other("192.0.2.1", { from: "nodes", ...younger })],
      want: fromNodes("192.0.2.1"),
    },
    {
      name: "the older one if both have it",
      service: holding(balancer(), "nodes", "192.0.2.1"),
      nodes: [a],
      others: [other("192.0.2.1", { from: "nodes" })],
      want: { step: "wait", isHeld: true, problem: expect.any(String) },
    },

    { name: "a pool's first address, nodes or not", service: balancer(), config: both, want: fromLan("192.0.2.8") },
    {
      name: "the next one",
      service: balancer(),
      config: both,
      others: [other("192.0.2.8")],
      want: fromLan("192.0.2.9"),
    },
    {
      name: "none that anybody has, whoever gave it",
      service: balancer(),
      config: both,
      others: [other("192.0.2.8", { from: undefined })],
      want: fromLan("192.0.2.9"),
    },
    {
      name: "exhausted; others are not used unasked",
      service: balancer(),
      config: both,
      nodes: [a],
      others: [other("192.0.2.8"), other("192.0.2.9")],
      want: waits("no available IPs"),
    },
    {
      name: "the pool that is asked for",
      service: balancer({}, { [POOL_ANNOTATION]: "spare" }),
      config: both,
      want: { step: "hold", ips: ["198.51.100.0"], from: "pool/spare" },
    },
    {
      name: "an exhausted one",
      service: balancer({}, { [POOL_ANNOTATION]: "spare" }),
      config: both,
      others: [other("198.51.100.0"), other("198.51.100.1")],
      want: waits('no available IPs in pool "spare"'),
    },
    {
      name: "an unknown one",
      service: balancer({}, { [POOL_ANNOTATION]: "x" }),
      config: both,
      want: waits('unknown pool "x"'),
    },
    {
      name: "the address that is asked for",
      service: balancer({ loadBalancerIP: "192.0.2.9" }),
      config: both,
      want: fromLan("192.0.2.9"),
    },
    {
      name: "the annotation goes first",
      service: balancer({ loadBalancerIP: "1.1.1.1" }, { [IPS_ANNOTATION]: "192.0.2.9" }),
      config: both,
      want: fromLan("192.0.2.9"),
    },
    {
      name: "of no pool",
      service: balancer({ loadBalancerIP: "9.9.9.9" }),
      config: both,
      want: waits('["9.9.9.9"] is not allowed in config'),
    },
    {
      name: "of another pool",
      service: balancer({ loadBalancerIP: "192.0.2.9" }, { [POOL_ANNOTATION]: "spare" }),
      config: both,
      want: waits('["192.0.2.9"] is not allowed in config'),
    },
    {
      name: "no address",
      service: balancer({ loadBalancerIP: "x" }),
      config: both,
      want: waits('invalid address "x"'),
    },
    {
      name: "somebody's",
      service: balancer({ loadBalancerIP: "192.0.2.8" }),
      config: both,
      others: [other("192.0.2.8")],
      want: waits(`can't use ["192.0.2.8"], address also in use by default/other`),
    },
    {
      name: "of the wrong family",
      service: balancer({ loadBalancerIP: "fd00::8" }),
      config: both,
      want: waits('["fd00::8"] does not fit the IP families ["IPv4"]'),
    },
    {
      name: "only pools that are asked for: nodes for the rest",
      service: balancer(),
      config: { ...both, pools: [spare] },
      nodes: [a],
      want: fromNodes("192.0.2.1"),
    },

    { name: "both families", service: balancer(dual), config: both, want: fromLan("192.0.2.8", "fd00::8") },
    {
      name: "both or none",
      service: balancer(dual),
      config: both,
      others: [other("192.0.2.8"), other("192.0.2.9")],
      want: waits("no available IPs"),
    },
    {
      name: "one where two are preferred",
      service: balancer(preferred),
      config: both,
      others: [other("192.0.2.8"), other("192.0.2.9")],
      want: fromLan("fd00::8"),
    },

    {
      name: "keeps what it has",
      service: holding(balancer(), "pool/lan", "192.0.2.9"),
      config: both,
      want: fromLan("192.0.2.9"),
    },
    {
      name: "what it was given and does not show",
      service: balancer(),
      reserved: ["192.0.2.9"],
      config: both,
      want: fromLan("192.0.2.9"),
    },
    {
      name: "not when another one is asked for",
      service: holding(balancer({ loadBalancerIP: "192.0.2.8" }), "pool/lan", "192.0.2.9"),
      config: both,
      want: fromLan("192.0.2.8"),
    },
    {
      name: "not from a pool that is no more",
      service: holding(balancer(), "pool/lan", "192.0.2.8"),
      config: { ...both, pools: [{ ...lan, ...range("192.0.2.20") }] },
      want: fromLan("192.0.2.20"),
    },
    {
      name: "given twice: the older one keeps it",
      service: holding(balancer(), "pool/lan", "192.0.2.8"),
      config: both,
      others: [other("192.0.2.8", younger)],
      want: fromLan("192.0.2.8"),
    },
    {
      name: "given twice: the younger one changes",
      service: holding(balancer(), "pool/lan", "192.0.2.8"),
      config: both,
      others: [other("192.0.2.8")],
      want: fromLan("192.0.2.9"),
    },
    {
      name: "from the nodes' to a pool's",
      service: holding(balancer(), "nodes", "192.0.2.1"),
      nodes: [a],
      config: both,
      want: fromLan("192.0.2.8"),
    },
    {
      name: "not while the configuration cannot be read",
      service: holding(balancer(), "pool/lan", "192.0.2.8"),
      config: undefined,
      isUnreadable: true,
      nodes: [a],
      want: { step: "leave" },
    },

    {
      name: "released when deleted",
      service: deleted(holding(balancer(), "nodes", "192.0.2.1")),
      nodes: [a],
      want: { step: "release" },
    },
    {
      name: "also with a configuration that cannot be read",
      service: deleted(holding(balancer(), "nodes", "192.0.2.1")),
      isUnreadable: true,
      want: { step: "release" },
    },
    {
      name: "and when it is no load balancer any more",
      service: holding(balancer({ type: "ClusterIP" }), "nodes"),
      nodes: [a],
      want: { step: "release" },
    },
    {
      name: "and when switched off",
      service: holding(balancer(), "nodes", "192.0.2.1"),
      config: { ...DEFAULT_CONFIG, enabled: false },
      want: { step: "release" },
    },
    {
      name: "a finalizer whose mark was taken away",
      service: deleted({ ...balancer(), metadata: { ...balancer().metadata, finalizers: [CLEANUP_FINALIZER] } }),
      want: { step: "release" },
    },
    {
      name: "not somebody else's",
      service: deleted({
        ...balancer({ loadBalancerClass: "x/y" }),
        metadata: { ...balancer().metadata, finalizers: [CLEANUP_FINALIZER] },
      }),
      want: { step: "leave" },
    },
    {
      name: "taken away when no node is left",
      service: holding(balancer(), "nodes", "192.0.2.1"),
      want: { step: "wait", isHeld: true },
    },
  ])(
    "$name",
    ({ service, nodes = [], slices = [], others = [], reserved, config = DEFAULT_CONFIG, isUnreadable, want }) => {
      const plan = decide({ service, config: isUnreadable ? undefined : config, others, reserved, nodes, slices });
      expect(plan).toEqual(want);
    },
  );
});

it("knows what a Service has", () => {
  expect(holdingOf(holding(balancer(), "pool/lan", "192.0.2.8"))).toEqual({
    key: "default/web",
    creationTimestamp: "2026-01-01T00:00:02Z",
    ips: ["192.0.2.8"],
    from: "pool/lan",
    ports: ["80/TCP"],
  });
});
