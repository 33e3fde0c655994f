import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  CONFIG_MAPS,
  EVENTS,
  EVENTS_V1,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  STORAGE_CLASSES,
} from "../../shared/api/refs.ts";
import { internalError } from "../../shared/api/status.ts";
import type {
  ConfigMap,
  Event,
  EventsV1Event,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from "../../shared/api/types.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import { MemoryApi } from "../../test/builders/memory-api.ts";
import { mortalClient } from "../../test/builders/mortal-client.ts";
import { runControllers } from "../../test/builders/run-controllers.ts";
import { schedulingNode, schedulingPod } from "../../test/builders/scheduling.ts";
import { CACHING } from "./caching.ts";
import { podScheduling } from "./pod-scheduling.ts";

let api: MemoryApi;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-10-21T08:00:00Z") });
  api = new MemoryApi();
  api.nowMs = () => Date.now();
});

afterEach(() => vi.useRealTimers());

const run = (client: ApiClient = api) => runControllers(api, [podScheduling], undefined, client, CACHING);
const settle = (ms = 2000) => vi.advanceTimersByTimeAsync(ms);
const pod = (name: string) => api.find<Pod>(PODS, `default/${name}`);
const bindings = () =>
  api.calls
    .filter(({ subresource }) => subresource === "binding")
    .map(({ name, body }) => `${name} on ${(body as { target: { name: string } }).target.name}`);
const events = (reason: string) => api.all<EventsV1Event>(EVENTS_V1).filter((event) => event.reason === reason);

async function make(name: string, cpu: string, spec: Partial<Pod["spec"]> = {}): Promise<void> {
  const { spec: full } = schedulingPod(spec, { cpu });
  await api.create<Pod>(PODS, { kind: "Pod", apiVersion: "v1", metadata: { name, namespace: "default" }, spec: full });
}

/** What the API does with a binding. */
async function bound(name: string, node: string): Promise<void> {
  await api.patch(PODS, { name, namespace: "default" }, "merge", { spec: { nodeName: node } });
}

describe("preemption", () => {
  beforeEach(async () => {
    await api.create(NODES, schedulingNode("a"));
    await make("low", "3", { nodeName: "a", priority: 1 });
    await make("urgent", "3", { priority: 1000, schedulerName: "default-scheduler" });
  });

  const SHORT = /^0\/1 nodes are available: 1 Insufficient cpu\./;
  const isSettled = () => {
    expect(pod("low")?.metadata.deletionTimestamp ?? "gone").toBeTruthy();
    expect(pod("urgent")?.status).toMatchObject({
      nominatedNodeName: "a",
      conditions: [{ type: "PodScheduled", status: "False", message: expect.stringMatching(SHORT) }],
    });
  };

  it("evicts with a reason, promises the node, and places the pod when the victim is gone", async () => {
    run();
    await settle();
    isSettled();
    expect(events("Preempted")).toMatchObject([
      { action: "Preempting", note: `Preempted by pod ${pod("urgent")?.metadata.uid} on node a` },
    ]);
    expect(bindings()).toEqual([]);
    await api.delete(PODS, { name: "low", namespace: "default" }, { gracePeriodSeconds: 0 });
    await settle();
    expect(bindings()).toEqual(["urgent on a"]);
  });

  it("tries again when a victim cannot be evicted", async () => {
    let refusals = 1;
    api.refuse = ({ verb }) => {
      if (verb === "delete" && refusals-- > 0) throw internalError("not now");
    };
    run();
    await settle(5000);
    isSettled();
  });

  it.each([0, 1, 2, 3, 4])("comes to the same after dying with write %i", async (heard) => {
    const { client } = mortalClient(api, heard);
    run(client);
    await settle();
    run();
    await settle(15_000);
    isSettled();
    await api.delete(PODS, { name: "low", namespace: "default" }, { gracePeriodSeconds: 0 });
    await settle(15_000);
    expect(bindings().at(-1)).toBe("urgent on a");
  });
});

