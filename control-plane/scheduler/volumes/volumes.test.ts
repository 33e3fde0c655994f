import { describe, expect, it } from "vitest";
import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../../../shared/api/types.ts";
import {
  clusterOf,
  decideOn,
  schedulingNode as node,
  nodeInfos,
  schedulingPod,
} from "../../../test/builders/scheduling.ts";
import { choicesOn } from "./choices.ts";
import { sortClaims } from "./claims.ts";
import { NO_STORAGE, type Storage } from "./storage.ts";
import { BIND_TIMEOUT_MS, VolumeWaits } from "./volume-waits.ts";

interface ClaimOptions {
  size?: string;
  volume?: string;
  node?: string;
  phase?: string;
  deleted?: boolean;
  revision?: string;
}

function claim(name: string, { size = "1Gi", volume, node: selected, phase, deleted, revision }: ClaimOptions = {}) {
  const annotations = {
    ...(volume ? { "pv.kubernetes.io/bind-completed": "yes" } : {}),
    ...(selected ? { "volume.kubernetes.io/selected-node": selected } : {}),
  };
  return {
    metadata: {
      name,
      namespace: "default",
      uid: `uid-of-${name}`,
      annotations,
      resourceVersion: revision ?? "1",
      ...(deleted ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    },
    spec: {
      storageClassName: "late",
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: size } },
      volumeName: volume,
    },
    status: { phase },
  } as unknown as PersistentVolumeClaim;
}

const volume = (name: string, host?: string, size = "1Gi") =>
  ({
    metadata: { name },
    spec: {
      storageClassName: "late",
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: size },
      ...(host
        ? {
            nodeAffinity: {
              required: {
                nodeSelectorTerms: [{ matchExpressions: [{ key: "host", operator: "In", values: [host] }] }],
              },
            },
          }
        : {}),
    },
    status: { phase: "Available" },
  }) as unknown as PersistentVolume;

function storage(given: {
  claims?: PersistentVolumeClaim[];
  volumes?: PersistentVolume[];
  mode?: string;
  provisioner?: string;
  zones?: string[];
  reserved?: string[];
}): Storage {
  const {
    claims = [],
    volumes = [],
    mode = "WaitForFirstConsumer",
    provisioner = "kubernetes.io/no-provisioner",
  } = given;
  const allowedTopologies = given.zones && [{ matchLabelExpressions: [{ key: "zone", values: given.zones }] }];
  const late = { metadata: { name: "late" }, provisioner, volumeBindingMode: mode, allowedTopologies };
  return {
    ...NO_STORAGE,
    claim: (_namespace, name) => claims.find(({ metadata }) => metadata.name === name),
    volume: (name) => volumes.find(({ metadata }) => metadata.name === name),
    volumesOfClass: () => volumes,
    storageClass: () => late as unknown as StorageClass,
    reserved: new Set(given.reserved),
  };
}

const podWith = (...claims: string[]): Pod =>
  schedulingPod({ volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) });
const NODES = nodeInfos([
  node("a", { labels: { host: "a", zone: "1" } }),
  node("b", { labels: { host: "b", zone: "2" } }),
]);
const decide = (pod: Pod, of: Storage) => decideOn(pod, NODES, { cluster: clusterOf(NODES, { storage: of }) });
const NOT_HELPFUL =
  "no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";

