import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DEFAULT_CLUSTER_NETWORK } from "../../shared/api/cluster-network.ts";
import { EVENTS, LEASES, NODES, PODS } from "../../shared/api/refs.ts";
import { conflict, failure } from "../../shared/api/status.ts";
import type { Event, Lease, Node, Pod } from "../../shared/api/types.ts";
import { MemoryApi } from "../../test/builders/memory-api.ts";
import { runControllers } from "../../test/builders/run-controllers.ts";
import type { ControllerRunner, Notes } from "../runtime/index.ts";
import { nodeIpamController } from "./node-ipam/index.ts";
import { nodeLifecycleController } from "./node-lifecycle/index.ts";
import { podGcController } from "./pod-gc/index.ts";
import { taintEvictionController } from "./taint-eviction/index.ts";

let network = DEFAULT_CLUSTER_NETWORK;
let api: MemoryApi;
let runner: ControllerRunner;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-10-21T08:00:00Z") });
  network = DEFAULT_CLUSTER_NETWORK;
  api = new MemoryApi();
  api.nowMs = () => Date.now();
  runner = runControllers(api, [
    nodeIpamController(async () => network),
    nodeLifecycleController,
    taintEvictionController,
    podGcController,
  ]);
});

afterEach(() => vi.useRealTimers());

/** What outlives an eviction. */
function memoryNotes(): Notes {
  const kept = new Map<string, unknown>();
  return {
    get: <T>(key: string) => kept.get(key) as T | undefined,
    put: (key, value) => void kept.set(key, value),
    delete: (key) => void kept.delete(key),
    list: <T>(prefix: string) => [...kept].filter(([key]) => key.startsWith(prefix)) as [string, T][],
  };
}

/** Lets time pass; the alarm is asked at each step, as the platform would when it is due. */
async function pass(seconds: number, beat: string[] = []): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    if (i % 10 === 0) for (const name of beat) await renew(name);
    await vi.advanceTimersByTimeAsync(1000);
    await runner.alarm();
  }
  await vi.advanceTimersByTimeAsync(100);
}

const now = () => new Date().toISOString();

async function join(name: string): Promise<void> {
  const conditions = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => ({
    type,
    status: type === "Ready" ? "True" : "False",
    lastHeartbeatTime: now(),
  }));
  await api.create<Node>(NODES, { metadata: { name }, spec: {}, status: { conditions } });
  await api.create<Lease>(LEASES, { metadata: { name, namespace: "kube-node-lease" }, spec: { renewTime: now() } });
  await pass(1);
}

const renew = (name: string) =>
  api.patch(LEASES, { name, namespace: "kube-node-lease" }, "merge", { spec: { renewTime: now() } });

async function run(name: string, node: string, tolerationSeconds: number): Promise<void> {
  const tolerations = [
    { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds },
  ];
  await api.create<Pod>(PODS, {
    metadata: { name, namespace: "default" },
    spec: { nodeName: node, containers: [{ name: "c" }], tolerations },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  });
  await pass(1);
}

const node = (name: string) => api.find<Node>(NODES, name);
const ready = (name: string) => node(name)?.status?.conditions?.find(({ type }) => type === "Ready")?.status;
const taints = (name: string) => node(name)?.spec?.taints?.map(({ key, effect }) => `${key}:${effect}`) ?? [];
const pod = (name: string) => api.find<Pod>(PODS, `default/${name}`);
const messages = () => api.all<Event>(EVENTS).map(({ reason, message }) => `${reason}: ${message}`);

