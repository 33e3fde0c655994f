import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { EVENTS, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, STORAGE_CLASSES } from "../../shared/api/refs.ts";
import type { Event, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../../shared/api/types.ts";
import { MemoryApi } from "../../test/builders/memory-api.ts";
import { runControllers } from "../../test/builders/run-controllers.ts";
import { ephemeralVolumeController } from "./ephemeral-volume/index.ts";
import { persistentVolumeBinder } from "./persistent-volume-binder/index.ts";

let api: MemoryApi;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-10-21T08:00:00Z") });
  api = new MemoryApi();
  api.nowMs = () => Date.now();
  runControllers(api, [persistentVolumeBinder, ephemeralVolumeController]);
});

afterEach(() => vi.useRealTimers());

const settle = () => vi.advanceTimersByTimeAsync(2000);
const spec = { storageClassName: "fast", accessModes: ["ReadWriteOnce"] };
const makeVolume = (name: string, policy = "Retain") =>
  api.create<PersistentVolume>(PERSISTENT_VOLUMES, {
    metadata: { name },
    spec: {
      ...spec,
      capacity: { storage: "1Gi" },
      persistentVolumeReclaimPolicy: policy,
      hostPath: { path: "/tmp/x" },
    },
  });
const makeClaim = (name: string, storageClassName: string | undefined = "fast") =>
  api.create<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, {
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace: "ns" },
    spec: { ...spec, storageClassName, resources: { requests: { storage: "1Gi" } } },
    status: { phase: "Pending" },
  });
const claim = (name: string) => api.find<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, `ns/${name}`);
const volume = (name: string) => api.find<PersistentVolume>(PERSISTENT_VOLUMES, name);

it("binds each volume to one claim only, and then writes no more", async () => {
  await makeVolume("v1");
  for (const name of ["a", "b", "c"]) await makeClaim(name);
  await settle();
  await makeVolume("v2");
  await settle();
  const owners = ["v1", "v2"].map((name) => volume(name)?.spec?.claimRef?.name);
  expect(new Set(owners).size).toBe(2);
  for (const [i, name] of owners.entries()) {
    expect(claim(name ?? "")).toMatchObject({
      metadata: { annotations: { "pv.kubernetes.io/bind-completed": "yes" } },
      spec: { volumeName: `v${i + 1}` },
      status: { phase: "Bound", capacity: { storage: "1Gi" } },
    });
    expect(volume(`v${i + 1}`)?.status?.phase).toBe("Bound");
  }
  const writes = api.calls.length;
  await vi.advanceTimersByTimeAsync(600_000);
  expect(api.calls.length).toBe(writes);
});

it("finishes a binding of which any write failed", async () => {
  for (let failing = 1; failing <= 4; failing++) {
    let left = failing;
    await makeVolume(`v${failing}`);
    await settle();
    api.refuse = ({ resource }) => {
      if (resource !== "events" && --left === 0) throw new Error("no answer");
    };
    await makeClaim(`c${failing}`).catch(() => makeClaim(`c${failing}`));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(claim(`c${failing}`)?.status?.phase, `write ${failing} fails`).toBe("Bound");
    expect(volume(`v${failing}`)?.status?.phase).toBe("Bound");
  }
});

it.each([
  { policy: "Retain", want: "Released" },
  { policy: "Delete", want: undefined },
])("a volume to $policy is $want once its claim is gone", async ({ policy, want }) => {
  await makeVolume("v", policy);
  await makeClaim("c");
  await settle();
  await api.delete(PERSISTENT_VOLUME_CLAIMS, { name: "c", namespace: "ns" });
  await settle();
  expect(volume("v")?.status?.phase).toBe(want);
});

it("gives a claim the default class that comes later", async () => {
  await api.create(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name: "c", namespace: "ns" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  await settle();
  const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
  await api.create<StorageClass>(STORAGE_CLASSES, {
    metadata: { name: "std", annotations },
    provisioner: "x.example.com",
  });
  await settle();
  expect(claim("c")).toMatchObject({
    metadata: { annotations: { "volume.kubernetes.io/storage-provisioner": "x.example.com" } },
    spec: { storageClassName: "std" },
  });
});

it("makes the claims of a pod's ephemeral volumes, and again when one is deleted", async () => {
  const template = { metadata: { labels: { a: "b" } }, spec: { accessModes: ["ReadWriteOnce"] } };
  await api.create<Pod>(PODS, {
    metadata: { name: "p", namespace: "ns" },
    spec: { containers: [], volumes: [{ name: "v", ephemeral: { volumeClaimTemplate: template } }] },
  });
  await settle();
  expect(claim("p-v")).toMatchObject({
    metadata: { labels: { a: "b" }, ownerReferences: [{ kind: "Pod", name: "p", controller: true }] },
    spec: { accessModes: ["ReadWriteOnce"] },
  });
  await api.delete(PERSISTENT_VOLUME_CLAIMS, { name: "p-v", namespace: "ns" });
  await settle();
  expect(claim("p-v")).toBeDefined();
});

it("takes no claim that is not the pod's", async () => {
  await makeClaim("p-v");
  await api.create<Pod>(PODS, {
    metadata: { name: "p", namespace: "ns" },
    spec: { containers: [], volumes: [{ name: "v", ephemeral: {} }] },
  });
  await settle();
  expect(api.all<Event>(EVENTS).map(({ message }) => message)).toContain(
    "ephemeral volume v: PVC ns/p-v was not created for pod ns/p (pod is not owner)",
  );
});
