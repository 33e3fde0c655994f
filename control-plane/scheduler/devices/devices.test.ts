import { describe, expect, it } from "vitest";
import type { DeviceClass, Pod, ResourceClaim, ResourceSlice } from "../../../shared/api/types.ts";
import { clusterOf, decideOn, nodeInfos, schedulingNode, schedulingPod } from "../../../test/builders/scheduling.ts";
import type { Decision } from "../framework/cycle.ts";
import { allocationsOn } from "../plugins/dynamic-resources.ts";
import { type Allocation, type Device, type Devices, exclusiveDevices } from "./devices.ts";

const DRIVER = "gpu.example.com";
type Attributes = Record<string, number | string | boolean>;

function device(name: string, attributes: Attributes = {}, more: Partial<Device> = {}): Device {
  const typed = Object.entries(attributes).map(([key, value]) => {
    if (typeof value === "number") return [key, { int: value }];
    return [key, typeof value === "boolean" ? { bool: value } : { string: value }];
  });
  return { name, attributes: Object.fromEntries(typed), ...more };
}

interface SliceOptions {
  pool?: string;
  generation?: number;
  count?: number;
  spec?: Partial<ResourceSlice["spec"]>;
}

let serial = 0;
function slice(node: string | undefined, devices: Device[], options: SliceOptions = {}): ResourceSlice {
  const { pool = node ?? "shared", generation = 1, count = 1, spec } = options;
  serial += 1;
  return {
    metadata: { name: `slice-${serial}` },
    spec: {
      driver: DRIVER,
      pool: { name: pool, generation, resourceSliceCount: count },
      ...(node ? { nodeName: node } : {}),
      devices,
      ...spec,
    },
  } as ResourceSlice;
}

const gpuClass = {
  metadata: { name: "gpu" },
  spec: {
    selectors: [{ cel: { expression: `device.driver == "${DRIVER}"` } }],
    config: [{ opaque: { driver: DRIVER, parameters: { of: "class" } } }],
  },
} as DeviceClass;

type Spec = NonNullable<ResourceClaim["spec"]["devices"]>;
type Request = NonNullable<Spec["requests"]>[number];

const exactly = (more: Partial<NonNullable<Request["exactly"]>> = {}, name = "r"): Request => ({
  name,
  exactly: { deviceClassName: "gpu", allocationMode: "ExactCount", count: 1, ...more },
});
const select = (expression: string) => ({ selectors: [{ cel: { expression } }] });

function claim(name: string, requests: Request[], more: { spec?: Partial<Spec>; status?: object } = {}): ResourceClaim {
  return {
    metadata: { name, namespace: "default", uid: `uid-${name}` },
    spec: { devices: { requests, ...more.spec } },
    status: more.status,
  } as ResourceClaim;
}

interface World {
  slices: ResourceSlice[];
  claims: ResourceClaim[];
  classes?: DeviceClass[];
  beingAllocated?: string[];
}

const devicesOf = ({ slices, claims, classes = [gpuClass], beingAllocated = [] }: World): Devices => ({
  claim: (_namespace, name) => claims.find(({ metadata }) => metadata.name === name),
  deviceClass: (name) => classes.find(({ metadata }) => metadata.name === name),
  slices: () => slices,
  isBeingAllocated: (uid) => beingAllocated.includes(uid),
  allocated: () =>
    new Set(claims.flatMap(({ status }) => (status?.allocation ? exclusiveDevices(status.allocation) : []))),
});

const user = (...names: string[]): Pod =>
  schedulingPod({ resourceClaims: names.map((name) => ({ name, resourceClaimName: name })) });

const nodes = nodeInfos([
  schedulingNode("a", { labels: { rack: "1" } }),
  schedulingNode("b", { labels: { rack: "2" } }),
]);