describe("where a pod with claims can go (SCH-03)", () => {
  it.each<{
    name: string;
    storage: Storage;
    pod?: Pod;
    want: { node: string } | { message: string } | { never: string };
  }>([
    { name: "no such claim", storage: storage({}), want: { never: 'persistentvolumeclaim "c" not found' } },
    {
      name: "no claim yet for an ephemeral volume",
      storage: storage({}),
      pod: {
        ...schedulingPod({ volumes: [{ name: "scratch", ephemeral: {} }] }, undefined, { name: "web" }),
      },
      want: { never: 'waiting for ephemeral volume controller to create the persistentvolumeclaim "web-scratch"' },
    },
    {
      name: "the claim is going away",
      storage: storage({ claims: [claim("c", { deleted: true })] }),
      want: { never: 'persistentvolumeclaim "c" is being deleted' },
    },
    {
      name: "the claim has lost its volume",
      storage: storage({ claims: [claim("c", { volume: "v", phase: "Lost" })] }),
      want: { never: 'persistentvolumeclaim "c" bound to non-existent persistentvolume "v"' },
    },
    {
      name: "a claim that does not wait is not bound yet",
      storage: storage({ claims: [claim("c")], mode: "Immediate" }),
      want: { never: "pod has unbound immediate PersistentVolumeClaims" },
    },
    {
      name: "a bound volume of one node",
      storage: storage({ claims: [claim("c", { volume: "v" })], volumes: [volume("v", "b")] }),
      want: { node: "b" },
    },
    {
      name: "a bound volume of no node",
      storage: storage({ claims: [claim("c", { volume: "v" })], volumes: [volume("v", "z")] }),
      want: { message: "2 node(s) didn't match PersistentVolume's node affinity" },
    },
    {
      name: "a bound volume that is gone",
      storage: storage({ claims: [claim("c", { volume: "v" })] }),
      want: { never: 'persistentvolume "v" not found' },
    },
    {
      name: "a volume to be had on one node",
      storage: storage({ claims: [claim("c")], volumes: [volume("v", "b")] }),
      want: { node: "b" },
    },
    {
      name: "none to be had",
      storage: storage({ claims: [claim("c")], volumes: [volume("v", "b", "1Mi")] }),
      want: { message: "2 node(s) didn't find available persistent volumes to bind" },
    },
    {
      name: "the only one is promised to another",
      storage: storage({ claims: [claim("c")], volumes: [volume("v", "b")], reserved: ["v"] }),
      want: { message: "2 node(s) didn't find available persistent volumes to bind" },
    },
    {
      name: "one that can be made where the class allows",
      storage: storage({ claims: [claim("c")], provisioner: "example.com/disk", zones: ["2"] }),
      want: { node: "b" },
    },
    {
      name: "one that is being made for a node",
      storage: storage({ claims: [claim("c", { node: "b" })], provisioner: "example.com/disk" }),
      want: { node: "b" },
    },
  ])("$name", ({ storage: of, pod = podWith("c"), want }) => {
    const decision = decide(pod, of);
    if ("node" in want) expect(decision).toMatchObject({ fits: true, node: { name: want.node } });
    else if ("never" in want) {
      expect(decision).toMatchObject({ message: `0/2 nodes are available: ${want.never}. not found` });
    } else expect(decision).toMatchObject({ message: `0/2 nodes are available: ${want.message}. ${NOT_HELPFUL}` });
  });
});

describe("what claims get on a node", () => {
  const choose = (of: Storage, ...names: string[]) => {
    const claims = sortClaims(podWith(...names), of);
    if (!claims || "never" in claims) throw new Error("no claims to choose for");
    const choices = choicesOn(NODES[0]!.node, claims, of);
    if ("reasons" in choices) return choices;
    return {
      bind: choices.bind.map((one) => [one.claim.metadata.name, one.volume.metadata.name]),
      provision: choices.provision.map(({ metadata }) => metadata.name),
    };
  };

  it("gives each its own volume, small claims the small ones", () =>
    expect(
      choose(
        storage({
          claims: [claim("large", { size: "2Gi" }), claim("small")],
          volumes: [volume("v2", "a", "2Gi"), volume("v1", "a")],
        }),
        "large",
        "small",
      ),
    ).toEqual({
      bind: [
        ["small", "v1"],
        ["large", "v2"],
      ],
      provision: [],
    }));

  it("has made what is not there", () =>
    expect(
      choose(
        storage({ claims: [claim("c"), claim("d")], volumes: [volume("v", "a")], provisioner: "example.com/disk" }),
        "c",
        "d",
      ),
    ).toEqual({ bind: [["c", "v"]], provision: ["d"] }));
});

describe("VolumeWaits", () => {
  it.each([
    { name: "waits for the controller", now: claim("c"), want: [] },
    { name: "ends when all is bound", now: claim("c", { volume: "v" }), want: [true] },
    { name: "ends when the claim is gone", now: undefined, want: [false] },
    {
      name: "does not take an old state for a refusal",
      waiting: claim("c", { node: "a", revision: "2" }),
      now: claim("c"),
      want: [],
    },
    {
      name: "ends when the provisioner gives the node up",
      waiting: claim("c", { node: "a", revision: "2" }),
      now: claim("c", { revision: "3" }),
      want: [false],
    },
    { name: "ends after ten minutes", now: claim("c"), afterMs: BIND_TIMEOUT_MS, want: [false] },
  ])("$name", ({ waiting = claim("c"), now, afterMs = 1000, want }) => {
    const waits = new VolumeWaits();
    waits.add("uid", { namespace: "default", claims: [waiting] }, 0);
    const ended = waits.take(storage({ claims: now ? [now] : [] }), afterMs);
    expect(ended.map(({ isBound }) => isBound)).toEqual(want);
    expect(waits.has("uid")).toBe(want.length === 0);
  });
});

