import { describe, expect, it } from "vitest";
import type { PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/api/types.ts";
import { controllerRevision, pod, statefulSet, T0 } from "../../../test/builders/objects.ts";
import { templatePatch } from "../controller-revision/index.ts";
import { decide } from "./decide.ts";
import { identityOf } from "./ordinal.ts";

const NOW_MS = Date.parse(T0) + 3_600_000;

const set = (replicas: number, spec: Partial<StatefulSet["spec"]> = {}) => {
  const built = statefulSet("db").replicas(replicas).build();
  return {
    ...built,
    spec: { ...built.spec, updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } }, ...spec },
  };
};
const parallel = (replicas: number, spec: Partial<StatefulSet["spec"]> = {}) =>
  set(replicas, { podManagementPolicy: "Parallel", ...spec });

const one = (ordinal: number, revision = "new") =>
  pod(`db-${ordinal}`).labelled({
    app: "db",
    "statefulset.kubernetes.io/pod-name": `db-${ordinal}`,
    "controller-revision-hash": revision,
  });
const ready = (ordinal: number, revision?: string) => one(ordinal, revision).ready().build();
const pending = (ordinal: number, revision?: string) => one(ordinal, revision).build();
const leaving = (ordinal: number) => one(ordinal).ready().deleting().build();

const template = (image: string) => ({
  metadata: { labels: { app: "db" } },
  spec: { containers: [{ name: "c", image }] },
});
const current = controllerRevision("old", 1, templatePatch(template("old"))).build();
const update = controllerRevision("new", 2, templatePatch(template("new"))).build();

/** Steps as `op name`, updates as `update name`. */
function steps(of: StatefulSet, pods: Pod[], claims: PersistentVolumeClaim[] = []): string[] {
  const find = (name: string) => claims.find(({ metadata }) => metadata.name === name);
  const plan = decide({ set: of, pods, claims: find, current, update }, NOW_MS);
  return [
    ...plan.stages.flat().map(({ op, pod: { metadata } }) => `${op} ${metadata.name}`),
    ...plan.updates.map(({ metadata }) => `update ${metadata.name}`),
  ];
}

interface Case {
  name: string;
  set: StatefulSet;
  pods: Pod[];
  want: string[];
}

describe("OrderedReady", () => {
  it.each<Case>([
    { name: "begins with the first", set: set(3), pods: [], want: ["create db-0"] },
    { name: "waits for the first to be ready", set: set(3), pods: [pending(0)], want: [] },
    { name: "goes on with the second", set: set(3), pods: [ready(0)], want: ["create db-1"] },
    { name: "waits for minReadySeconds", set: set(3, { minReadySeconds: 7200 }), pods: [ready(0)], want: [] },
    { name: "waits for one that is being deleted", set: set(2), pods: [leaving(0), ready(1)], want: [] },
    { name: "fills a gap first", set: set(3), pods: [ready(0), ready(2)], want: ["create db-1"] },
    { name: "is content", set: set(2), pods: [ready(0), ready(1)], want: [] },
    {
      name: "makes a failed one anew",
      set: set(2),
      pods: [one(0).phase("Failed").build(), ready(1)],
      want: ["delete db-0"],
    },
    {
      name: "makes a succeeded one anew",
      set: set(1),
      pods: [one(0).phase("Succeeded").build()],
      want: ["delete db-0"],
    },
    { name: "deletes a failed one once", set: set(1), pods: [one(0).phase("Failed").deleting().build()], want: [] },
    { name: "gives up the highest first", set: set(1), pods: [ready(0), ready(1), ready(2)], want: ["delete db-2"] },
    { name: "gives up one at a time", set: set(0), pods: [ready(0), leaving(1)], want: [] },
    { name: "does not scale down while a lower one is not ready", set: set(1), pods: [pending(0), ready(1)], want: [] },
    { name: "gives up the first that is not ready", set: set(1), pods: [ready(0), pending(1)], want: ["delete db-1"] },
    {
      name: "keeps one that is not ready above another such",
      set: set(1),
      pods: [ready(0), pending(1), pending(2)],
      want: [],
    },
    {
      name: "gives up a healthy one above one that is not",
      set: set(1),
      pods: [ready(0), pending(1), ready(2)],
      want: ["delete db-2"],
    },
    {
      name: "scales before it updates",
      set: set(2),
      pods: [ready(0, "old"), ready(1, "old"), ready(2, "old")],
      want: ["delete db-2"],
    },
    { name: "updates from the highest", set: set(2), pods: [ready(0, "old"), ready(1, "old")], want: ["update db-1"] },
    { name: "waits for the updated one", set: set(2), pods: [ready(0, "old"), pending(1)], want: [] },
    {
      name: "begins where ordinals begin",
      set: set(2, { ordinals: { start: 5 } }),
      pods: [ready(5)],
      want: ["create db-6"],
    },
    {
      name: "gives up what is below the start",
      set: set(1, { ordinals: { start: 1 } }),
      pods: [ready(0), ready(1)],
      want: ["delete db-0"],
    },
    { name: "leaves names without an ordinal alone", set: set(0), pods: [pod("db-x").build()], want: [] },
    {
      name: "does nothing while it is being deleted",
      set: { ...set(2), metadata: { ...set(2).metadata, deletionTimestamp: T0 } },
      pods: [],
      want: [],
    },
    {
      name: "gives a ready pod its label back",
      set: set(1),
      pods: [pod("db-0").labelled({ "controller-revision-hash": "new" }).ready().build()],
      want: ["repair db-0"],
    },
    { name: "lets a waiting pod be", set: set(1), pods: [pod("db-0").build()], want: [] },
  ])("$name", ({ set: of, pods, want }) => expect(steps(of, pods)).toEqual(want));
});

