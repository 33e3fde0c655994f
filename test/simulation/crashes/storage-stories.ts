import { expect } from "vitest";
import type { KubeObject } from "../../../shared/api/object.ts";
import {
  EVENTS,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  STORAGE_CLASSES,
  VOLUME_ATTACHMENTS,
  VOLUME_ATTRIBUTES_CLASSES,
} from "../../../shared/api/refs.ts";
import type { Event, Node, PersistentVolumeClaim } from "../../../shared/api/types.ts";
import { node, object, pod } from "../../builders/objects.ts";
import type { SimApi } from "../sim-api.ts";
import { change, create, createAll, remove, type Story } from "./story.ts";

const spec = { storageClassName: "fast", accessModes: ["ReadWriteOnce"] };

const volume = (name: string, policy: string, more: object = {}): KubeObject =>
  object("v1", "PersistentVolume", name, {
    spec: {
      ...spec,
      capacity: { storage: "1Gi" },
      persistentVolumeReclaimPolicy: policy,
      hostPath: { path: "/tmp/x" },
      ...more,
    },
    status: {},
  }).build();

const claim = (name: string, more: object = {}): KubeObject =>
  object("v1", "PersistentVolumeClaim", name, {
    metadata: { name, namespace: "default" },
    spec: { ...spec, resources: { requests: { storage: "1Gi" } }, ...more },
    status: { phase: "Pending" },
  }).build();

/** A claim and its volume of 1Gi, which a driver made. */
async function claimWithDisk(api: SimApi): Promise<void> {
  const { metadata } = await api.create(PERSISTENT_VOLUME_CLAIMS, claim("c", { volumeName: "v" }));
  const csi = { driver: "disks.example.com", volumeHandle: "h" };
  const claimRef = { namespace: "default", name: "c", uid: metadata.uid };
  await api.create(PERSISTENT_VOLUMES, volume("v", "Retain", { hostPath: undefined, csi, claimRef }));
  await change(PERSISTENT_VOLUME_CLAIMS, "c", { status: { phase: "Bound", capacity: { storage: "1Gi" } } })(api);
}

/** Two nodes, and a pod on one of them whose disk a driver has to attach. */
async function diskInUse(api: SimApi): Promise<void> {
  const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };
  for (const name of ["a", "b"]) await api.create(NODES, node(name).ready().annotated(annotations).build());
  await claimWithDisk(api);
  const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "c" } }];
  await api.create(PODS, pod("p").onNode("a").with({ spec: { volumes } }).build());
}

/** What a driver's attacher answers. */
async function attach(api: SimApi): Promise<void> {
  for (const { metadata } of api.all(VOLUME_ATTACHMENTS))
    await change(VOLUME_ATTACHMENTS, metadata.name, { status: { attached: true } })(api);
}

