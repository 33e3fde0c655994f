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
const NOT_HELPFUL = "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";

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
      want: { message: "2 node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)" },
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