describe("what wakes a pod", () => {
  const waiting = { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [] as object[] } } };
  beforeEach(async () => {
    await api.create(NODES, schedulingNode("a", { labels: { host: "a" } }));
    run();
  });

  it("company, for one that needs it", async () => {
    const labelSelector = { matchLabels: { app: "db" } };
    waiting.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution = [
      { topologyKey: "host", labelSelector },
    ];
    await make("web", "1", waiting as unknown as Partial<Pod["spec"]>);
    await settle();
    const { spec } = schedulingPod({ nodeName: "a" });
    await api.create<Pod>(PODS, {
      kind: "Pod",
      metadata: { name: "db", namespace: "default", labels: { app: "db" } },
      spec,
    });
    await settle();
    expect(bindings()).toEqual(["web on a"]);
  });

  it("a larger node, but no node that is too small for it", async () => {
    await make("large", "6");
    await settle();
    const said = () => events("FailedScheduling").reduce((sum, { series }) => sum + (series?.count ?? 1), 0);
    expect(said()).toBe(1);
    await api.create(NODES, schedulingNode("b", { cpu: "5" }));
    await settle(20_000);
    expect(said()).toBe(1);
    await api.create(NODES, schedulingNode("c", { cpu: "8" }));
    await settle();
    expect(bindings()).toEqual(["large on c"]);
  });

  it("a node that is uncordoned before its taint goes", async () => {
    const spec = { taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }] };
    await api.create(NODES, schedulingNode("b", { cpu: "8", spec: { ...spec, unschedulable: true } }));
    await make("large", "6");
    await settle();
    await api.patch(NODES, { name: "b" }, "merge", { spec: { unschedulable: null } });
    await settle();
    await api.patch(NODES, { name: "b" }, "merge", { spec: { taints: null } });
    await settle();
    expect(bindings()).toEqual(["large on b"]);
  });

  it("nothing: then no call is made", async () => {
    await make("large", "6");
    await settle();
    const calls = api.calls.length;
    await settle(290_000);
    expect(api.calls).toHaveLength(calls);
  });
});

describe("a pod that is deleted while it waits, held by a finalizer", () => {
  const notes = () => events("FailedScheduling").map(({ note }) => note);
  const hold = (name: string) =>
    api.patch(PODS, { name, namespace: "default" }, "merge", { metadata: { finalizers: ["example.com/hold"] } });
  const remove = (name: string) => api.delete(PODS, { name, namespace: "default" });
  const SKIPPED = "skip schedule deleting pod: default/waits";

  it("is not placed when something changes, which is said once", async () => {
    await api.create(NODES, schedulingNode("a"));
    await make("waits", "30");
    run();
    await settle();
    await hold("waits");
    await remove("waits");
    await settle(20_000);
    expect(notes()).toEqual([expect.stringContaining("Insufficient cpu")]);
    await api.create(NODES, schedulingNode("b", { cpu: "64" }));
    await settle(20_000);
    expect(notes()).toEqual([expect.stringContaining("Insufficient cpu"), SKIPPED]);
    await api.create(NODES, schedulingNode("c", { cpu: "64" }));
    await settle(400_000);
    expect(notes()).toHaveLength(2);
    expect(bindings()).toEqual([]);
  });

  it("comes to its turn at once where there is no node that refused it", async () => {
    await make("waits", "1");
    run();
    await settle();
    await hold("waits");
    await remove("waits");
    await settle(20_000);
    expect(notes()).toEqual(["no nodes available to schedule pods", SKIPPED]);
  });

  it("is forgotten when the finalizer goes", async () => {
    await make("waits", "1");
    run();
    await settle(0);
    await hold("waits");
    await remove("waits");
    await api.patch(PODS, { name: "waits", namespace: "default" }, "merge", { metadata: { finalizers: null } });
    await settle(20_000);
    expect(notes()).not.toContain(SKIPPED);
  });
});

it("has a volume bound first, then the pod", async () => {
  await api.create(NODES, schedulingNode("a"));
  await api.create(STORAGE_CLASSES, {
    metadata: { name: "late" },
    provisioner: "kubernetes.io/no-provisioner",
    volumeBindingMode: "WaitForFirstConsumer",
  } as never);
  const storage = { storageClassName: "late", accessModes: ["ReadWriteOnce"] };
  await api.create<PersistentVolume>(PERSISTENT_VOLUMES, {
    metadata: { name: "v" },
    spec: { ...storage, capacity: { storage: "1Gi" } },
    status: { phase: "Available" },
  });
  await api.create<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, {
    kind: "PersistentVolumeClaim",
    metadata: { name: "c", namespace: "default" },
    spec: { ...storage, resources: { requests: { storage: "1Gi" } } },
  });
  run();
  await make("web", "1", { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "c" } }] });
  await settle();
  expect(api.find<PersistentVolume>(PERSISTENT_VOLUMES, "v")?.spec?.claimRef).toMatchObject({ name: "c" });
  expect(pod("web")?.status?.nominatedNodeName).toBe("a");
  expect(bindings()).toEqual([]);
  const done = { metadata: { annotations: { "pv.kubernetes.io/bind-completed": "yes" } }, spec: { volumeName: "v" } };
  await api.patch(PERSISTENT_VOLUME_CLAIMS, { name: "c", namespace: "default" }, "merge", done);
  await settle();
  expect(bindings()).toEqual(["web on a"]);
  await bound("web", "a");
});