function decide(world: World, pod: Pod): { decision: Decision; got: string; allocations: Allocation[] } {
  const cluster = clusterOf(nodes, { devices: devicesOf(world) });
  const decision = decideOn(pod, nodes, { cluster });
  if (!decision.fits) return { decision, got: decision.message, allocations: [] };
  const allocations = [...allocationsOn(pod, decision.node, cluster).values()];
  const names = allocations.map(({ devices }) =>
    devices!.results!.map((one) => `${one.request}=${one.device}`).join(","),
  );
  return { decision, got: `${decision.node.name}: ${names.join("; ")}`, allocations };
}

const NONE = "0/2 nodes are available: 2 cannot allocate all claims.";
const HELPLESS = "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";
const allocatedTo = (node: string, device: string, more: object = {}) => ({
  allocation: {
    devices: { results: [{ request: "r", driver: DRIVER, pool: node, device }] },
    nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] }] },
  },
  ...more,
});
const counters = (memory: string) => [{ counterSet: "card", counters: { memory: { value: memory } } }];
const partitioned = (...sizes: string[]) => [
  slice(undefined, [], {
    pool: "b",
    count: 2,
    spec: { sharedCounters: [{ name: "card", counters: { memory: { value: "40Gi" } } }], devices: undefined },
  }),
  slice(
    "b",
    sizes.map((size, i) => device(`p${i}`, {}, { consumesCounters: counters(size) })),
    { count: 2 },
  ),
];

describe("which devices a pod gets", () => {
  const two = [
    slice("a", [device("a0", { model: "small" })]),
    slice("b", [device("b0", { model: "big" }), device("b1")]),
  ];
  it.each<{ name: string; slices?: ResourceSlice[]; claims: ResourceClaim[]; want: string }>([
    { name: "one that its node has", claims: [claim("c", [exactly()])], want: "a: r=a0" },
    { name: "as many as it asks for", claims: [claim("c", [exactly({ count: 2 })])], want: "b: r=b0,r=b1" },
    {
      name: "what the request selects",
      claims: [claim("c", [exactly(select(`device.attributes["${DRIVER}"].?model.orValue("") == "big"`))])],
      want: "b: r=b0",
    },
    { name: "all of a node", claims: [claim("c", [exactly({ allocationMode: "All" })])], want: "a: r=a0" },
    {
      name: "not what others have",
      claims: [claim("c", [exactly()]), claim("other", [], { status: allocatedTo("a", "a0") })],
      want: "b: r=b0",
    },
    {
      name: "different ones for several requests and claims",
      claims: [claim("c", [exactly({}, "x")]), claim("d", [exactly({}, "y")])],
      want: "b: x=b0; y=b1",
    },
    {
      name: "what fits together, not what is first",
      slices: [slice("a", [device("0", { n: 1 }), device("1", { n: 2 }), device("2", { n: 2 })])],
      claims: [claim("c", [exactly({ count: 2 })], { spec: { constraints: [{ matchAttribute: `${DRIVER}/n` }] } })],
      want: "a: r=1,r=2",
    },
    {
      name: "devices that differ",
      slices: [slice("a", [device("0", { n: 1 }), device("1", { n: 1 }), device("2", { n: 2 })])],
      claims: [claim("c", [exactly({ count: 2 })], { spec: { constraints: [{ distinctAttribute: `${DRIVER}/n` }] } })],
      want: "a: r=0,r=2",
    },
    {
      name: "the best alternative that there is",
      claims: [
        claim("c", [
          {
            name: "r",
            firstAvailable: [
              { name: "three", deviceClassName: "gpu", allocationMode: "ExactCount", count: 3 },
              { name: "two", deviceClassName: "gpu", allocationMode: "ExactCount", count: 2 },
              { name: "one", deviceClassName: "gpu", allocationMode: "ExactCount", count: 1 },
            ],
          },
        ]),
      ],
      want: "b: r/two=b0,r/two=b1",
    },
    {
      name: "devices in use, for who looks after them",
      claims: [claim("c", [exactly({ adminAccess: true })]), claim("other", [], { status: allocatedTo("a", "a0") })],
      want: "a: r=a0",
    },
    {
      name: "no tainted device",
      slices: [
        slice("a", [device("a0", {}, { taints: [{ key: "broken", effect: "NoSchedule" }] })]),
        slice("b", [device("b0", {}, { taints: [{ key: "odd", effect: "None" }] })]),
      ],
      claims: [claim("c", [exactly()])],
      want: "b: r=b0",
    },
    {
      name: "a tainted one where that is tolerated",
      slices: [slice("a", [device("a0", {}, { taints: [{ key: "broken", effect: "NoExecute" }] })])],
      claims: [claim("c", [exactly({ tolerations: [{ key: "broken", operator: "Exists" }] })])],
      want: "a: r=a0",
    },
    {
      name: "a share of a card that has enough left",
      slices: partitioned("30Gi", "20Gi", "10Gi"),
      claims: [claim("c", [exactly({ count: 2 })])],
      want: "b: r=p0,r=p2",
    },
    {
      name: "none of an outdated generation",
      slices: [slice("a", [device("old")]), slice("b", [device("moved")], { pool: "a", generation: 2 })],
      claims: [claim("c", [exactly()])],
      want: "b: r=moved",
    },
    {
      name: "network devices of a rack",
      slices: [
        slice(undefined, [device("far")], {
          spec: {
            nodeSelector: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: "rack", operator: "In", values: ["2"] }] }],
            },
          },
        }),
      ],
      claims: [claim("c", [exactly()])],
      want: "b: r=far",
    },
    {
      name: "devices that say themselves where they are",
      slices: [
        slice(undefined, [device("for-b", {}, { nodeName: "b" }), device("for-all", {}, { allNodes: true })], {
          spec: { perDeviceNodeSelection: true },
        }),
      ],
      claims: [claim("c", [exactly({ count: 2 })])],
      want: "b: r=for-b,r=for-all",
    },
    {
      name: "those that its claim has already",
      claims: [claim("c", [exactly()], { status: allocatedTo("b", "b1") })],
      want: "b: ",
    },
  ])("$name", ({ slices = two, claims, want }) => {
    const names = claims.map(({ metadata }) => metadata.name).filter((name) => name !== "other");
    expect(decide({ slices, claims }, user(...names)).got).toBe(want);
  });
});