describe("volumes that are there already", () => {
  const used = (...claims: string[]) => ({
    ...podWith(...claims),
    spec: { ...podWith(...claims).spec, nodeName: "a" },
  });
  const csi = (name: string, handle = name) => {
    const made = volume(name);
    return { ...made, spec: { ...made.spec, csi: { driver: "x.test", volumeHandle: handle } } } as PersistentVolume;
  };
  const exclusive = claim("c", { volume: "v" });
  exclusive.spec = { ...exclusive.spec, accessModes: ["ReadWriteOncePod"] };
  const zoned = { ...volume("v"), metadata: { name: "v", labels: { "topology.kubernetes.io/zone": "z1__z2" } } };
  const inZone = (zone?: string) => [node("a", { labels: zone ? { "topology.kubernetes.io/zone": zone } : {} })];
  const disk = (readOnly: boolean, nodeName?: string) =>
    schedulingPod({ nodeName, volumes: [{ name: "d", gcePersistentDisk: { pdName: "d", readOnly } }] });
  const limits = { volumeLimits: () => new Map([["x.test", 1]]) };
  const two = storage({
    claims: [claim("c", { volume: "v" }), claim("d", { volume: "w" }), claim("e", { volume: "v" })],
    volumes: [csi("v"), csi("w")],
  });

  it.each<{
    name: string;
    pod?: Pod;
    on?: Pod[];
    nodes?: ReturnType<typeof node>[];
    storage: Storage;
    reason?: string;
  }>([
    {
      name: "a claim for one pod is in use",
      on: [used("c")],
      storage: storage({ claims: [exclusive], volumes: [volume("v")] }),
      reason:
        "1 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
    },
    {
      name: "one for many pods is too",
      on: [used("c")],
      storage: storage({ claims: [claim("c", { volume: "v" })], volumes: [volume("v")] }),
    },
    {
      name: "the volume is in other zones",
      nodes: inZone("z3"),
      storage: storage({ claims: [claim("c", { volume: "v" })], volumes: [zoned] }),
      reason: "1 node(s) had no available volume zone",
    },
    {
      name: "it is in this zone as well",
      nodes: inZone("z2"),
      storage: storage({ claims: [claim("c", { volume: "v" })], volumes: [zoned] }),
    },
    {
      name: "the node has no zone",
      nodes: inZone(),
      storage: storage({ claims: [claim("c", { volume: "v" })], volumes: [zoned] }),
    },
    {
      name: "the node has all volumes it can",
      pod: podWith("d"),
      on: [used("c")],
      storage: { ...two, ...limits },
      reason: "1 node(s) exceed max volume count",
    },
    { name: "the same volume counts once", pod: podWith("e"), on: [used("c")], storage: { ...two, ...limits } },
    {
      name: "one that is attached without a pod counts, too",
      pod: podWith("d"),
      storage: { ...two, ...limits, attachedVolumes: () => new Map([["x.test/left-over", "x.test"]]) },
      reason: "1 node(s) exceed max volume count",
    },
    {
      name: "one that is attached for a pod counts once",
      pod: podWith("d"),
      on: [used("c")],
      storage: {
        ...two,
        volumeLimits: () => new Map([["x.test", 2]]),
        attachedVolumes: () => new Map([["x.test/v", "x.test"]]),
      },
    },
    {
      name: "a node that takes none at all",
      pod: podWith("d"),
      storage: { ...two, volumeLimits: () => new Map([["x.test", 0]]) },
      reason: "1 node(s) exceed max volume count",
    },
    {
      name: "other drivers' volumes do not count",
      pod: podWith("d"),
      storage: { ...two, ...limits, attachedVolumes: () => new Map([["y.test/z", "y.test"]]) },
    },
    { name: "no limit is known", pod: podWith("d"), on: [used("c")], storage: two },
    {
      name: "a disk that is written to",
      pod: disk(false),
      on: [disk(true, "a")],
      storage: NO_STORAGE,
      reason: "1 node(s) had no available disk",
    },
    { name: "a disk that all only read", pod: disk(true), on: [disk(true, "a")], storage: NO_STORAGE },
  ])("$name", ({ pod = podWith("c"), on = [], nodes = [node("a")], storage: of, reason }) => {
    const infos = nodeInfos(nodes, on);
    const decision = decideOn(pod, infos, { cluster: clusterOf(infos, { storage: of }) });
    if (reason) expect(!decision.fits && decision.message).toContain(`0/1 nodes are available: ${reason}. `);
    else expect(decision.fits).toBe(true);
  });
});