describe("a binding whose answer is lost", () => {
  /** Carries the first binding out and says that it failed; then fails so many reads. */
  function lossy(reads: number): ApiClient {
    let isFirst = true;
    let left = reads;
    return new Proxy(api as ApiClient, {
      get(target, name) {
        const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          const isBinding = name === "create" && args[2] !== undefined;
          if (isBinding && isFirst) {
            isFirst = false;
            // The feed brings it later than the answer would have come.
            setTimeout(() => void bound("first", "a"), 30_000);
            api.get = async () => ({ ...pod("first")!, spec: { ...pod("first")!.spec, nodeName: "a" } }) as never;
            throw internalError("the line broke");
          }
          if (name === "get" && left-- > 0) throw internalError("the line is still broken");
          return method.apply(target, args);
        };
      },
    });
  }

  it.each([0, 3])("keeps its place: the node is not given away twice (%i failing reads)", async (reads) => {
    await api.create(NODES, schedulingNode("a"));
    await make("first", "3");
    run(lossy(reads));
    await settle(5_000);
    await make("second", "3");
    await settle(60_000);
    expect(bindings()).toEqual([]);
    expect(pod("first")?.spec?.nodeName).toBe("a");
    expect(pod("second")?.status?.conditions).toMatchObject([{ reason: "Unschedulable" }]);
  });
});

describe("the configuration", () => {
  const configure = (text: string) => {
    const config = `apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n${text}`;
    const metadata = { name: "hearth-scheduler", namespace: "kube-system" };
    return api.create(CONFIG_MAPS, {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata,
      data: { "config.yaml": config },
    } as ConfigMap);
  };
  const forget = () => api.delete(CONFIG_MAPS, { name: "hearth-scheduler", namespace: "kube-system" });

  beforeEach(async () => {
    for (const name of ["a", "b"]) await api.create(NODES, schedulingNode(name));
    await make("there", "1", { nodeName: "b" });
  });

  it.each([true, false])("gives pods of another scheduler a profile (there from the start: %s)", async (isFirst) => {
    const text =
      "profiles: [{}, { schedulerName: packing, pluginConfig: [{ name: NodeResourcesFit, args: { scoringStrategy: { type: MostAllocated } } }] }]";
    if (isFirst) await configure(text);
    run();
    await make("packed", "1", { schedulerName: "packing" });
    await settle();
    if (!isFirst) {
      expect(bindings()).toEqual([]);
      await configure(text);
      await settle();
    }
    expect(bindings()).toEqual(["packed on b"]);
    expect(events("Scheduled")).toMatchObject([{ reportingController: "packing" }]);
    await bound("packed", "b");
    await forget();
    await make("left", "1", { schedulerName: "packing" });
    await settle();
    expect(bindings()).toEqual(["packed on b"]);
  });

  it("is left as it was where it is wrong, and says so", async () => {
    run();
    await configure("profiles: [{ schedulerName: other, plugins: { permit: {} } }]");
    await make("web", "1");
    await settle();
    expect(bindings()).toEqual(["web on a"]);
    expect(api.all<Event>(EVENTS)).toMatchObject([
      {
        type: "Warning",
        reason: "InvalidConfiguration",
        involvedObject: { name: "hearth-scheduler" },
        message: expect.stringContaining('Unrecognized key: "permit"'),
      },
    ]);
  });
});

it("leaves a pod alone that changes while its binding is under way", async () => {
  for (const name of ["a", "b"]) await api.create(NODES, schedulingNode(name));
  const slow = new Proxy(api as ApiClient, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        const isBinding = name === "create" && args[2] !== undefined;
        if (isBinding) await new Promise((resolve) => setTimeout(resolve, 5_000));
        return method.apply(target, args);
      };
    },
  });
  run(slow);
  await make("web", "1");
  await settle(1_000);
  await api.patch(PODS, { name: "web", namespace: "default" }, "merge", { metadata: { labels: { a: "b" } } });
  await settle(20_000);
  expect(bindings()).toHaveLength(1);
});
