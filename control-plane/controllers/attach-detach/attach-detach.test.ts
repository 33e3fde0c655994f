import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  CSI_DRIVERS,
  EVENTS,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  VOLUME_ATTACHMENTS,
} from "../../../shared/api/refs.ts";
import type {
  Event,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  VolumeAttachment,
} from "../../../shared/api/types.ts";
import { MemoryApi } from "../../../test/builders/memory-api.ts";
import { memoryNotes } from "../../../test/builders/memory-notes.ts";
import { mortalClient } from "../../../test/builders/mortal-client.ts";
import { runControllers } from "../../../test/builders/run-controllers.ts";
import { attachDetachController } from "./index.ts";

const UNIQUE_NAME = "kubernetes.io/csi/disks.example.com^handle-1";
const EXTERNAL = "external-attacher/disks-example-com";

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-10-21T08:00:00Z") });
  // The platform's takes real time, for which no clock of the test's waits.
  vi.spyOn(crypto.subtle, "digest").mockImplementation(
    async (_, data) =>
      new Uint8Array(
        createHash("sha256")
          .update(data as Uint8Array)
          .digest(),
      ).buffer,
  );
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const settle = () => vi.advanceTimersByTimeAsync(2000);

async function makeApi(accessMode = "ReadWriteOnce"): Promise<MemoryApi> {
  const api = new MemoryApi();
  api.nowMs = () => Date.now();
  const claim = await api.create<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name: "data", namespace: "ns" },
    spec: { volumeName: "disk" },
    status: { phase: "Bound" },
  });
  await api.create(PERSISTENT_VOLUMES, {
    metadata: { name: "disk" },
    spec: {
      accessModes: [accessMode],
      csi: { driver: "disks.example.com", volumeHandle: "handle-1" },
      claimRef: { namespace: "ns", name: "data", uid: claim.metadata.uid },
    },
  });
  for (const name of ["a", "b"]) {
    const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };
    await api.create(NODES, {
      metadata: { name, annotations },
      spec: {},
      status: { conditions: [{ type: "Ready", status: "True" }] },
    });
  }
  return api;
}

const makePod = (api: MemoryApi, name: string, nodeName: string) =>
  api.create<Pod>(PODS, {
    kind: "Pod",
    metadata: { name, namespace: "ns" },
    spec: { nodeName, containers: [], volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] },
  });
const removePod = (api: MemoryApi, name: string) =>
  api.delete(PODS, { name, namespace: "ns" }, { gracePeriodSeconds: 0 });

/** The driver's part: attaches at once, and detaches what is to go. */
async function playDriver(api: MemoryApi): Promise<void> {
  for (const { metadata, status } of api.all<VolumeAttachment>(VOLUME_ATTACHMENTS)) {
    const finalizers = metadata.deletionTimestamp ? [] : [EXTERNAL];
    if (metadata.deletionTimestamp || !status?.attached)
      await api.patch(VOLUME_ATTACHMENTS, metadata, "merge", { metadata: { finalizers }, status: { attached: true } });
  }
}

const attachedTo = (api: MemoryApi) => api.all<VolumeAttachment>(VOLUME_ATTACHMENTS).map(({ spec }) => spec.nodeName);
const said = (api: MemoryApi, name: string) =>
  (api.find<Node>(NODES, name)?.status?.volumesAttached ?? []).map((volume) => volume.name);
const told = (api: MemoryApi, pod: string) =>
  api
    .all<Event>(EVENTS)
    .filter(({ involvedObject }) => involvedObject.name === pod)
    .map(({ type, reason, message }) => `${type} ${reason} ${message}`);

it("moves a disk after its pod, and tells both pods", async () => {
  const api = await makeApi();
  runControllers(api, [attachDetachController]);
  await makePod(api, "first", "a");
  await settle();
  expect(api.all<VolumeAttachment>(VOLUME_ATTACHMENTS)).toMatchObject([
    {
      metadata: { name: "csi-fa9830a1bc1a33c860cd8b217f3e44e4587d0c8935683d7d4b2cd17cc507dc58" },
      spec: { attacher: "disks.example.com", nodeName: "a", source: { persistentVolumeName: "disk" } },
    },
  ]);
  expect(said(api, "a")).toEqual([]);
  await playDriver(api);
  await settle();
  expect(api.find<Node>(NODES, "a")?.status?.volumesAttached).toEqual([{ name: UNIQUE_NAME, devicePath: "" }]);
  expect(told(api, "first")).toEqual([
    'Normal SuccessfulAttachVolume AttachVolume.Attach succeeded for volume "disk" ',
  ]);

  await makePod(api, "second", "b");
  await settle();
  const refusal =
    'Warning FailedAttachVolume Multi-Attach error for volume "disk" Volume is already used by pod(s) first';
  expect(told(api, "second")).toEqual([refusal]);
  await api.patch(NODES, { name: "a" }, "merge", { status: { volumesInUse: [UNIQUE_NAME] } });
  await removePod(api, "first");
  await settle();
  expect([attachedTo(api), said(api, "a")]).toEqual([["a"], [UNIQUE_NAME]]); // it is mounted still
  await api.patch(NODES, { name: "a" }, "merge", { status: { volumesInUse: [] } });
  await settle();
  expect(said(api, "a")).toEqual([]);
  expect(attachedTo(api)).toEqual(["a"]); // the driver is not done
  await playDriver(api);
  await settle();
  expect(attachedTo(api)).toEqual(["b"]);
  await playDriver(api);
  await settle();
  expect(said(api, "b")).toEqual([UNIQUE_NAME]);
  expect(told(api, "second").at(-1)).toContain("AttachVolume.Attach succeeded");
  const writes = api.calls.length;
  await vi.advanceTimersByTimeAsync(600_000);
  expect(api.calls.length).toBe(writes);
});

