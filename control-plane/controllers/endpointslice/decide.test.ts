import { describe, expect, it } from "vitest";
import type { EndpointSlice, Pod, Service } from "../../../shared/api/types.ts";
import { decide, MAX_ENDPOINTS, type Plan } from "./decide.ts";

type Spec = NonNullable<Service["spec"]>;

const service = (spec: Partial<Spec> = {}, labels: Record<string, string> = {}): Service => ({
  metadata: { name: "s", namespace: "default", uid: "s-uid", labels },
  spec: {
    clusterIP: "10.96.0.9",
    ipFamilies: ["IPv4"],
    selector: { app: "e" },
    ports: [{ port: 80, targetPort: 8080, protocol: "TCP" }],
    ...spec,
  },
});

interface PodFacts {
  ip?: string;
  ready?: boolean;
  terminating?: boolean;
  phase?: string;
  node?: string;
  ports?: { name: string; containerPort: number; protocol?: string }[];
}

const pod = (name: string, facts: PodFacts = {}): Pod => {
  const { ip = `10.1.0.${name.slice(1)}`, ready = true, terminating, phase = "Running", node = "n1", ports } = facts;
  return {
    metadata: {
      name,
      namespace: "default",
      uid: `${name}-uid`,
      ...(terminating ? { deletionTimestamp: "2026-10-21T08:00:00Z" } : {}),
    },
    spec: { nodeName: node, containers: [{ name: "c", ports }] },
    status: {
      phase,
      ...(ip ? { podIP: ip, podIPs: [{ ip }] } : {}),
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    },
  };
};

const zones: Record<string, string> = { n1: "z1", n2: "z2", plain: "" };
const plan = (pods: Pod[], slices: EndpointSlice[] = [], of: Service = service()): Plan =>
  decide({ service: of, pods, slices, zoneOf: (node) => zones[node] });

/** What the server would keep of a plan. */
const stored = ({ create, update }: Plan): EndpointSlice[] => [
  ...update,
  ...create.map((slice, i) => ({ ...slice, metadata: { ...slice.metadata, name: `s-${i}` } })),
];

