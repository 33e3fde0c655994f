import { expect, it } from "vitest";
import type { PersistentVolume, PersistentVolumeClaim } from "../../../shared/api/types.ts";
import { decideVolume } from "./decide-volume.ts";
import { finalizersFor } from "./reclaim.ts";

type VolumeSpec = NonNullable<PersistentVolume["spec"]>;

const volume = (spec: VolumeSpec = {}, annotations = {}): PersistentVolume => ({
  metadata: { name: "v", annotations },
  spec: {
    claimRef: { namespace: "ns", name: "c", uid: "uid-c" },
    persistentVolumeReclaimPolicy: "Retain",
    hostPath: { path: "/data" },
    ...spec,
  },
});
const claim = (spec: PersistentVolumeClaim["spec"] = {}): PersistentVolumeClaim => ({
  metadata: { name: "c", namespace: "ns", uid: "uid-c" },
  spec,
});
const deleted = (spec: VolumeSpec, annotations = {}) =>
  volume({ persistentVolumeReclaimPolicy: "Delete", ...spec }, annotations);
const failed = (message: string) => ({ step: "reclaim", reclaim: { do: "fail", note: { message } } });
const NOT_HOST_PATH = { hostPath: undefined };
const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";

it.each([
  { name: "nobody's: available", volume: volume({ claimRef: undefined }), want: { step: "phase", phase: "Available" } },
  {
    name: "kept for a name: available",
    volume: volume({ claimRef: { namespace: "ns", name: "c" } }),
    claim: claim({ volumeName: "v" }),
    want: { step: "phase", phase: "Available" },
  },
  { name: "its claim's: bound", claim: claim({ volumeName: "v" }), want: { step: "phase", phase: "Bound" } },
  { name: "its claim does not know yet", claim: claim(), want: { step: "bindClaim" } },
  { name: "its claim wants a device", claim: claim({ volumeMode: "Block" }), want: { step: "mismatch" } },
  { name: "its claim got another", claim: claim({ volumeName: "w" }), want: { step: "unbind" } },
  {
    name: "its claim got another, and it was provisioned for nothing",
    volume: deleted({}, { [PROVISIONED_BY]: "example.com/disks" }),
    claim: claim({ volumeName: "w" }),
    want: { step: "reclaim", reclaim: { do: "keep" } },
  },
  { name: "claim gone, retained", want: { step: "reclaim", reclaim: { do: "keep" } } },
  {
    name: "claim gone, its driver's to delete",
    volume: deleted({ ...NOT_HOST_PATH, csi: { driver: "d", volumeHandle: "h" } }),
    want: { step: "reclaim", reclaim: { do: "keep" } },
  },
  {
    name: "claim gone, nothing but an object",
    volume: deleted({ hostPath: { path: "/tmp/x" } }),
    want: { step: "reclaim", reclaim: { do: "delete" } },
  },
  {
    name: "claim gone, a path that is somebody's",
    volume: deleted({ hostPath: { path: "/tmp/" } }),
    want: failed("host_path deleter only supports /tmp/.+ but received provided /tmp/"),
  },
  {
    name: "claim gone, a network share",
    volume: deleted({ ...NOT_HOST_PATH, nfs: { server: "s", path: "/" } }),
    want: failed('error getting deleter volume plugin for volume "v": no deletable volume plugin matched'),
  },
  {
    name: "claim gone, a local disk",
    volume: deleted({ ...NOT_HOST_PATH, local: { path: "/" } }),
    want: failed('error getting deleter volume plugin for volume "v": no volume plugin matched'),
  },
  {
    name: "claim gone, to be recycled",
    volume: volume({ persistentVolumeReclaimPolicy: "Recycle" }),
    want: failed("No recycler plugin found for the volume!"),
  },
])("$name", ({ volume: given = volume(), claim, want }) => expect(decideVolume(given, claim)).toMatchObject(want));

it.each([
  { name: "of no provisioner", volume: deleted({}), want: undefined },
  {
    name: "in-tree and to be deleted",
    volume: deleted({}, { [PROVISIONED_BY]: "kubernetes.io/x" }),
    want: ["kubernetes.io/pv-controller"],
  },
  { name: "in-tree and kept", volume: volume({}, { [PROVISIONED_BY]: "kubernetes.io/x" }), want: undefined },
])("finalizers of a volume $name", ({ volume, want }) => expect(finalizersFor(volume)).toEqual(want));