export const STORAGE_STORIES: Story[] = [
  {
    name: "a claim that was made larger is told once who does it",
    of: ["volume-expand"],
    tellsEvents: true,
    acts: [
      claimWithDisk,
      change(PERSISTENT_VOLUME_CLAIMS, "c", { spec: { resources: { requests: { storage: "2Gi" } } } }),
      change(PERSISTENT_VOLUME_CLAIMS, "c", { status: { capacity: { storage: "2Gi" } } }),
    ],
    end: (api) => expect(api.all<Event>(EVENTS)).toMatchObject([{ type: "Normal", reason: "ExternalExpanding" }]),
    always: (api) => expect(api.all<Event>(EVENTS).filter(({ count }) => count !== 1)).toEqual([]),
    writes: 1,
  },
  {
    name: "a disk that is attached, and detached when its pod is gone",
    of: ["attach-detach"],
    acts: [
      diskInUse,
      attach,
      async (api) => {
        expect(api.find<Node>(NODES, "a")?.status?.volumesAttached).toHaveLength(1);
        await remove(PODS, "p")(api);
      },
    ],
    end(api) {
      expect(api.all(VOLUME_ATTACHMENTS)).toEqual([]);
      expect(api.find<Node>(NODES, "a")?.status?.volumesAttached ?? []).toEqual([]);
    },
    writes: 4,
  },
  {
    name: "claims that are bound, and volumes that are kept or go",
    of: ["persistent-volume-binder"],
    acts: [
      createAll([PERSISTENT_VOLUMES, volume("v1", "Retain")], [PERSISTENT_VOLUME_CLAIMS, claim("c1")]),
      createAll([PERSISTENT_VOLUME_CLAIMS, claim("c2")], [PERSISTENT_VOLUMES, volume("v2", "Delete")]),
      remove(PERSISTENT_VOLUME_CLAIMS, "c1"),
      remove(PERSISTENT_VOLUME_CLAIMS, "c2"),
    ],
    end: (api) =>
      expect(api.all(PERSISTENT_VOLUMES)).toMatchObject([{ metadata: { name: "v1" }, status: { phase: "Released" } }]),
    writes: 10,
  },
  {
    name: "the claim of an ephemeral volume",
    of: ["ephemeral-volume"],
    beside: ["garbage-collector"],
    acts: [
      create(
        PODS,
        pod("p")
          .with({
            spec: {
              schedulingGates: [{ name: "x" }],
              volumes: [{ name: "v", ephemeral: { volumeClaimTemplate: { spec } } }],
            },
          })
          .build(),
      ),
      remove(PERSISTENT_VOLUME_CLAIMS, "p-v"),
    ],
    end: (api) => expect(api.find(PERSISTENT_VOLUME_CLAIMS, "default/p-v")).toBeDefined(),
    writes: 2,
  },
  {
    name: "claims, volumes and classes in use, deleted, and then let go",
    of: ["pvc-protection", "pv-protection", "vac-protection"],
    beside: ["persistent-volume-binder"],
    acts: [
      createAll(
        [VOLUME_ATTRIBUTES_CLASSES, object("storage.k8s.io/v1", "VolumeAttributesClass", "gold").build()],
        [PERSISTENT_VOLUMES, volume("v", "Retain", { volumeAttributesClassName: "gold" })],
        [PERSISTENT_VOLUME_CLAIMS, claim("c", { volumeAttributesClassName: "gold" })],
        [
          PODS,
          pod("p")
            .onNode("a")
            .with({ spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] } })
            .build(),
        ],
      ),
      async (api) => {
        await remove(PERSISTENT_VOLUME_CLAIMS, "c")(api);
        await remove(PERSISTENT_VOLUMES, "v")(api);
        await remove(VOLUME_ATTRIBUTES_CLASSES, "gold")(api);
      },
      async (api) => {
        const kept = [PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, VOLUME_ATTRIBUTES_CLASSES];
        expect(kept.map((ref) => api.all(ref).length)).toEqual([1, 1, 1]);
        await remove(PODS, "p")(api);
      },
    ],
    end: (api) =>
      expect(
        [PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, VOLUME_ATTRIBUTES_CLASSES].map((ref) => api.all(ref)),
      ).toEqual([[], [], []]),
    writes: 10,
  },
  {
    name: "a pod whose volume is chosen with its node",
    of: ["default-scheduler"],
    beside: ["persistent-volume-binder"],
    acts: [
      createAll(
        [
          STORAGE_CLASSES,
          object("storage.k8s.io/v1", "StorageClass", "fast", {
            provisioner: "kubernetes.io/no-provisioner",
            volumeBindingMode: "WaitForFirstConsumer",
          }).build(),
        ],
        [NODES, node("a").ready().build()],
        [PERSISTENT_VOLUMES, volume("v", "Retain")],
        [PERSISTENT_VOLUME_CLAIMS, claim("c")],
        [
          PODS,
          pod("p")
            .with({
              spec: {
                schedulerName: "default-scheduler",
                volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }],
              },
            })
            .build(),
        ],
      ),
      change(NODES, "a", { metadata: { labels: { seen: "yes" } } }),
    ],
    end(api) {
      expect(api.find(PODS, "default/p")).toMatchObject({ spec: { nodeName: "a" } });
      expect(api.find<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, "default/c")?.status?.phase).toBe("Bound");
    },
    writes: 5,
  },
];