describe("decide", () => {
  it("makes an empty slice for a Service without pods, once", () => {
    const first = plan([]);
    expect(first.create).toMatchObject([{ addressType: "IPv4" }]);
    expect(first.create[0]).not.toHaveProperty("endpoints");
    expect(first.create[0]?.metadata).toMatchObject({
      generateName: "s-",
      labels: {
        "kubernetes.io/service-name": "s",
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
      },
      ownerReferences: [{ kind: "Service", name: "s", controller: true }],
    });
    expect(plan([], stored(first))).toEqual({ create: [], update: [], remove: [] });
  });

  it.each<{ name: string; pods: Pod[]; of?: Service; want: object[] }>([
    {
      name: "a ready pod",
      pods: [pod("p1")],
      want: [
        {
          addresses: ["10.1.0.1"],
          conditions: { ready: true, serving: true, terminating: false },
          targetRef: { kind: "Pod", namespace: "default", name: "p1", uid: "p1-uid" },
          nodeName: "n1",
          zone: "z1",
        },
      ],
    },
    {
      name: "a pod that is not ready",
      pods: [pod("p1", { ready: false })],
      want: [{ conditions: { ready: false, serving: false, terminating: false } }],
    },
    {
      name: "a terminating pod still serves",
      pods: [pod("p1", { terminating: true })],
      want: [{ conditions: { ready: false, serving: true, terminating: true } }],
    },
    {
      name: "a Service that publishes addresses that are not ready",
      pods: [pod("p1", { ready: false })],
      of: service({ publishNotReadyAddresses: true }),
      want: [{ conditions: { ready: true, serving: false, terminating: false } }],
    },
    { name: "a pod without an address is left out", pods: [pod("p1", { ip: "" })], want: [] },
    { name: "a pod that has ended is left out", pods: [pod("p1", { phase: "Succeeded" })], want: [] },
    { name: "a pod whose node is not known is left out", pods: [pod("p1", { node: "gone" })], want: [] },
    {
      name: "hints by zone",
      pods: [pod("p1"), pod("p2", { node: "n2" })],
      of: service({ trafficDistribution: "PreferClose" }),
      want: [{ hints: { forZones: [{ name: "z1" }] } }, { hints: { forZones: [{ name: "z2" }] } }],
    },
  ])("$name", ({ pods, of, want }) => {
    const [slice] = plan(pods, [], of).create;
    expect(slice?.endpoints ?? []).toMatchObject(want);
    expect(slice?.endpoints ?? []).toHaveLength(want.length);
  });

  it("says which pods it left out for want of their node", () => {
    const pods = [pod("p1"), pod("p2", { node: "gone" }), pod("p3", { node: "gone", phase: "Failed" })];
    expect(plan(pods).skipped).toEqual(["skipping Pod p2 for Service default/s: Node gone Not Found"]);
    expect(plan(pods.slice(0, 1))).not.toHaveProperty("skipped");
    expect(plan(pods, [], service({ publishNotReadyAddresses: true }))).not.toHaveProperty("skipped");
  });

  it("gives no hints when a ready endpoint has no zone", () => {
    const [slice] = plan(
      [pod("p1"), pod("p2", { node: "plain" })],
      [],
      service({ trafficDistribution: "PreferClose" }),
    ).create;
    expect(slice?.endpoints?.map(({ hints }) => hints)).toEqual([undefined, undefined]);
  });

  it("looks named ports up in the pod, and leaves out what is not there", () => {
    const of = service({
      ports: [
        { name: "web", port: 80, targetPort: "http", protocol: "TCP", appProtocol: "example.com/x" },
        { name: "miss", port: 81, targetPort: "other", protocol: "TCP" },
      ],
    });
    const pods = [pod("p1", { ports: [{ name: "http", containerPort: 8443 }] })];
    expect(plan(pods, [], of).create[0]?.ports).toEqual([
      { name: "web", port: 8443, protocol: "TCP", appProtocol: "example.com/x" },
    ]);
  });

  it("puts pods with other port numbers into a slice of their own", () => {
    const of = service({ ports: [{ name: "web", port: 80, targetPort: "http", protocol: "TCP" }] });
    const on = (name: string, containerPort: number) => pod(name, { ports: [{ name: "http", containerPort }] });
    const { create } = plan([on("p1", 1), on("p2", 2), on("p3", 1)], [], of);
    expect(create.map((slice) => [slice.ports?.[0]?.port, slice.endpoints?.length])).toEqual([
      [1, 2],
      [2, 1],
    ]);
  });

  it("marks the slices of a headless Service", () => {
    const [slice] = plan([pod("p1")], [], service({ clusterIP: "None", ports: [] })).create;
    expect(slice?.metadata.labels).toMatchObject({ "service.kubernetes.io/headless": "" });
    expect(slice).not.toHaveProperty("ports");
  });

  it("copies the labels of the Service, save those that are its own", () => {
    const of = service({}, { team: "blue", "kubernetes.io/service-name": "lie" });
    const slices = stored(plan([pod("p1")]));
    expect(plan([pod("p1")], slices, of).update[0]?.metadata.labels).toMatchObject({
      team: "blue",
      "kubernetes.io/service-name": "s",
    });
  });

  it("SVC-14: puts a hundred endpoints into a slice, and touches only the one that changes", () => {
    const pods = Array.from({ length: 150 }, (_, i) => pod(`p${i}`));
    const slices = stored(plan(pods));
    expect(slices.map((slice) => slice.endpoints?.length)).toEqual([MAX_ENDPOINTS, 50]);
    expect(plan(pods, slices)).toEqual({ create: [], update: [], remove: [] });
    const change = plan([...pods.slice(1), pod("p999")], slices);
    expect(change.create).toEqual([]);
    expect(change.update.map((slice) => slice.metadata.name)).toEqual(["s-0"]);
    const oneMore = plan([...pods, pod("p999")], slices);
    expect(oneMore.update.map((slice) => [slice.metadata.name, slice.endpoints?.length])).toEqual([["s-1", 51]]);
  });

  it("empties the last slice when the last pod goes", () => {
    const slices = stored(plan([pod("p1")]));
    const { create, update, remove } = plan([], slices);
    expect([create, remove]).toEqual([[], []]);
    expect(update.map(({ metadata }) => metadata.name)).toEqual(["s-0"]);
    expect(update[0]).not.toHaveProperty("endpoints");
  });

  it("gives a slice the new ports rather than replace it, unless it is another Service's", () => {
    const slices = stored(plan([pod("p1")]));
    const of = service({ ports: [{ port: 80, targetPort: 9090, protocol: "TCP" }] });
    expect(plan([pod("p1")], slices, of)).toMatchObject({
      create: [],
      update: [{ metadata: { name: "s-0" }, ports: [{ port: 9090 }], endpoints: [{ addresses: ["10.1.0.1"] }] }],
      remove: [],
    });
    const anew = { ...of, metadata: { ...of.metadata, uid: "another" } };
    expect(plan([pod("p1")], slices, anew)).toMatchObject({ create: [{}], update: [], remove: [{}] });
  });
});
