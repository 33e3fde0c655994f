import { describe, expect, it } from "vitest";
import { testApi } from "../testing/api.ts";
import { FIELDS, type FieldName, schemaOfField } from "./cases/fields.ts";
import { LIST_CASES } from "./cases/lists.ts";
import { MAP_CASES } from "./cases/maps.ts";
import { type FieldCase, runCase, type Step } from "./cases/run.ts";
import { STRATEGIC_CASES } from "./cases/strategic-patches.ts";
import { applyTypeOf, countByType, mergeTypeOf, typesOfAllKinds } from "./cases/types.ts";

/*
 * What several writers do to one field, through the whole chain of a request: server-side apply, updates and patches
 * of every kind, by the type of list, map or struct that the field has. The tables count themselves: see the end.
 */

const api = testApi();

describe.each([
  { about: "maps and structs", cases: MAP_CASES },
  { about: "lists", cases: LIST_CASES },
  { about: "strategic merge patches", cases: STRATEGIC_CASES },
])("$about", ({ about, cases }) => {
  const named = cases.map((each, index) => ({ title: `${each.field}: ${each.name}`, each, index }));

  it.concurrent.each(named)("$title", async ({ each, index }) => {
    const namespace = `${about.replaceAll(" ", "-")}-${index}`;
    expect((await api.post("/api/v1/namespaces", { metadata: { name: namespace } })).code).toBe(201);
    const outcomes = await runCase(each, namespace, api.call);
    expect(outcomes).toEqual(each.steps.map(({ after }) => after ?? {}));
  });
});

describe("the tables", () => {
  const applied = [...MAP_CASES, ...LIST_CASES];
  const fields = (cases: FieldCase[]): FieldName[] => cases.map(({ field }) => field);
  const fieldAt = (name: FieldName) => schemaOfField(FIELDS[name]);

  it("say what comes of the last step of each case, and of each that is refused", () => {
    const all = [...applied, ...STRATEGIC_CASES];
    expect(all.filter(({ steps }) => steps.at(-1)?.after === undefined).map(({ name }) => name)).toEqual([]);
    const titles = all.map(({ field, name }) => `${field}: ${name}`);
    expect(titles.filter((title, i) => titles.indexOf(title) !== i)).toEqual([]);
  });

  const perType = countByType(fields(applied).map(fieldAt), applyTypeOf);
  it.each([...typesOfAllKinds(applyTypeOf)].map((type) => ({ type, cases: perType.get(type) ?? 0 })))(
    "apply: $type: $cases cases",
    ({ cases }) => expect(cases).toBeGreaterThan(0),
  );

  const perMerge = countByType(fields(STRATEGIC_CASES).map(fieldAt), mergeTypeOf);
  it.each([...typesOfAllKinds(mergeTypeOf)].map((type) => ({ type, cases: perMerge.get(type) ?? 0 })))(
    "strategic merge: $type: $cases cases",
    ({ cases }) => expect(cases).toBeGreaterThan(0),
  );

  it.each(["$patch", "$retainKeys", "$setElementOrder/", "$deleteFromPrimitiveList/"])("use %s", (directive) => {
    const uses = STRATEGIC_CASES.filter(({ steps }) => JSON.stringify(steps).includes(`"${directive}`));
    expect(uses.length).toBeGreaterThan(2);
  });

  it.each([
    { way: "force", uses: (step: Step) => "force" in step },
    { way: "an update", uses: (step: Step) => "update" in step },
    { way: "a merge patch", uses: (step: Step) => "merge" in step },
    { way: "a JSON patch", uses: (step: Step) => "json" in step },
    { way: "a strategic patch", uses: (step: Step) => "strategic" in step },
    { way: "the status", uses: (step: Step) => step.status === true },
    { way: "another version", uses: (step: Step) => step.version !== undefined },
    { way: "what kubectl noted", uses: (step: Step) => step.annotations !== undefined },
    { way: "a conflict", uses: (step: Step) => step.after?.refused?.[0] === 409 },
  ])("apply beside $way", ({ uses }) => {
    expect(applied.filter(({ steps }) => steps.some(uses)).length).toBeGreaterThan(2);
  });
});
