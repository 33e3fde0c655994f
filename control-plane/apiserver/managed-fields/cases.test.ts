import { describe, expect, it } from "vitest";
import { testApi } from "../testing/api.ts";
import { CONTAINER_CASES } from "./cases/containers.ts";
import { FIELDS, type FieldName, schemaOfField } from "./cases/fields.ts";
import { KEYED_LIST_CASES } from "./cases/lists-by-key.ts";
import { SEVERAL_KEYS_CASES } from "./cases/lists-by-several-keys.ts";
import { MAP_CASES } from "./cases/maps.ts";
import { type FieldCase, runCase, type Step } from "./cases/run.ts";
import { SET_CASES } from "./cases/sets-and-wholes.ts";
import { STATUS_LIST_CASES } from "./cases/status-lists.ts";
import { STRATEGIC_KEYED_LIST_CASES } from "./cases/strategic-keyed-lists.ts";
import { STRATEGIC_MAP_CASES } from "./cases/strategic-maps.ts";
import { STRATEGIC_ORDER_CASES } from "./cases/strategic-orders.ts";
import { STRATEGIC_VALUE_CASES } from "./cases/strategic-values.ts";
import { STRUCT_CASES } from "./cases/structs.ts";
import { applyTypeOf, countByType, mergeTypeOf, typesOfAllKinds } from "./cases/types.ts";
import { UPDATED_MAP_CASES } from "./cases/updated-maps.ts";
import { VERSION_CASES } from "./cases/versions.ts";

/*
 * What several writers do to one field, through the whole chain of a request: server-side apply, updates and patches
 * of every kind, by the type of list, map or struct that the field has. The tables count themselves: see the end.
 */

const api = testApi();

const APPLIES = {
  maps: [...MAP_CASES, ...UPDATED_MAP_CASES],
  structs: STRUCT_CASES,
  "lists by a key": [...CONTAINER_CASES, ...KEYED_LIST_CASES, ...STATUS_LIST_CASES],
  "lists by several keys": SEVERAL_KEYS_CASES,
  "sets and wholes": SET_CASES,
  versions: VERSION_CASES,
};
const STRATEGIC_CASES = [
  ...STRATEGIC_MAP_CASES,
  ...STRATEGIC_KEYED_LIST_CASES,
  ...STRATEGIC_ORDER_CASES,
  ...STRATEGIC_VALUE_CASES,
];
const TABLES = { ...APPLIES, "strategic merge patches": STRATEGIC_CASES };

describe.each(Object.entries(TABLES).map(([about, cases]) => ({ about, cases })))("$about", ({ about, cases }) => {
  const named = cases.map((each, index) => ({ title: `${each.field}: ${each.name}`, each, index }));

  it.concurrent.each(named)("$title", async ({ each, index }) => {
    const namespace = `${about.replaceAll(" ", "-")}-${index}`;
    expect((await api.post("/api/v1/namespaces", { metadata: { name: namespace } })).code).toBe(201);
    const outcomes = await runCase(each, namespace, api.call);
    expect(outcomes).toEqual(each.steps.map(({ after }) => after ?? {}));
  });
});

describe("the tables", () => {
  const applied = Object.values(APPLIES).flat();
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