it("takes a disk from a lost node after six minutes, though its memory is lost in between", async () => {
  const api = await makeApi();
  const notes = memoryNotes();
  runControllers(api, [attachDetachController], notes);
  await makePod(api, "first", "a");
  await settle();
  await playDriver(api);
  await settle();
  const status = { conditions: [{ type: "Ready", status: "Unknown" }], volumesInUse: [UNIQUE_NAME] };
  await api.patch(NODES, { name: "a" }, "merge", { status });
  await removePod(api, "first");
  await vi.advanceTimersByTimeAsync(3 * 60_000);
  expect(attachedTo(api)).toEqual(["a"]);
  api.onBatch = () => {};
  const runner = runControllers(api, [attachDetachController], notes);
  const later = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    await runner.alarm();
    await settle();
  };
  await later(2.9 * 60_000);
  expect(api.all<VolumeAttachment>(VOLUME_ATTACHMENTS)[0]?.metadata.deletionTimestamp).toBeUndefined();
  await later(0.1 * 60_000);
  expect(api.all<VolumeAttachment>(VOLUME_ATTACHMENTS)[0]?.metadata.deletionTimestamp).toBeDefined();
  await playDriver(api);
  await settle();
  expect([attachedTo(api), said(api, "a"), [...notes.list("attach-detach/")]]).toEqual([[], [], []]);
});

it("tells why a driver could not attach it, once for each attempt", async () => {
  const api = await makeApi();
  runControllers(api, [attachDetachController]);
  await makePod(api, "first", "a");
  await settle();
  const [attachment] = api.all<VolumeAttachment>(VOLUME_ATTACHMENTS);
  for (const time of ["2026-10-21T08:00:01Z", "2026-10-21T08:00:01Z", "2026-10-21T08:00:02Z"]) {
    const attachError = { time, message: "no such disk" };
    await api.patch(VOLUME_ATTACHMENTS, attachment!.metadata, "merge", { status: { attached: false, attachError } });
    await settle();
  }
  const events = api.all<Event>(EVENTS);
  expect(events.map(({ message, count }) => [message, count])).toEqual([
    ['AttachVolume.Attach failed for volume "disk" : no such disk', 2],
  ]);
});

it("tells that a driver takes too long", async () => {
  const api = await makeApi();
  const runner = runControllers(api, [attachDetachController]);
  await makePod(api, "first", "a");
  await settle();
  await vi.advanceTimersByTimeAsync(2 * 60_000);
  await runner.alarm();
  await settle();
  expect(told(api, "first")).toEqual([
    'Warning FailedAttachVolume AttachVolume.Attach failed for volume "disk" : timed out waiting for external-attacher of disks.example.com CSI driver to attach volume handle-1',
  ]);
});

it.each([
  {
    name: "that no driver attaches",
    arrange: (api: MemoryApi) =>
      api.create(CSI_DRIVERS, { metadata: { name: "disks.example.com" }, spec: { attachRequired: false } }),
  },
  {
    name: "of another kind than a driver's",
    arrange: (api: MemoryApi) =>
      api.patch(PERSISTENT_VOLUMES, { name: "disk" }, "merge", { spec: { csi: null, nfs: {} } }),
  },
  {
    name: "on a node that attaches itself",
    arrange: (api: MemoryApi) => api.patch(NODES, { name: "a" }, "merge", { metadata: { annotations: null } }),
  },
])("leaves a volume alone $name", async ({ arrange }) => {
  const api = await makeApi();
  await arrange(api);
  runControllers(api, [attachDetachController]);
  await makePod(api, "first", "a");
  await settle();
  expect(attachedTo(api)).toEqual([]);
});

/** As of a volume whose finalizers somebody has taken away. */
const removeVolume = (api: MemoryApi) => api.delete(PERSISTENT_VOLUMES, { name: "disk" });

