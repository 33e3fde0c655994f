import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { EVENTS, PODS, RESOURCE_CLAIMS, RESOURCE_SLICES } from "../../../shared/api/refs.ts";
import type { Event, Pod } from "../../../shared/api/types.ts";
import { MemoryApi } from "../../../test/builders/memory-api.ts";
import { runControllers } from "../../../test/builders/run-controllers.ts";
import { deviceTaintEvictionController } from "./index.ts";

let api: MemoryApi;
beforeEach(async () => {
  vi.useFakeTimers({ now: Date.parse("2026-10-21T08:00:00Z") });
  api = new MemoryApi();
  api.nowMs = () => Date.now();
});
afterEach(() => vi.useRealTimers());

const settle = (ms = 2000) => vi.advanceTimersByTimeAsync(ms);
/** Those that are not being deleted: there is no kubelet that ends them. */
const staying = () => api.all<Pod>(PODS).flatMap(({ metadata }) => (metadata.deletionTimestamp ? [] : [metadata.name]));
const told = () => api.all<Event>(EVENTS).map(({ type, reason, message }) => `${type} ${reason} ${message}`);

async function makeSlice(generation = 1): Promise<void> {
  const spec = { driver: "d", nodeName: "n", pool: { name: "p", generation }, devices: [{ name: "a" }, { name: "b" }] };
  await api.create(RESOURCE_SLICES, { metadata: { name: `s${generation}` }, spec } as never);
}

/** A pod that uses a device. */
async function makeUser(name: string, device: string, tolerations: object[] = []): Promise<void> {
  const { metadata } = await api.create<Pod>(PODS, {
    kind: "Pod",
    metadata: { name, namespace: "ns" },
    spec: { nodeName: "n", containers: [], resourceClaims: [{ name: "gpu", resourceClaimName: name }] },
  } as unknown as Pod);
  const status = {
    allocation: { devices: { results: [{ request: "r", driver: "d", pool: "p", device, tolerations }] } },
    reservedFor: [{ resource: "pods", name, uid: metadata.uid }],
  };
  await api.create(RESOURCE_CLAIMS, { metadata: { name, namespace: "ns" }, spec: {}, status } as never);
}

const taint = (effect = "NoExecute", timeAdded = new Date().toISOString()) =>
  api.patch(RESOURCE_SLICES, { name: "s1" }, "merge", {
    spec: { devices: [{ name: "a", taints: [{ key: "sick", effect, timeAdded }] }, { name: "b" }] },
  });
const heal = () => api.patch(RESOURCE_SLICES, { name: "s1" }, "merge", { spec: { devices: [{ name: "a" }] } });
const waiting = [{ key: "sick", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 }];

it("deletes the pods that use a device when its driver taints it, and no others", async () => {
  await makeSlice();
  for (const [name, device] of [
    ["one", "a"],
    ["other", "b"],
  ] as const)
    await makeUser(name, device);
  const seen: unknown[] = [];
  const remove = api.delete.bind(api);
  api.delete = async (ref, target, options) => {
    seen.push(api.find<Pod>(PODS, "ns/one")?.status?.conditions);
    return remove(ref, target, options);
  };
  runControllers(api, [deviceTaintEvictionController]);
  await settle();
  await taint("NoSchedule");
  await settle();
  expect(staying()).toEqual(["one", "other"]);
  await taint();
  await settle();
  expect(staying()).toEqual(["other"]);
  expect(told()).toEqual(["Normal DeviceTaintManagerEviction Marking for deletion"]);
  expect(seen).toMatchObject([
    [
      {
        type: "DisruptionTarget",
        status: "True",
        reason: "DeletionByDeviceTaintManager",
        message: "Device Taint manager: deleting due to NoExecute taint",
      },
    ],
  ]);
  const writes = api.calls.length;
  await settle(600_000);
  expect(api.calls.length).toBe(writes);
});

it("waits as long as the claim tolerates it, though its memory is lost in between", async () => {
  await makeSlice();
  await makeUser("one", "a", waiting);
  await taint();
  runControllers(api, [deviceTaintEvictionController]);
  await settle(30_000);
  api.onBatch = () => {};
  const runner = runControllers(api, [deviceTaintEvictionController]);
  await settle(29_000);
  await runner.alarm();
  expect(staying()).toEqual(["one"]);
  await settle(2000);
  await runner.alarm();
  await settle();
  expect(staying()).toEqual([]);
});

it.each([
  { name: "the taint goes", end: heal },
  { name: "the pool is published anew", end: () => makeSlice(2) },
  { name: "the slice goes", end: () => api.delete(RESOURCE_SLICES, { name: "s1" }) },
])("spares a pod that waits when $name, and says so", async ({ end }) => {
  await makeSlice();
  await makeUser("one", "a", waiting);
  await taint();
  runControllers(api, [deviceTaintEvictionController]);
  await settle(30_000);
  await end();
  await settle(60_000);
  expect(staying()).toEqual(["one"]);
  expect(told()).toEqual(["Normal DeviceTaintManagerEviction Cancelling deletion"]);
});

it("deletes a pod that gets a tainted device only then", async () => {
  await makeSlice();
  await taint();
  runControllers(api, [deviceTaintEvictionController]);
  await settle();
  await makeUser("one", "a");
  await settle();
  expect(staying()).toEqual([]);
});
