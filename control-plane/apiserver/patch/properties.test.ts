import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { isJsonObject, type Json, type JsonObject, jsonEqual } from "../../../shared/api/json.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { fieldSchema, resolve, type Schema, schemaOf } from "../../../shared/schema/index.ts";
import { rolls } from "../../../test/builders/effort.ts";
import { applyPatch, parsePatch } from "./index.ts";

/*
 * For each patch language: the patch that a client computes from two objects makes the second of the first. The seed is
 * fixed: a failure repeats.
 */

const { seed, times: numRuns } = rolls(inject("effort"), { seed: 20261, times: 500 });
const RUNS = { seed, numRuns };
const POD = schemaOf("io.k8s.api.core.v1.Pod");

const few = (...values: string[]) => fc.constantFrom(...values);
const some = (fields: Record<string, fc.Arbitrary<Json>>): fc.Arbitrary<JsonObject> =>
  fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;
const keyed = (key: string, keys: fc.Arbitrary<Json>, fields: Record<string, fc.Arbitrary<Json>>) =>
  fc.uniqueArray(
    fc.tuple(keys, some(fields)).map(([value, rest]): JsonObject => ({ [key]: value, ...rest })),
    { selector: (item) => JSON.stringify(item[key]), maxLength: 4 },
  );
const text = few("1", "2", "3");
const map = fc.dictionary(few("x", "y", "~", "/", "a/b~c"), text, { maxKeys: 3 }) as fc.Arbitrary<Json>;
const list = (...values: string[]) => fc.uniqueArray(few(...values), { maxLength: 3 });

const pod: fc.Arbitrary<JsonObject> = fc
  .record({
    metadata: some({ labels: map, annotations: map, finalizers: list("a", "b", "c") }),
    spec: some({
      containers: keyed("name", few("m", "n", "o"), {
        image: text,
        args: fc.array(text, { maxLength: 3 }),
        env: keyed("name", few("E", "F", "G"), { value: text }),
        ports: keyed("containerPort", fc.constantFrom(80, 81, 82), { name: text }),
        volumeMounts: keyed("mountPath", few("/a", "/b", "/c"), { name: text }),
      }),
      nodeSelector: map,
      tolerations: fc.array(some({ key: text }), { maxLength: 3 }),
      hostAliases: keyed("ip", few("192.0.2.1", "192.0.2.2"), { hostnames: list("h", "i") }),
      volumes: keyed("name", few("v", "w"), { emptyDir: some({ medium: text }), hostPath: some({ path: text }) }),
      securityContext: some({
        runAsUser: fc.constantFrom(1, 2) as fc.Arbitrary<Json>,
        sysctls: fc.array(some({ name: text })),
      }),
      hostname: text,
    }),
  })
  .map((rest) => rest as unknown as JsonObject);

type Language = "json" | "merge" | "strategic";
const patched = (language: Language, object: JsonObject, patch: Json): Json =>
  applyPatch(parsePatch(language, patch), object as unknown as KubeObject, POD, { resolve });

describe("strategic merge patch", () => {
  it("the difference of two objects makes the second of the first", () =>
    fc.assert(
      fc.property(pod, pod, (from, to) => {
        expect(patched("strategic", from, strategicDiff(from, to, POD))).toEqual(to);
      }),
      RUNS,
    ));

  it("the difference applied twice is the difference applied once", () =>
    fc.assert(
      fc.property(pod, pod, (from, to) => {
        const patch = strategicDiff(from, to, POD);
        const once = patched("strategic", from, patch) as JsonObject;
        expect(patched("strategic", once, patch)).toEqual(once);
      }),
      RUNS,
    ));

  it("an empty patch, and an object upon itself, change nothing", () =>
    fc.assert(
      fc.property(pod, (object) => {
        expect(patched("strategic", object, {})).toEqual(object);
        expect(patched("strategic", object, object)).toEqual(object);
      }),
      RUNS,
    ));

  it("replaces the whole when told so", () =>
    fc.assert(
      fc.property(pod, pod, (from, to) => {
        expect(patched("strategic", from, { ...to, $patch: "replace" })).toEqual(to);
      }),
      RUNS,
    ));

  it("merges long lists soon, whatever their order", () => {
    const items = (count: number) =>
      Array.from({ length: count }, (_, i): JsonObject => ({ name: `E${i}`, value: "x" }));
    const pod = (env: JsonObject[]): JsonObject => ({ spec: { containers: [{ name: "m", env }] } });
    const startMs = Date.now();
    const merged = patched("strategic", pod(items(20_000)), pod(items(20_000).reverse()));
    expect(merged).toEqual(pod(items(20_000).reverse()));
    expect(Date.now() - startMs).toBeLessThan(10_000);
  });

  it("keeps a list's other items, whatever it is told of some", () =>
    fc.assert(
      fc.property(pod, pod, (from, to) => {
        const named = (object: JsonObject) => (at(object, "spec", "containers") ?? []) as JsonObject[];
        const merged = named(patched("strategic", from, { spec: { containers: named(to) } }) as JsonObject);
        const names = (items: JsonObject[]) => items.map(({ name }) => name).sort();
        expect(names(merged)).toEqual([...new Set(names([...named(from), ...named(to)]))].sort());
      }),
      RUNS,
    ));
});