describe("Parallel", () => {
  it.each<Case>([
    { name: "makes all at once", set: parallel(3), pods: [pending(1)], want: ["create db-0", "create db-2"] },
    {
      name: "gives up all at once",
      set: parallel(1),
      pods: [pending(0), ready(1), pending(2), leaving(3)],
      want: ["delete db-2", "delete db-1"],
    },
    {
      name: "updates one at a time, from the highest",
      set: parallel(3),
      pods: [ready(0, "old"), ready(1, "old"), ready(2)],
      want: ["update db-1"],
    },
    {
      name: "waits for an updated one",
      set: parallel(3),
      pods: [ready(0, "old"), ready(1, "old"), pending(2)],
      want: [],
    },
    {
      name: "does not wait for lower ones",
      set: parallel(3),
      pods: [pending(0, "old"), ready(1, "old"), ready(2, "old")],
      want: ["update db-2"],
    },
    { name: "waits for one that it has just made", set: parallel(2), pods: [ready(0, "old")], want: ["create db-1"] },
    {
      name: "deletes a failed old one for its failure",
      set: parallel(1),
      pods: [one(0, "old").phase("Failed").build()],
      want: ["delete db-0"],
    },
  ])("$name", ({ set: of, pods, want }) => expect(steps(of, pods)).toEqual(want));
});

describe("a rolling update", () => {
  const rolling = (replicas: number, rollingUpdate: { partition?: number; maxUnavailable?: number | string }) =>
    parallel(replicas, { updateStrategy: { type: "RollingUpdate", rollingUpdate } });
  const old = [0, 1, 2, 3].map((ordinal) => ready(ordinal, "old"));
  it.each<Case>([
    {
      name: "stops at the partition",
      set: rolling(4, { partition: 3 }),
      pods: [...old.slice(0, 3), ready(3)],
      want: [],
    },
    { name: "does not touch any with a partition above all", set: rolling(4, { partition: 9 }), pods: old, want: [] },
    {
      name: "takes as many as may be unavailable",
      set: rolling(4, { maxUnavailable: 2 }),
      pods: old,
      want: ["update db-3", "update db-2"],
    },
    {
      name: "takes a share rounded down",
      set: rolling(4, { maxUnavailable: "80%" }),
      pods: old,
      want: ["update db-3", "update db-2", "update db-1"],
    },
    { name: "takes one at least", set: rolling(4, { maxUnavailable: "10%" }), pods: old, want: ["update db-3"] },
    {
      name: "counts those that are unavailable",
      set: rolling(4, { maxUnavailable: 2 }),
      pods: [pending(0, "old"), ...old.slice(1)],
      want: ["update db-3"],
    },
    {
      name: "counts those below the partition too",
      set: rolling(4, { maxUnavailable: 1, partition: 2 }),
      pods: [pending(0, "old"), ...old.slice(1)],
      want: [],
    },
    {
      name: "does not happen OnDelete",
      set: parallel(4, { updateStrategy: { type: "OnDelete" } }),
      pods: old,
      want: [],
    },
  ])("$name", ({ set: of, pods, want }) => expect(steps(of, pods)).toEqual(want));
});

