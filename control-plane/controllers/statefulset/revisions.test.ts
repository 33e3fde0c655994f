import { describe, expect, it } from "vitest";
import type { ControllerRevision } from "../../../shared/api/types.ts";
import { controllerRevision, pod, statefulSet } from "../../../test/builders/objects.ts";
import { templatePatch } from "../controller-revision/index.ts";
import { decideTruncation, decideUpdateRevision, renamed } from "./revisions.ts";

const set = (image: string) => statefulSet("db").image(image).annotated({ why: "because" }).build();
const revision = (name: string, number: number, image: string) =>
  controllerRevision(name, number, templatePatch(set(image).spec.template)).build();

describe("decideUpdateRevision", () => {
  const decided = (image: string, revisions: ControllerRevision[]) => {
    const decision = decideUpdateRevision(set(image), revisions);
    return { ...decision, revision: decision.revision.metadata.name };
  };

  it("makes the first, with the set's annotations and the hash in its name and label", () => {
    const { op, revision: made } = decideUpdateRevision(set("a"), []);
    expect(op).toBe("create");
    const hash = made.metadata.labels?.["controller.kubernetes.io/hash"];
    expect(made).toMatchObject({
      revision: 1,
      metadata: { name: `db-${hash}`, labels: { app: "db" }, annotations: { why: "because" } },
    });
  });

  it("keeps the latest that says the same", () =>
    expect(decided("b", [revision("db-1", 1, "a"), revision("db-2", 2, "b")])).toEqual({
      op: "keep",
      revision: "db-2",
    }));

  it("raises an earlier one to the next number", () =>
    expect(decided("a", [revision("db-2", 5, "b"), revision("db-1", 1, "a")])).toEqual({
      op: "renumber",
      revision: "db-1",
      to: 6,
    }));

  it("keeps one that lacks only what is defaulted now", () => {
    const before = revision("db-1", 1, "a");
    const now = set("a");
    for (const container of now.spec.template.spec?.containers ?? []) container.imagePullPolicy = "Always";
    expect(decideUpdateRevision(now, [before])).toMatchObject({ op: "keep", revision: before });
  });

  it("gives another name after a collision", () => {
    const { revision: made } = decideUpdateRevision(set("a"), []);
    expect(renamed(set("a"), made, 1).metadata.name).not.toBe(made.metadata.name);
  });
});

describe("decideTruncation", () => {
  const revisions = [3, 1, 2, 4, 5].map((number) => revision(`db-${number}`, number, String(number)));
  const limited = (revisionHistoryLimit: number) => ({ ...set("5"), spec: { ...set("5").spec, revisionHistoryLimit } });
  const names = (limit: number, podsOf: string[] = []) => {
    const pods = podsOf.map((name) => pod("db-0").labelled({ "controller-revision-hash": name }).build());
    return decideTruncation(limited(limit), { revisions, pods, live: ["db-4", "db-5"] }).map(
      ({ metadata }) => metadata.name,
    );
  };
  it.each([
    { name: "keeps as many as the limit says beside those in use", limit: 1, want: ["db-1", "db-2"] },
    { name: "keeps those of pods", limit: 0, podsOf: ["db-2"], want: ["db-1", "db-3"] },
    { name: "keeps all within the limit", limit: 3, want: [] },
    { name: "keeps all with a negative limit", limit: -1, want: [] },
  ])("$name", ({ limit, podsOf, want }) => expect(names(limit, podsOf)).toEqual(want));
});
