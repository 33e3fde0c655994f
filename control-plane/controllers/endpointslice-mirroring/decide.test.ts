import { describe, expect, it } from "vitest";
import type { EndpointSlice, EndpointSubset, Endpoints, Service } from "../../../shared/api/types.ts";
import { decide, isMirrored, MAX_ADDRESSES } from "./decide.ts";

const endpoints = (subsets: EndpointSubset[], metadata: Partial<Endpoints["metadata"]> = {}): Endpoints => ({
  metadata: { name: "s", namespace: "ns", uid: "u1", ...metadata },
  subsets,
});
const service = (selector?: Record<string, string>): Service => ({ metadata: { name: "s" }, spec: { selector } });
const HTTP = { port: 80, protocol: "TCP" };
const DNS = { port: 53, protocol: "UDP" };

const made = (subsets: EndpointSubset[], present: EndpointSlice[] = []) => decide(endpoints(subsets), present);
const stored = (slice: EndpointSlice, name = "s-1"): EndpointSlice => ({
  ...slice,
  metadata: { ...slice.metadata, name },
});
const addresses = ({ endpoints: list }: EndpointSlice) => list?.map((each) => each.addresses[0]);

describe("what is mirrored", () => {
  it.each([
    { name: "of a Service without a selector", endpoints: endpoints([]), service: service(), want: true },
    { name: "not with one", endpoints: endpoints([]), service: service({ a: "b" }), want: false },
    { name: "not without a Service", endpoints: endpoints([]), service: undefined, want: false },
    {
      name: "not what says so",
      endpoints: endpoints([], { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } }),
      service: service(),
      want: false,
    },
    {
      name: "no leader's lock",
      endpoints: endpoints([], { annotations: { "control-plane.alpha.kubernetes.io/leader": "{}" } }),
      service: service(),
      want: false,
    },
  ])("$name", ({ endpoints, service, want }) => expect(isMirrored(endpoints, service)).toBe(want));
});

describe("the slices", () => {
  it("have the Endpoints' labels, owner and readiness", () => {
    const { create } = decide(
      endpoints(
        [{ addresses: [{ ip: "10.0.0.1", hostname: "h" }], notReadyAddresses: [{ ip: "10.0.0.2" }], ports: [HTTP] }],
        {
          labels: { team: "blue" },
          annotations: { note: "x", "kubectl.kubernetes.io/last-applied-configuration": "{}" },
        },
      ),
      [],
    );
    expect(create).toMatchObject([
      {
        metadata: {
          generateName: "s-",
          labels: {
            team: "blue",
            "kubernetes.io/service-name": "s",
            "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
          },
          ownerReferences: [{ kind: "Endpoints", name: "s", uid: "u1" }],
        },
        addressType: "IPv4",
        endpoints: [
          { addresses: ["10.0.0.1"], hostname: "h", conditions: { ready: true } },
          { addresses: ["10.0.0.2"], conditions: { ready: false } },
        ],
        ports: [{ name: "", port: 80, protocol: "TCP" }],
      },
    ]);
    expect(create[0]?.metadata.annotations).toEqual({ note: "x" });
  });

  it.each<{ name: string; subsets: EndpointSubset[]; want: (string | undefined)[][] }>([
    {
      name: "one for each family",
      subsets: [{ addresses: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }], ports: [HTTP] }],
      want: [["10.0.0.1"], ["fd00::1"]],
    },
    {
      name: "one for the same ports",
      subsets: [
        { addresses: [{ ip: "10.0.0.1" }], ports: [HTTP] },
        { addresses: [{ ip: "10.0.0.2" }], ports: [HTTP] },
      ],
      want: [["10.0.0.1", "10.0.0.2"]],
    },
    {
      name: "one for each set of ports",
      subsets: [
        { addresses: [{ ip: "10.0.0.1" }], ports: [HTTP] },
        { addresses: [{ ip: "10.0.0.2" }], ports: [DNS] },
      ],
      want: [["10.0.0.1"], ["10.0.0.2"]],
    },
    {
      name: "one where an address has two ports",
      subsets: [
        { addresses: [{ ip: "10.0.0.1" }], ports: [HTTP] },
        { addresses: [{ ip: "10.0.0.1" }], ports: [DNS] },
      ],
      want: [["10.0.0.1"]],
    },
    { name: "none without addresses", subsets: [{ ports: [HTTP] }], want: [] },
  ])("$name", ({ subsets, want }) => expect(made(subsets).create.map(addresses)).toEqual(want));

  it("leave out what is too much", () => {
    const many = Array.from({ length: MAX_ADDRESSES + 5 }, (_, i) => ({ ip: `10.1.${i >> 8}.${i & 255}` }));
    const plan = made([{ addresses: many, ports: [HTTP] }]);
    expect(plan).toMatchObject({ invalid: 0, skipped: 5 });
    expect(plan.create[0]?.endpoints).toHaveLength(MAX_ADDRESSES);
  });
});

describe("slices that are there", () => {
  const one: EndpointSubset[] = [{ addresses: [{ ip: "10.0.0.1" }], ports: [HTTP] }];
  const [slice] = made(one).create;
  it.each([
    { name: "stay", subsets: one, present: [stored(slice!)], want: [0, 0, 0] },
    {
      name: "are changed",
      subsets: [{ addresses: [{ ip: "10.0.0.2" }], ports: [HTTP] }],
      present: [stored(slice!)],
      want: [0, 1, 0],
    },
    {
      name: "make way for other ports",
      subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [DNS] }],
      present: [stored(slice!)],
      want: [1, 0, 1],
    },
    {
      name: "go when they are one too many",
      subsets: one,
      present: [stored(slice!), stored(slice!, "s-2")],
      want: [0, 0, 1],
    },
    { name: "go with the addresses", subsets: [], present: [stored(slice!)], want: [0, 0, 1] },
  ])("$name", ({ subsets, present, want }) => {
    const { create, update, remove } = made(subsets, present);
    expect([create.length, update.length, remove.length]).toEqual(want);
  });
});
