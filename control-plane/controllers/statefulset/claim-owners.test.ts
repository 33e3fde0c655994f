import { describe, expect, it } from "vitest";
import type { OwnerReference } from "../../../shared/api/object.ts";
import type { PersistentVolumeClaim } from "../../../shared/api/types.ts";
import { pod, statefulSet } from "../../../test/builders/objects.ts";
import { blocksNewPod, decideOwners, hasOtherController } from "./claim-owners.ts";

type When = "Delete" | "Retain";

const setWith = (whenDeleted: When, whenScaled: When) =>
  statefulSet("db")
    .uid("set")
    .replicas(1)
    .with({ spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } } })
    .build();
const ownersOf = (policy: [When, When], podName: string) => ({
  set: setWith(...policy),
  pod: pod(podName).uid(podName).build(),
});

const reference = (kind: "Pod" | "StatefulSet", name: string, uid: string, controller = true): OwnerReference => ({
  apiVersion: kind === "Pod" ? "v1" : "apps/v1",
  kind,
  name,
  uid,
  controller,
  blockOwnerDeletion: true,
});
const bySet = reference("StatefulSet", "db", "set");
const byPod = (name: string) => reference("Pod", name, name);
const byOther = { ...reference("StatefulSet", "other", "other") };

const claim = (...ownerReferences: OwnerReference[]): PersistentVolumeClaim => ({
  metadata: { name: "data-db-0", namespace: "default", ...(ownerReferences.length ? { ownerReferences } : {}) },
  spec: {},
});

describe("decideOwners", () => {
  it.each<{
    name: string;
    policy: [When, When];
    pod: string;
    has: OwnerReference[];
    want: OwnerReference[] | undefined;
  }>([
    { name: "kept in any case: none", policy: ["Retain", "Retain"], pod: "db-0", has: [], want: undefined },
    {
      name: "kept in any case: ours go",
      policy: ["Retain", "Retain"],
      pod: "db-0",
      has: [bySet, byOther],
      want: [byOther],
    },
    { name: "deleted with the set: the set", policy: ["Delete", "Retain"], pod: "db-0", has: [], want: [bySet] },
    { name: "deleted with the set: right", policy: ["Delete", "Retain"], pod: "db-0", has: [bySet], want: undefined },
    {
      name: "deleted with the set: not with a pod",
      policy: ["Delete", "Retain"],
      pod: "db-1",
      has: [byPod("db-1")],
      want: [bySet],
    },
    {
      name: "deleted when scaled away: none before",
      policy: ["Retain", "Delete"],
      pod: "db-0",
      has: [],
      want: undefined,
    },
    {
      name: "deleted when scaled away: the pod",
      policy: ["Retain", "Delete"],
      pod: "db-1",
      has: [],
      want: [byPod("db-1")],
    },
    {
      name: "deleted when scaled away: back in range",
      policy: ["Retain", "Delete"],
      pod: "db-0",
      has: [byPod("db-0")],
      want: [],
    },
    { name: "deleted always: the set", policy: ["Delete", "Delete"], pod: "db-0", has: [], want: [bySet] },
    {
      name: "deleted always: the pod once scaled away",
      policy: ["Delete", "Delete"],
      pod: "db-1",
      has: [bySet],
      want: [byPod("db-1")],
    },
    {
      name: "an owner that is not the controller becomes it",
      policy: ["Delete", "Retain"],
      pod: "db-0",
      has: [{ ...bySet, controller: false }],
      want: [bySet],
    },
    {
      name: "an earlier pod of that name is left to the garbage collector",
      policy: ["Delete", "Delete"],
      pod: "db-0",
      has: [reference("Pod", "db-0", "earlier")],
      want: undefined,
    },
    {
      name: "an earlier set of that name too",
      policy: ["Delete", "Retain"],
      pod: "db-0",
      has: [reference("StatefulSet", "db", "earlier")],
      want: undefined,
    },
    { name: "another controller keeps it", policy: ["Delete", "Retain"], pod: "db-0", has: [byOther], want: undefined },
    {
      name: "beside another controller ours go",
      policy: ["Delete", "Retain"],
      pod: "db-0",
      has: [bySet, byOther],
      want: [byOther],
    },
  ])("$name", ({ policy, pod: podName, has, want }) =>
    expect(decideOwners(claim(...has), ownersOf(policy, podName))).toEqual(want),
  );

  it("is content with its own decision", () => {
    for (const whenDeleted of ["Delete", "Retain"] as const)
      for (const whenScaled of ["Delete", "Retain"] as const)
        for (const name of ["db-0", "db-1"])
          for (const has of [[], [bySet], [byPod(name)], [bySet, byPod(name)], [byOther, bySet]]) {
            const owners = ownersOf([whenDeleted, whenScaled], name);
            const decided = decideOwners(claim(...has), owners) ?? has;
            expect(decideOwners(claim(...decided), owners)).toBeUndefined();
          }
  });
});

it("another controller matters only when something is to be deleted", () => {
  expect(hasOtherController(claim(byOther), ownersOf(["Retain", "Retain"], "db-0"))).toBe(false);
  expect(hasOtherController(claim(byOther), ownersOf(["Delete", "Retain"], "db-0"))).toBe(true);
  expect(hasOtherController(claim({ ...byOther, controller: false }), ownersOf(["Delete", "Retain"], "db-0"))).toBe(
    false,
  );
});

it("the claim of an earlier pod holds the next one up only if it will go", () => {
  const left = claim(reference("Pod", "db-0", "earlier"));
  expect(blocksNewPod(left, ownersOf(["Retain", "Delete"], "db-0"))).toBe(true);
  expect(blocksNewPod(left, ownersOf(["Retain", "Retain"], "db-0"))).toBe(false);
  expect(blocksNewPod(claim(), ownersOf(["Retain", "Delete"], "db-0"))).toBe(false);
});