describe("nodes", () => {
  it("are registered once and get ranges of their own", async () => {
    await join("n1");
    await join("n2");
    expect([node("n1")?.spec?.podCIDR, node("n2")?.spec?.podCIDR]).toEqual(["10.244.0.0/24", "10.244.1.0/24"]);
    expect(node("n2")?.spec?.podCIDRs).toEqual(["10.244.1.0/24"]);
    expect(messages()).toEqual([
      "RegisteredNode: Node n1 event: Registered Node n1 in Controller",
      "RegisteredNode: Node n2 event: Registered Node n2 in Controller",
    ]);
  });

  it("get another range where one turns out to be somebody else's, and the same one where no answer came", async () => {
    let failures = 0;
    api.refuse = ({ resource, body }) => {
      const { podCIDR } = (body as Node).spec ?? {};
      if (resource !== "nodes" || podCIDR === undefined) return;
      if (podCIDR === "10.244.0.0/24") throw conflict(NODES, "n1", "podCIDR/10.244.0.0/24 is held by n0");
      if (failures++ < 5) throw failure(503, "ServiceUnavailable", "no answer");
    };
    await join("n1");
    await pass(10, ["n1"]);
    expect(node("n1")?.spec?.podCIDR).toBe("10.244.1.0/24");
    expect(failures).toBe(6);
  });

  it("get the range of one that is deleted, when there was none left for them", async () => {
    network = { ...DEFAULT_CLUSTER_NETWORK, clusterCidrs: ["10.244.0.0/24"] };
    await join("n1");
    await join("n2");
    expect(node("n2")?.spec?.podCIDR).toBeUndefined();
    expect(messages()).toContain("CIDRNotAvailable: Node n2 status is now: CIDRNotAvailable");
    await api.delete(NODES, { name: "n1" });
    await pass(1);
    expect(node("n2")?.spec?.podCIDR).toBe("10.244.0.0/24");
  });

  it("stay as they are while they renew", async () => {
    await join("n1");
    await pass(200, ["n1"]);
    expect(ready("n1")).toBe("True");
    expect(taints("n1")).toEqual([]);
  });

  it("are lost after 50 s: conditions, taints and pods say so, and pods are evicted in their time", async () => {
    await join("n1");
    await join("n2");
    await run("short", "n1", 30);
    await run("usual", "n1", 300);
    await run("other", "n2", 300);
    await pass(40, ["n2"]);
    expect(ready("n1")).toBe("True");
    await pass(15, ["n2"]);
    expect(ready("n1")).toBe("Unknown");
    expect(taints("n1")).toEqual([
      "node.kubernetes.io/unreachable:NoSchedule",
      "node.kubernetes.io/unreachable:NoExecute",
    ]);
    expect(pod("short")?.status?.conditions).toMatchObject([{ type: "Ready", status: "False" }]);
    expect(pod("other")?.status?.conditions).toMatchObject([{ type: "Ready", status: "True" }]);
    expect(messages()).toContain("NodeNotReady: Node n1 status is now: NodeNotReady");
    await pass(40, ["n2"]);
    expect(pod("short")?.metadata.deletionTimestamp).toBeDefined();
    expect(pod("usual")?.metadata.deletionTimestamp).toBeUndefined();
    expect(messages()).toContain("TaintManagerEviction: Marking for deletion Pod default/short");
    await pass(265, ["n2"]);
    expect(pod("usual")?.metadata.deletionTimestamp).toBeDefined();
    expect(pod("usual")?.status?.conditions).toMatchObject([
      {},
      { type: "DisruptionTarget", reason: "DeletionByTaintManager" },
    ]);
    expect(pod("other")?.metadata.deletionTimestamp).toBeUndefined();
  });

  it("that come back keep their pods", async () => {
    await join("n1");
    await join("n2");
    await run("usual", "n1", 300);
    await pass(60, ["n2"]);
    expect(taints("n1")).toHaveLength(2);
    const conditions = [{ type: "Ready", status: "True", lastHeartbeatTime: now() }];
    await api.patch(NODES, { name: "n1", subresource: "status" }, "strategic", { status: { conditions } });
    await pass(5, ["n1", "n2"]);
    expect(taints("n1")).toEqual([]);
    expect(messages()).toContain("TaintManagerEviction: Cancelling deletion of Pod default/usual");
    await pass(300, ["n1", "n2"]);
    expect(pod("usual")?.metadata.deletionTimestamp).toBeUndefined();
  });

  it("evict nothing when all of them are lost", async () => {
    await join("n1");
    await run("usual", "n1", 5);
    await pass(100);
    expect(taints("n1")).toEqual(["node.kubernetes.io/unreachable:NoSchedule"]);
    expect(pod("usual")?.metadata.deletionTimestamp).toBeUndefined();
  });

  const evicting = (names: string[]) =>
    names.filter((name) => taints(name).includes("node.kubernetes.io/unreachable:NoExecute"));

  it("begin to lose their pods one every ten seconds", async () => {
    const lost = ["n1", "n2", "n3"];
    const alive = ["n4", "n5", "n6"];
    for (const name of [...lost, ...alive]) await join(name);
    await pass(50, alive);
    expect(lost.map(ready)).toEqual(["Unknown", "Unknown", "Unknown"]);
    expect(evicting(lost)).toHaveLength(1);
    await pass(8, alive);
    expect(evicting(lost)).toHaveLength(2);
    await pass(10, alive);
    expect(evicting(lost)).toHaveLength(3);
  });

  it("keep their pods when most of a small zone is lost, until others are back", async () => {
    const lost = ["n1", "n2", "n3"];
    const alive = ["n4", "n5"];
    for (const name of [...lost, ...alive]) await join(name);
    await pass(56, alive);
    const begun = evicting(lost);
    // Those that were lost first, while it was not most of them.
    expect(begun.length).toBeLessThan(3);
    await pass(60, alive);
    expect(evicting(lost)).toEqual(begun);
    await join("n6");
    await pass(60, [...alive, "n6"]);
    expect(evicting(lost)).toEqual(lost);
  });

  it("that are deleted leave no pods behind, however often the controllers are evicted meanwhile", async () => {
    const notes = memoryNotes();
    await join("n1");
    await run("usual", "n1", 300);
    await api.delete(NODES, { name: "n1" });
    for (let i = 0; i < 4; i++) {
      runner = runControllers(api, [podGcController], notes);
      await pass(11);
    }
    expect(pod("usual")).toBeUndefined();
    expect([...notes.list("")]).toEqual([]);
  });

  it("that never were are waited for anew with each pod, even beside one that finalizers hold", async () => {
    await run("held", "n9", 300);
    await api.patch(PODS, { name: "held", namespace: "default" }, "merge", {
      metadata: { finalizers: ["example.com/hold"] },
    });
    await pass(45);
    expect(pod("held")?.status?.phase).toBe("Failed");
    await run("next", "n9", 300);
    await pass(30);
    expect(pod("next")?.status?.phase).toBe("Running");
    await pass(15);
    expect(pod("next")).toBeUndefined();
  });

  it("that are deleted leave no pods behind", async () => {
    await join("n1");
    await run("usual", "n1", 300);
    await api.delete(NODES, { name: "n1" });
    await pass(30);
    expect(pod("usual")).toBeDefined();
    await pass(15);
    expect(pod("usual")).toBeUndefined();
    expect(messages()).toContain("RemovingNode: Node n1 event: Removing Node n1 from Controller");
  });
});