describe("why a pod gets none", () => {
  const one = [slice("a", [device("a0", { model: "small" })])];
  it.each<
    { name: string; slices?: ResourceSlice[]; claims?: ResourceClaim[]; pod?: Pod; want: string } & Partial<World>
  >([
    {
      name: "too few",
      claims: [claim("c", [exactly({ count: 2 })])],
      want: `${NONE} still not schedulable, ${HELPLESS}`,
    },
    {
      name: "the pool is not whole yet",
      slices: [slice("a", [device("a0")], { count: 2 })],
      claims: [claim("c", [exactly()])],
      want: `${NONE} still not schedulable, ${HELPLESS}`,
    },
    {
      name: "the pool contradicts itself",
      slices: [slice("a", [device("a0"), device("a0")])],
      claims: [claim("c", [exactly()])],
      want: `0/2 nodes are available: 1 cannot allocate all claims, 1 invalid resource pools were encountered. still not schedulable, ${HELPLESS}`,
    },
    {
      name: "no such class",
      classes: [],
      claims: [claim("c", [exactly()])],
      want: `0/2 nodes are available: request r: device class gpu does not exist. no new claims to deallocate, ${HELPLESS}`,
    },
    {
      name: "another pod's turn",
      beingAllocated: ["uid-c"],
      claims: [claim("c", [exactly()])],
      want: `0/2 nodes are available: resource claim default/c is in the process of being allocated. no new claims to deallocate, ${HELPLESS}`,
    },
    {
      name: "the claim is elsewhere, and in use",
      claims: [
        claim("c", [exactly()], {
          status: allocatedTo("gone", "x", { reservedFor: [{ resource: "pods", name: "p", uid: "u" }] }),
        }),
      ],
      want: `0/2 nodes are available: 2 resourceclaim not available on the node. still not schedulable, ${HELPLESS}`,
    },
    {
      name: "the claim is elsewhere, and nobody uses it",
      claims: [claim("c", [exactly()], { status: allocatedTo("gone", "x") })],
      want: `0/2 nodes are available: 2 resourceclaim not available on the node. deallocation of ResourceClaim completed, ${HELPLESS}`,
    },
  ])("$name", ({ slices = one, claims = [], pod = user("c"), want, ...world }) => {
    expect(decide({ slices, claims, ...world }, pod).got).toBe(want);
  });

  it.each<{ name: string; claims: ResourceClaim[]; slices?: ResourceSlice[]; want: string }>([
    {
      name: "a selector that fails",
      claims: [claim("c", [exactly(select(`device.attributes["${DRIVER}"].size > 1`))])],
      want: "claim default/c: selector #0: CEL runtime error: no such key: size",
    },
    {
      name: "a selector that would take for ever",
      claims: [claim("c", [exactly(select(`${"[1,2,3,4,5,6,7,8].all(x, ".repeat(9)}true${")".repeat(9)}`))])],
      want: "claim default/c: selector #0: CEL runtime error: operation cancelled: actual cost limit exceeded",
    },
    {
      name: "all devices of a pool that is not whole",
      slices: [slice("a", [device("a0")], { count: 2 })],
      claims: [claim("c", [exactly({ allocationMode: "All" })])],
      want: "claim default/c, request r: asks for all devices, but resource pool gpu.example.com/a is currently being updated",
    },
    {
      name: "more than a claim can hold",
      claims: [claim("c", [exactly({ count: 33 })])],
      want: "claim default/c: number of requested devices 33 exceeds the claim limit of 32",
    },
    {
      name: "a part of a device",
      claims: [claim("c", [exactly({ capacity: { requests: { memory: "1Gi" } } })])],
      want: "claim default/c, request r: has capacity requests, but the DRAConsumableCapacity feature is disabled",
    },
    {
      name: "a search without end",
      slices: [
        slice(
          "a",
          Array.from({ length: 64 }, (_, i) => device(`d${i}`, { n: i })),
        ),
      ],
      claims: [
        claim("c", [exactly({ count: 16 }), exactly({ count: 16 }, "s")], {
          spec: { constraints: [{ requests: ["s"], matchAttribute: `${DRIVER}/n` }] },
        }),
      ],
      want: "node a: timed out trying to allocate devices",
    },
  ])("the search fails: $name", ({ slices = one, claims, want }) => {
    expect(() => decide({ slices, claims }, user("c"))).toThrow(`running "DynamicResources" filter plugin: ${want}`);
  });
});

it("writes what drivers and nodes need into the claim", () => {
  const configuration = (of: string, requests?: string[]) => ({
    opaque: { driver: DRIVER, parameters: { of } },
    ...(requests ? { requests } : {}),
  });
  const asking = claim("c", [exactly({}, "x"), exactly({ tolerations: [{ operator: "Exists" }] }, "y")], {
    spec: { config: [configuration("everyone"), configuration("x", ["x"]), configuration("nobody", ["z"])] },
  });
  const { allocations } = decide({ slices: [slice("a", [device("0"), device("1")])], claims: [asking] }, user("c"));
  expect(allocations).toEqual([
    {
      devices: {
        results: [
          { request: "x", driver: DRIVER, pool: "a", device: "0" },
          { request: "y", driver: DRIVER, pool: "a", device: "1", tolerations: [{ operator: "Exists" }] },
        ],
        config: [
          { ...configuration("class"), source: "FromClass", requests: ["x", "y"] },
          { ...configuration("everyone"), source: "FromClaim" },
          { ...configuration("x", ["x"]), source: "FromClaim" },
        ],
      },
      nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["a"] }] }] },
    },
  ]);
});
