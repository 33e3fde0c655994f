import { describe, expect, it } from "vitest";
import type { PersistentVolumeSpec } from "../../../../shared/api/types.ts";
import { checkInlineVolumeSpec, checkVolumeSpec } from "./volume-spec.ts";

const volume = (spec: PersistentVolumeSpec): PersistentVolumeSpec => ({
  capacity: { storage: "1Gi" },
  accessModes: ["ReadWriteOnce"],
  ...spec,
});
const print = (causes: ReturnType<typeof checkVolumeSpec>) =>
  causes.map(({ field, message }) => `${field}: ${message}`);

const SECRET = { name: "s", namespace: "n" };

describe("checkVolumeSpec", () => {
  it.each<{ name: string; spec: PersistentVolumeSpec; want: string[] }>([
    { name: "a host path", spec: volume({ hostPath: { path: "/a" } }), want: [] },
    { name: "no source", spec: volume({}), want: ["spec: Required value: must specify a volume type"] },
    {
      name: "two sources",
      spec: volume({ hostPath: { path: "/a" }, cephfs: { monitors: ["m"] } }),
      want: ["spec.cephFS: Forbidden: may not specify more than 1 volume type"],
    },
    {
      name: "a flexVolume beside another source",
      spec: volume({ hostPath: { path: "/a" }, flexVolume: { driver: "" } }),
      want: ["spec.flexVolume.driver: Required value"],
    },
    {
      name: "a local volume that could be anywhere",
      spec: volume({ local: { path: "/a" } }),
      want: ["spec.nodeAffinity: Required value: Local volume requires node affinity"],
    },
    {
      name: "secrets of CSI",
      spec: volume({ csi: { driver: "d", volumeHandle: "h", nodePublishSecretRef: { name: "-", namespace: "" } } }),
      want: [
        expect.stringContaining("spec.csi.nodePublishSecretRef.name: Invalid value") as unknown as string,
        "spec.csi.nodePublishSecretRef.namespace: Required value",
      ],
    },
    {
      name: "an attributes class without CSI",
      spec: volume({ hostPath: { path: "/a" }, volumeAttributesClassName: "" }),
      want: [
        "spec.volumeAttributesClassName: Required value: an empty string is disallowed",
        "spec.csi: Required value: has to be specified when using volumeAttributesClassName",
      ],
    },
    {
      name: "a negative amount",
      spec: volume({ capacity: { storage: "-1" }, hostPath: { path: "/a" } }),
      want: [
        "spec.capacity[storage]: Invalid value: -1: must be a valid resource quantity",
        'spec.capacity[storage]: Invalid value: "-1": must be greater than zero',
      ],
    },
    {
      name: "recycling all of a host",
      spec: volume({ hostPath: { path: "/./" }, persistentVolumeReclaimPolicy: "Recycle" }),
      want: ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
    },
    {
      name: "a GCE disk, whose path loses a word",
      spec: volume({ gcePersistentDisk: { pdName: "" } }),
      want: ["spec.persistentDisk.pdName: Required value"],
    },
    { name: "a secret of a cinder volume", spec: volume({ cinder: { volumeID: "v", secretRef: SECRET } }), want: [] },
  ])("$name", ({ spec, want }) => expect(print(checkVolumeSpec(spec, "spec", "v"))).toEqual(want));
});

describe("checkInlineVolumeSpec", () => {
  it.each<{ name: string; spec: PersistentVolumeSpec; want: string[] }>([
    { name: "CSI alone", spec: { accessModes: ["ReadWriteOnce"], csi: { driver: "d", volumeHandle: "h" } }, want: [] },
    {
      name: "what only a bound volume has",
      spec: volume({ csi: { driver: "d", volumeHandle: "h" }, storageClassName: "s" }),
      want: [
        "p.capacity: Forbidden: may not be specified in the context of inline volumes",
        "p.storageClassName: Forbidden: may not be specified in the context of inline volumes",
      ],
    },
  ])("$name", ({ spec, want }) => expect(print(checkInlineVolumeSpec(spec, "p"))).toEqual(want));
});
