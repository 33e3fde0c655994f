import { describe, expect, it } from "vitest";
import type { ControllerRevision } from "../../../shared/api/types.ts";
import { controllerRevision, daemonSet, pod } from "../../../test/builders/objects.ts";
import { dataText, templatePatch } from "../controller-revision/index.ts";
import { decideHistory, decideTruncation, presentRevision } from "./history.ts";

const LABEL = "controller-revision-hash";
const set = (image: string) =>
  daemonSet("d")
    .with({ spec: { template: { spec: { containers: [{ name: "c", image }] } } } })
    .annotated({ why: "because" })
    .build();
const revision = (name: string, number: number, image: string) =>
  controllerRevision(name, number, templatePatch(set(image).spec.template))
    .labelled({ [LABEL]: name })
    .build();

describe("decideHistory", () => {
  const decided = (image: string, revisions: ControllerRevision[]) => {
    const { current, old, duplicates, number } = decideHistory(set(image), revisions);
    const name = ({ metadata }: ControllerRevision) => metadata.name;
    return { current: current && name(current), old: old.map(name), duplicates: duplicates.map(name), number };
  };
  it.each([
    { name: "nothing yet", revisions: [], want: { current: undefined, old: [], duplicates: [], number: 1 } },
    {
      name: "a new template",
      revisions: [revision("b", 4, "b")],
      want: { current: undefined, old: ["b"], duplicates: [], number: 5 },
    },
    {
      name: "the template of the latest",
      revisions: [revision("a", 5, "a"), revision("b", 4, "b")],
      want: { current: "a", old: ["b"], duplicates: [], number: 5 },
    },
    {
      name: "a template that was there before",
      revisions: [revision("a", 1, "a"), revision("b", 4, "b")],
      want: { current: "a", old: ["b"], duplicates: [], number: 5 },
    },
    {
      name: "two that say the same",
      revisions: [revision("a2", 3, "a"), revision("a", 1, "a")],
      want: { current: "a2", old: [], duplicates: ["a"], number: 3 },
    },
  ])("$name", ({ revisions, want }) => expect(decided("a", revisions)).toEqual(want));
});

it("a revision has the template's hash in name and label, and the set's annotations", () => {
  const { metadata, revision: number } = presentRevision(set("a"), 3);
  expect(metadata.name).toBe(`d-${metadata.labels?.[LABEL]}`);
  expect(metadata).toMatchObject({ labels: { app: "d" }, annotations: { why: "because" } });
  expect(number).toBe(3);
  const collided = { ...set("a"), status: { ...daemonSet("d").build().status, collisionCount: 1 } };
  expect(presentRevision(collided as ReturnType<typeof set>, 3).metadata.name).not.toBe(metadata.name);
});

it("a revision's data are in the order of upstream's bytes, by which clients compare them", () => {
  const { data } = presentRevision(set("a"), 1);
  const { template } = set("a").spec;
  expect(JSON.stringify(data)).toBe(dataText({ spec: { template: { ...template, $patch: "replace" } } }));
});

describe("decideTruncation", () => {
  const old = [3, 1, 2].map((number) => revision(`d-${number}`, number, String(number)));
  const removed = (revisionHistoryLimit: number, live: string[] = []) => {
    const of = daemonSet("d").with({ spec: { revisionHistoryLimit } }).build();
    const pods = live.map((hash) =>
      pod(hash)
        .labelled({ [LABEL]: hash })
        .build(),
    );
    return decideTruncation(of, old, pods).map(({ metadata }) => metadata.name);
  };
  it.each([
    { name: "removes the lowest past the limit", limit: 1, want: ["d-1", "d-2"] },
    { name: "keeps those of pods, which fill the limit", limit: 1, live: ["d-1"], want: ["d-2", "d-3"] },
    { name: "removes nothing within the limit", limit: 3, want: [] },
  ])("$name", ({ limit, live, want }) => expect(removed(limit, live)).toEqual(want));
});
