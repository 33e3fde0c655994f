import { describe, expect, it } from "vitest";
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../../shared/api/types.ts";
import { type ClaimSurroundings, decideClaim } from "./decide-claim.ts";

const CLASS = "fast";

const claim = (
  spec: Partial<NonNullable<PersistentVolumeClaim["spec"]>> = {},
  annotations: Record<string, string> = {},
): PersistentVolumeClaim => ({
  metadata: { name: "c", namespace: "ns", uid: "uid-c", annotations },
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
    storageClassName: CLASS,
    ...spec,
  },
});

const volume = (
  name: string,
  spec: Partial<NonNullable<PersistentVolume["spec"]>> = {},
  phase = "Available",
): PersistentVolume => ({
  metadata: { name, labels: { disk: name } },
  spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], storageClassName: CLASS, ...spec },
  status: { phase },
});

const storageClass = (fields: Partial<StorageClass> = {}): StorageClass => ({
  metadata: { name: CLASS },
  provisioner: "example.com/disks",
  volumeBindingMode: "Immediate",
  ...fields,
});

const LAZY = storageClass({ volumeBindingMode: "WaitForFirstConsumer" });
const KEPT = { claimRef: { namespace: "ns", name: "c" } };
const OTHERS = { claimRef: { namespace: "ns", name: "other", uid: "uid-o" } };

const decide = (
  wanted: PersistentVolumeClaim,
  volumes: PersistentVolume[] = [],
  { classes = [], ...around }: Partial<ClaimSurroundings> & { classes?: StorageClass[] } = {},
) =>
  decideClaim(wanted, {
    volumes,
    named: volumes.find(({ metadata }) => metadata.name === wanted.spec?.volumeName),
    classOf: (name) => classes.find(({ metadata }) => metadata.name === name),
    waitingPods: () => [],
    ...around,
  });

const chosen = (wanted: PersistentVolumeClaim, volumes: PersistentVolume[], classes: StorageClass[] = []) => {
  const plan = decide(wanted, volumes, { classes });
  return plan.step === "bind" ? plan.volume.metadata.name : plan.step;
};

describe("the volume that an unbound claim gets", () => {
  it.each([
    { name: "the only one", volumes: [volume("a")], want: "a" },
    {
      name: "the smallest that is large enough",
      volumes: [
        volume("a", { capacity: { storage: "5Gi" } }),
        volume("b", { capacity: { storage: "1Gi" } }),
        volume("c", { capacity: { storage: "500Mi" } }),
      ],
      want: "b",
    },
    {
      name: "the one with the fewest modes, though it is larger",
      volumes: [
        volume("a", { accessModes: ["ReadWriteOnce", "ReadWriteMany"] }),
        volume("b", { capacity: { storage: "9Gi" } }),
      ],
      want: "b",
    },
    {
      name: "the one kept for it, though it is larger",
      volumes: [volume("a"), volume("b", { ...KEPT, capacity: { storage: "9Gi" } })],
      want: "b",
    },
    { name: "none that is kept for another", volumes: [volume("a", OTHERS)], want: "stay" },
    { name: "none of another class", volumes: [volume("a", { storageClassName: "slow" })], want: "stay" },
    { name: "none of another volume mode", volumes: [volume("a", { volumeMode: "Block" })], want: "stay" },
    { name: "none with other modes", volumes: [volume("a", { accessModes: ["ReadOnlyMany"] })], want: "stay" },
    { name: "none that was released", volumes: [volume("a", {}, "Released")], want: "stay" },
    {
      name: "none of another attributes class",
      volumes: [volume("a", { volumeAttributesClassName: "gold" })],
      want: "stay",
    },
    {
      name: "the one that its selector selects",
      wanted: claim({ selector: { matchLabels: { disk: "b" } } }),
      volumes: [volume("a"), volume("b")],
      want: "b",
    },
    { name: "none before its first consumer", volumes: [volume("a")], classes: [LAZY], want: "pending" },
    { name: "the one kept for it before its first consumer", volumes: [volume("a", KEPT)], classes: [LAZY], want: "a" },
  ])("is $name", ({ wanted = claim(), volumes, classes, want }) => expect(chosen(wanted, volumes, classes)).toBe(want));
});