it("detaches what a pod is done with, though the volume was removed by force meanwhile", async () => {
  const api = await makeApi();
  const notes = memoryNotes();
  runControllers(api, [attachDetachController], notes);
  await makePod(api, "first", "a");
  await settle();
  await playDriver(api);
  await settle();
  await api.patch(NODES, { name: "a" }, "merge", { status: { volumesInUse: [UNIQUE_NAME] } });
  await removeVolume(api);
  await api.patch(PERSISTENT_VOLUME_CLAIMS, { name: "data", namespace: "ns" }, "merge", { status: { phase: "Lost" } });
  await settle();
  expect([attachedTo(api), said(api, "a")]).toEqual([["a"], [UNIQUE_NAME]]); // its pod runs
  await removePod(api, "first");
  await settle();
  expect([attachedTo(api), said(api, "a")]).toEqual([["a"], [UNIQUE_NAME]]); // it is mounted still
  await api.patch(NODES, { name: "a" }, "merge", { status: { volumesInUse: [] } });
  await settle();
  expect(said(api, "a")).toEqual([]);
  await playDriver(api);
  await settle();
  expect([attachedTo(api), [...notes.list("")]]).toEqual([[], []]);
});

it.each([
  { name: "reported by its node", arrange: playDriver },
  { name: "not attached yet", arrange: async () => {} },
])("detaches an attachment of a removed volume after a restart: $name", async ({ arrange }) => {
  const api = await makeApi();
  runControllers(api, [attachDetachController]);
  await makePod(api, "first", "a");
  await settle();
  await arrange(api);
  await settle();
  api.onBatch = () => {};
  await removeVolume(api);
  await removePod(api, "first");
  runControllers(api, [attachDetachController]);
  await settle();
  await playDriver(api);
  await settle();
  expect([attachedTo(api), said(api, "a")]).toEqual([[], []]);
});

it("takes a removed volume from a lost node after six minutes", async () => {
  const api = await makeApi();
  const notes = memoryNotes();
  const runner = runControllers(api, [attachDetachController], notes);
  await makePod(api, "first", "a");
  await settle();
  await playDriver(api);
  await settle();
  const status = { conditions: [{ type: "Ready", status: "Unknown" }], volumesInUse: [UNIQUE_NAME] };
  await api.patch(NODES, { name: "a" }, "merge", { status });
  await removeVolume(api);
  await removePod(api, "first");
  await vi.advanceTimersByTimeAsync(5.9 * 60_000);
  await runner.alarm();
  await settle();
  expect(api.all<VolumeAttachment>(VOLUME_ATTACHMENTS)[0]?.metadata.deletionTimestamp).toBeUndefined();
  await vi.advanceTimersByTimeAsync(0.2 * 60_000);
  await runner.alarm();
  await settle();
  await playDriver(api);
  await settle();
  expect([attachedTo(api), said(api, "a"), [...notes.list("")]]).toEqual([[], [], []]);
});

it("lets an old volume go and attaches another one under its name", async () => {
  const api = await makeApi();
  runControllers(api, [attachDetachController]);
  await makePod(api, "first", "a");
  await settle();
  await playDriver(api);
  await settle();
  const { metadata, spec } = api.find<PersistentVolume>(PERSISTENT_VOLUMES, "disk")!;
  await removeVolume(api);
  await removePod(api, "first");
  const csi = { driver: "disks.example.com", volumeHandle: "handle-2" };
  await api.create(PERSISTENT_VOLUMES, { metadata: { name: metadata.name }, spec: { ...spec, csi } });
  await settle();
  await playDriver(api);
  await settle();
  expect([attachedTo(api), said(api, "a")]).toEqual([[], []]);
  await makePod(api, "second", "a");
  await settle();
  await playDriver(api);
  await settle();
  expect(said(api, "a")).toEqual(["kubernetes.io/csi/disks.example.com^handle-2"]);
});

it("leaves attachments of others alone, of whatever volume", async () => {
  const api = await makeApi();
  const spec = { attacher: "disks.example.com", nodeName: "a", source: { persistentVolumeName: "none" } };
  await api.create(VOLUME_ATTACHMENTS, { metadata: { name: "by-hand" }, spec });
  runControllers(api, [attachDetachController]);
  await settle();
  expect(attachedTo(api)).toEqual(["a"]);
});

/** A disk moves from node a to b. @param heard after so many writes the controller dies with the next one */
async function play(heard: number) {
  const api = await makeApi();
  const notes = memoryNotes();
  const { client, isDead } = mortalClient(api, heard);
  runControllers(api, [attachDetachController], notes, client);
  let hasDied = false;
  for (let round = 0; round < 12; round++) {
    if (round === 0) await makePod(api, "first", "a");
    if (round === 4) await makePod(api, "second", "b");
    if (round === 6) await removePod(api, "first");
    await settle();
    if (isDead() && !hasDied) {
      hasDied = true;
      runControllers(api, [attachDetachController], notes);
      await settle();
    }
    expect(attachedTo(api).length).toBeLessThanOrEqual(1);
    await playDriver(api);
  }
  return { end: [attachedTo(api), said(api, "a"), said(api, "b"), [...notes.list("")]], hasDied };
}

it("ends the same, and never with two nodes at a disk, after whichever write it dies", async () => {
  const end = [["b"], [], [UNIQUE_NAME], []];
  let heard = 0;
  for (; ; heard += 1) {
    const played = await play(heard);
    expect({ heard, end: played.end }).toEqual({ heard, end });
    if (!played.hasDied) break;
  }
  expect(heard).toBeGreaterThan(6);
});