describe("a new pod", () => {
  const created = (of: StatefulSet, pods: Pod[]) => {
    const plan = decide({ set: of, pods, claims: () => undefined, current, update }, NOW_MS);
    const [step] = plan.stages.flat();
    return step?.op === "create" ? step : undefined;
  };

  it("has its identity, its claims and its owner", () => {
    const template = { metadata: { name: "data", labels: { x: "y" } }, spec: { accessModes: ["ReadWriteOnce"] } };
    const step = created(set(1, { volumeClaimTemplates: [template] }), []);
    expect(step?.pod).toMatchObject({
      metadata: {
        name: "db-0",
        generateName: "db-",
        labels: {
          app: "db",
          "apps.kubernetes.io/pod-index": "0",
          "controller-revision-hash": "new",
          "statefulset.kubernetes.io/pod-name": "db-0",
        },
        ownerReferences: [{ kind: "StatefulSet", name: "db", controller: true }],
      },
      spec: {
        hostname: "db-0",
        subdomain: "db",
        containers: [{ image: "new" }],
        volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data-db-0" } }],
      },
    });
    expect(step?.claims.create).toMatchObject([{ metadata: { name: "data-db-0", labels: { x: "y", app: "db" } } }]);
  });

  it.each([
    { name: "is of the current revision below the partition", partition: 1, image: "old" },
    { name: "is of the new revision from the partition on", partition: 0, image: "new" },
  ])("$name", ({ partition, image }) => {
    const of = set(1, { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition } } });
    const { pod: made } = created(of, []) ?? {};
    expect(made?.spec.containers[0]?.image).toBe(image);
    expect(made?.metadata.labels?.["controller-revision-hash"]).toBe(image);
  });
});

describe("claims", () => {
  const volumeClaimTemplates = [{ metadata: { name: "data" }, spec: {} }];
  const claim = (fields: Partial<PersistentVolumeClaim["metadata"]> = {}): PersistentVolumeClaim => ({
    metadata: { name: "data-db-0", namespace: "default", ...fields },
    spec: {},
  });
  const withVolume = (made: Pod): Pod => ({
    ...made,
    spec: { ...made.spec, volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data-db-0" } }] },
  });
  const deleting = { whenDeleted: "Delete", whenScaled: "Delete" };
  it.each<Case & { claims?: PersistentVolumeClaim[] }>([
    {
      name: "that a waiting pod lost are made anew",
      set: set(1, { volumeClaimTemplates }),
      pods: [withVolume(pending(0))],
      want: ["claims db-0"],
    },
    {
      name: "that are there need nothing",
      set: set(1, { volumeClaimTemplates }),
      pods: [withVolume(pending(0))],
      claims: [claim()],
      want: [],
    },
    {
      name: "that are leaving are waited for",
      set: set(1, { volumeClaimTemplates }),
      pods: [withVolume(pending(0))],
      claims: [claim({ deletionTimestamp: T0 })],
      want: ["claims db-0"],
    },
    {
      name: "get the owners that the policy asks for",
      set: set(1, { volumeClaimTemplates, persistentVolumeClaimRetentionPolicy: deleting }),
      pods: [withVolume(ready(0))],
      claims: [claim()],
      want: ["repair db-0"],
    },
    {
      name: "of a pod that has to go are given to it first",
      set: set(0, { volumeClaimTemplates, persistentVolumeClaimRetentionPolicy: deleting }),
      pods: [withVolume(ready(0))],
      claims: [claim()],
      want: ["reown db-0", "delete db-0"],
    },
    {
      name: "of an earlier pod have to go first",
      set: set(1, { volumeClaimTemplates, persistentVolumeClaimRetentionPolicy: deleting }),
      pods: [],
      claims: [claim({ ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "db-0", uid: "earlier" }] })],
      want: [],
    },
  ])("$name", ({ set: of, pods, claims, want }) => expect(steps(of, pods, claims)).toEqual(want));
});

it.each([
  { name: "db-3", want: { parent: "db", ordinal: 3 } },
  { name: "a-b-12", want: { parent: "a-b", ordinal: 12 } },
  { name: "db", want: { parent: "", ordinal: -1 } },
  { name: "db-99999999999", want: { parent: "db", ordinal: -1 } },
])("the name $name tells set and ordinal", ({ name, want }) => expect(identityOf(name)).toEqual(want));