describe("a claim for which there is no volume", () => {
  it.each([
    {
      name: "without a class only waits",
      wanted: claim({ storageClassName: "" }),
      want: { step: "pending", note: { reason: "FailedBinding" } },
    },
    {
      name: "that never asked for a class gets the default one",
      wanted: claim({ storageClassName: undefined }),
      around: { defaultClass: "std" },
      want: { step: "assignClass", name: "std" },
    },
    {
      name: "that asked for none does not",
      wanted: claim({ storageClassName: "" }),
      around: { defaultClass: "std" },
      want: { step: "pending" },
    },
    {
      name: "of an unknown class says so",
      want: { step: "stay", note: { message: 'storageclass.storage.k8s.io "fast" not found' } },
    },
    {
      name: "is left to the provisioner",
      around: { classes: [storageClass()] },
      want: { step: "provision", provisioner: "example.com/disks", note: { reason: "ExternalProvisioning" } },
    },
    {
      name: "is left to the driver that took over",
      around: { classes: [storageClass({ provisioner: "kubernetes.io/gce-pd" })] },
      want: { step: "provision", provisioner: "pd.csi.storage.gke.io" },
    },
    {
      name: "of a class without a provisioner fails",
      around: { classes: [storageClass({ provisioner: "kubernetes.io/no-provisioner" })] },
      want: { step: "stay", note: { message: "no volume plugin matched name: kubernetes.io/no-provisioner" } },
    },
    {
      name: "waits for its first consumer",
      around: { classes: [LAZY] },
      want: { step: "pending", note: { reason: "WaitForFirstConsumer" } },
    },
    {
      name: "waits for its consumers' node",
      around: { classes: [LAZY], waitingPods: () => ["p", "q"] },
      want: {
        step: "pending",
        note: { reason: "WaitForPodScheduled", message: "waiting for pods p,q to be scheduled" },
      },
    },
    {
      name: "is provisioned once a node is chosen",
      wanted: claim({}, { "volume.kubernetes.io/selected-node": "n1" }),
      around: { classes: [LAZY] },
      want: { step: "provision" },
    },
  ])("$name", ({ wanted = claim(), around, want }) => expect(decide(wanted, [], around)).toMatchObject(want));
});

describe("a claim that names its volume", () => {
  const named = (spec = {}) => claim({ volumeName: "a", ...spec });
  it.each([
    { name: "waits for one that is not there", volumes: [], want: { step: "pending" } },
    { name: "gets it", volumes: [volume("a")], want: { step: "bind" } },
    { name: "gets it while it waits for a consumer", volumes: [volume("a")], want: { step: "bind" } },
    {
      name: "does not get another's",
      volumes: [volume("a", OTHERS)],
      want: { step: "pending", note: { message: 'volume "a" already bound to a different claim.' } },
    },
    ...[
      { spec: { resources: { requests: { storage: "2Gi" } } }, why: "requested PV is too small" },
      { spec: { storageClassName: "slow" }, why: "storageClassName does not match" },
      { spec: { volumeAttributesClassName: "gold" }, why: "volumeAttributesClassName does not match" },
      { spec: { volumeMode: "Block" }, why: "incompatible volumeMode" },
      { spec: { accessModes: ["ReadWriteMany"] }, why: "incompatible accessMode" },
    ].map(({ spec, why }) => ({
      name: `hears: ${why}`,
      spec,
      volumes: [volume("a")],
      want: {
        step: "pending",
        note: { reason: "VolumeMismatch", message: `Cannot bind to requested volume "a": ${why}` },
      },
    })),
  ])("$name", ({ volumes, want, ...row }) =>
    expect(decide(named("spec" in row ? row.spec : {}), volumes)).toMatchObject(want),
  );
});

describe("a claim that was bound", () => {
  const bound = (volumeName?: string) => claim({ volumeName }, { "pv.kubernetes.io/bind-completed": "yes" });
  it.each([
    { name: "is lost without its volume", wanted: bound("a"), volumes: [], want: { note: { reason: "ClaimLost" } } },
    { name: "is lost when it names none", wanted: bound(), volumes: [], want: { note: { reason: "ClaimLost" } } },
    {
      name: "is lost when the volume is another's",
      wanted: bound("a"),
      volumes: [volume("a", OTHERS)],
      want: { step: "lost", note: { reason: "ClaimMisbound" } },
    },
    { name: "keeps its volume", wanted: bound("a"), volumes: [volume("a")], want: { step: "bind" } },
  ])("$name", ({ wanted, volumes, want }) => expect(decide(wanted, volumes)).toMatchObject(want));
});
