import { describe, expect, it } from "vitest";
import type { ObjectMeta } from "../../shared/api/object.ts";
import { findResource } from "../../shared/schema/index.ts";
import type { DeleteOptions } from "./delete-options.ts";
import { planDeletion } from "./deletion.ts";

const NOW_MS = Date.parse("2030-01-01T00:00:00Z");
const facts = findResource({ group: "", version: "v1", resource: "configmaps" })!;
const jobs = findResource({ group: "batch", version: "v1", resource: "jobs" })!;
const graceful = { gracePeriodSeconds: (_: unknown, requested: number | undefined) => requested ?? 30 };

function plan(metadata: Partial<ObjectMeta>, options: Partial<DeleteOptions> = {}, strategy = {}, of = facts) {
  const object = { metadata: { name: "a", ...metadata } };
  return planDeletion(object, { dryRun: false, ...options }, { facts: of, strategy, nowMs: NOW_MS });
}

describe("a delete", () => {
  it("removes an object that nothing holds", () => expect(plan({}).step).toBe("remove"));

  it("marks one with finalizers, and raises its generation once", () => {
    const first = plan({ finalizers: ["example.com/f"], generation: 1 });
    expect(first).toMatchObject({
      step: "mark",
      object: { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z", deletionGracePeriodSeconds: 0, generation: 2 } },
    });
  });

  it.each([
    { name: "Orphan", options: { propagationPolicy: "Orphan" as const }, of: facts, want: ["orphan"] },
    {
      name: "Foreground",
      options: { propagationPolicy: "Foreground" as const },
      of: facts,
      want: ["foregroundDeletion"],
    },
    { name: "the old orphanDependents", options: { orphanDependents: true }, of: facts, want: ["orphan"] },
    { name: "a job's default", options: {}, of: jobs, want: ["orphan"] },
  ])("leaves a finalizer to the garbage collector: $name", ({ options, of, want }) => {
    expect(plan({}, options, {}, of)).toMatchObject({ step: "mark", object: { metadata: { finalizers: want } } });
  });

  it("gives time where the kind has some", () => {
    expect(plan({}, {}, graceful)).toMatchObject({
      step: "mark",
      object: { metadata: { deletionTimestamp: "2030-01-01T00:00:30Z", deletionGracePeriodSeconds: 30 } },
    });
  });

  const dying = { deletionTimestamp: "2030-01-01T00:00:20Z", deletionGracePeriodSeconds: 30 };
  it.each([
    { name: "only shortens it", grace: 60, want: { step: "pending" } },
    {
      name: "shortens it from when it began",
      grace: 15,
      want: { step: "mark", object: { metadata: { deletionTimestamp: "2030-01-01T00:00:05Z" } } },
    },
    {
      name: "is still graceful when that is over",
      grace: 5,
      want: { step: "mark", object: { metadata: { deletionGracePeriodSeconds: 1 } } },
    },
    { name: "ends it with 0", grace: 0, want: { step: "remove" } },
    {
      name: "takes a negative one for 1",
      grace: -5,
      want: { step: "mark", object: { metadata: { deletionGracePeriodSeconds: 1 } } },
    },
  ])("a second time $name", ({ grace, want }) => {
    expect(plan(dying, { gracePeriodSeconds: grace }, graceful)).toMatchObject(want);
  });
});