describe("merge patch", () => {
  it("the difference of two objects makes the second of the first", () =>
    fc.assert(
      fc.property(pod, pod, (from, to) => {
        expect(patched("merge", from, mergeDiff(from, to))).toEqual(to);
      }),
      RUNS,
    ));
});

describe("JSON patch", () => {
  it("the difference of two objects makes the second of the first", () =>
    fc.assert(
      fc.property(pod, pod, (from, to) => {
        expect(patched("json", from, jsonDiff(from, to, ""))).toEqual(to);
      }),
      RUNS,
    ));

  it("what is moved away and back is where it was", () =>
    fc.assert(
      fc.property(pod, (object) => {
        const moves = [
          { op: "move", from: "/metadata", path: "/moved" },
          { op: "move", from: "/moved", path: "/metadata" },
        ];
        expect(patched("json", object, moves)).toEqual(object);
      }),
      RUNS,
    ));
});

const at = (value: Json | undefined, ...path: string[]): Json | undefined =>
  path.reduce<Json | undefined>((here, key) => (isJsonObject(here) ? here[key] : undefined), value);

/** As kubectl computes it: items of keyed lists by key, with the order that they shall have. */
function strategicDiff(from: JsonObject, to: JsonObject, schema: Schema): JsonObject {
  const patch: JsonObject = {};
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) patch[key] = null;
  for (const [key, value] of Object.entries(to)) {
    const old = from[key];
    if (jsonEqual(old ?? null, value)) continue;
    const field = fieldSchema(schema, key);
    const merges = field?.patchStrategy?.includes("merge") ?? false;
    if (Array.isArray(old) && Array.isArray(value) && merges) Object.assign(patch, listDiff(key, old, value, field!));
    else if (isJsonObject(old) && isJsonObject(value)) patch[key] = strategicDiff(old, value, field ?? {});
    else patch[key] = value;
  }
  return patch;
}

function listDiff(key: string, from: Json[], to: Json[], field: Schema): JsonObject {
  const mergeKey = field.patchMergeKey;
  const order = { [`$setElementOrder/${key}`]: mergeKey ? to.map((item) => only(item, mergeKey)) : to };
  if (!mergeKey) {
    const gone = from.filter((item) => !to.includes(item));
    const added = to.filter((item) => !from.includes(item));
    return {
      ...order,
      ...(gone.length > 0 ? { [`$deleteFromPrimitiveList/${key}`]: gone } : {}),
      ...(added.length > 0 ? { [key]: added } : {}),
    };
  }
  const keyOf = (item: Json) => (item as JsonObject)[mergeKey]!;
  const changes = to.flatMap((item): JsonObject[] => {
    const old = from.find((other) => keyOf(other) === keyOf(item));
    if (old === undefined) return [item as JsonObject];
    if (jsonEqual(old, item)) return [];
    const change = strategicDiff(old as JsonObject, item as JsonObject, resolve(field.items!));
    return [{ ...change, ...only(item, mergeKey) }];
  });
  const gone = from
    .filter((item) => !to.some((other) => keyOf(other) === keyOf(item)))
    .map((item): JsonObject => ({ ...only(item, mergeKey), $patch: "delete" }));
  return { ...order, ...(changes.length + gone.length > 0 ? { [key]: [...changes, ...gone] } : {}) };
}

const only = (item: Json, key: string): JsonObject => ({ [key]: (item as JsonObject)[key]! });

function mergeDiff(from: JsonObject, to: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) patch[key] = null;
  for (const [key, value] of Object.entries(to)) {
    const old = from[key];
    if (isJsonObject(old) && isJsonObject(value)) patch[key] = mergeDiff(old, value);
    else if (!jsonEqual(old ?? null, value)) patch[key] = value;
  }
  return patch;
}

const escaped = (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1");

function jsonDiff(from: JsonObject, to: JsonObject, path: string): JsonObject[] {
  const gone = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
  const removals = gone.map((key): JsonObject => ({ op: "remove", path: `${path}/${escaped(key)}` }));
  const changes = Object.entries(to).flatMap(([key, value]): JsonObject[] => {
    const old = from[key];
    const here = `${path}/${escaped(key)}`;
    if (isJsonObject(old) && isJsonObject(value)) return jsonDiff(old, value, here);
    if (Array.isArray(old) && Array.isArray(value)) return listOperations(old, value, here);
    return [{ op: old === undefined ? "add" : "replace", path: here, value }];
  });
  return [...removals, ...changes];
}

/** Takes all out from the end, and puts all in: by index, and by "-". */
function listOperations(from: Json[], to: Json[], path: string): JsonObject[] {
  const test: JsonObject[] = from.length > 0 ? [{ op: "test", path: `${path}/0`, value: from[0]! }] : [];
  const removals = from.map((_item, i): JsonObject => ({ op: "remove", path: `${path}/${from.length - 1 - i}` }));
  const adds = to.map((value, i): JsonObject => ({ op: "add", path: `${path}/${i % 2 === 0 ? "-" : i}`, value }));
  return [...test, ...removals, ...adds];
}
