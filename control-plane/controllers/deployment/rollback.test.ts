import { describe, expect, it } from "vitest";
import type { Deployment, ReplicaSet } from "../../../shared/api/types.ts";
import { decide } from "./decide.ts";
import { decideRollback, requestedRevision } from "./rollback.ts";

const REVISION = "deployment.kubernetes.io/revision";
const ROLLBACK_TO = "deprecated.deployment.rollback.to";
const CAUSE = "kubernetes.io/change-cause";

const template = (image: string, labels: Record<string, string> = {}) => ({
  metadata: { labels: { app: "web", ...labels } },
  spec: { containers: [{ name: "c", image }] },
});

const deployment = (to: string, spec: Partial<Deployment["spec"]> = {}): Deployment => ({
  metadata: {
    name: "web",
    namespace: "default",
    uid: "d",
    annotations: { [REVISION]: "2", [CAUSE]: "second", [ROLLBACK_TO]: to },
  },
  spec: { replicas: 1, selector: { matchLabels: { app: "web" } }, template: template("b"), ...spec },
});

const rs = (name: string, image: string, revision: number, cause: string): ReplicaSet => ({
  metadata: {
    name,
    namespace: "default",
    uid: name,
    creationTimestamp: `2026-10-21T08:00:0${revision}Z`,
    annotations: { [REVISION]: String(revision), [CAUSE]: cause },
  },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "web" } },
    template: template(image, { "pod-template-hash": name }),
  },
});

const SETS = [rs("one", "a", 1, "first"), rs("two", "b", 2, "second")];

describe("requestedRevision", () => {
  it.each([
    ["3", 3n],
    ["0", 0n],
    ["-1", -1n],
    ["3546343826724305833", 3546343826724305833n],
    ["", undefined],
    ["one", undefined],
    ["1.5", undefined],
  ])("of %j", (text, want) => expect(requestedRevision(deployment(text))).toBe(want));
});

describe("decideRollback", () => {
  const failed = (why: string, message: string) => ({ type: "Warning", reason: `DeploymentRollback${why}`, message });
  const done = { type: "Normal", reason: "DeploymentRollback", message: 'Rolled back deployment "web" to revision 1' };
  it.each([
    { name: "goes back to the revision asked for", to: 1, sets: SETS, image: "a", event: done },
    { name: "0 is the last but one", to: 0, sets: SETS, image: "a", event: done },
    {
      name: "has nothing to go back to",
      to: 0,
      sets: SETS.slice(1),
      image: "b",
      event: failed("RevisionNotFound", "Unable to find last revision."),
    },
    {
      name: "does not know the revision",
      to: 7,
      sets: SETS,
      image: "b",
      event: failed("RevisionNotFound", "Unable to find the revision to rollback to."),
    },
    {
      name: "is there already",
      to: 2,
      sets: SETS,
      image: "b",
      event: failed(
        "TemplateUnchanged",
        'The rollback revision contains the same template as current deployment "web"',
      ),
    },
  ])("$name", ({ to, sets, image, event }) => {
    const rollback = decideRollback(deployment(String(to)), BigInt(to), sets);
    expect(rollback.event).toEqual(event);
    expect(rollback.deployment.spec.template).toEqual(template(image));
    expect(rollback.deployment.metadata.annotations).toEqual({
      [REVISION]: "2",
      [CAUSE]: image === "a" ? "first" : "second",
    });
  });
});

describe("decide with a rollback asked for", () => {
  const plan = (d: Deployment) => decide({ deployment: d, replicaSets: SETS, podsOf: new Map() }, 0);

  it("does that alone, once the revision is written", () =>
    expect(plan(deployment("1"))).toMatchObject({ writes: [], rollback: { event: { type: "Normal" } } }));

  it("writes the current revision first", () => {
    const d = deployment("1");
    d.metadata.annotations![REVISION] = "1";
    expect(plan(d)).toMatchObject({ revision: "2" });
    expect(plan(d).rollback).toBeUndefined();
  });

  it("waits while it is paused", () => expect(plan(deployment("1", { paused: true })).rollback).toBeUndefined());
});
