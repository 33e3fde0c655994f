import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../shared/api/json.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { ApiError } from "../../../shared/api/status.ts";
import type { Schema } from "../../../shared/schema/model.ts";
import { applyPatch, parsePatch, patchLanguageOf } from "./index.ts";

const strings: Schema = { type: "object", additionalProperties: { type: "string" } };
const container: Schema = {
  type: "object",
  properties: {
    name: { type: "string" },
    image: { type: "string" },
    args: { type: "array", items: { type: "string" } },
    env: {
      type: "array",
      patchStrategy: "merge",
      patchMergeKey: "name",
      items: { type: "object", properties: { name: { type: "string" }, value: { type: "string" } } },
    },
  },
};
const schema: Schema = {
  type: "object",
  properties: {
    metadata: {
      type: "object",
      properties: {
        labels: strings,
        finalizers: { type: "array", items: { type: "string" }, patchStrategy: "merge" },
      },
    },
    data: strings,
    spec: {
      type: "object",
      properties: {
        containers: { type: "array", items: container, patchStrategy: "merge", patchMergeKey: "name" },
        strategy: { type: "object", patchStrategy: "retainKeys", properties: { type: {}, rollingUpdate: {} } },
        args: { type: "array", items: { type: "string" } },
      },
    },
  },
};
const lookup = { resolve: (s: Schema) => s };

const object = (rest: JsonObject): KubeObject => ({ metadata: { name: "a" }, ...rest }) as KubeObject;

function patched(language: "json" | "merge" | "strategic", current: JsonObject, patch: Json): Json {
  const before = object(current);
  const copy = structuredClone(before);
  const result = applyPatch(parsePatch(language, patch), before, schema, lookup) as JsonObject;
  expect(before).toEqual(copy); // the current object is never changed
  return result;
}

function failureOf(run: () => unknown): { code: number; message?: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return { code: error.status.code, message: error.status.message };
    throw error;
  }
  throw new Error("nothing was refused");
}

const DATA: JsonObject = { data: { one: "1", two: "2" } };
const LIST: JsonObject = { spec: { args: ["a", "b", "c"] } };

describe("JSON patch", () => {
  it.each<{ name: string; current?: JsonObject; patch: Json; want: JsonObject }>([
    {
      name: "add and test",
      patch: [
        { op: "test", path: "/data/one", value: "1" },
        { op: "add", path: "/data/x", value: "y" },
      ],
      want: { data: { one: "1", two: "2", x: "y" } },
    },
    {
      name: "test of an absent key against null",
      patch: [{ op: "test", path: "/data/absent", value: null }],
      want: DATA,
    },
    {
      name: "replace sets a key that is not there",
      patch: [{ op: "replace", path: "/data/new", value: "x" }],
      want: { data: { one: "1", two: "2", new: "x" } },
    },
    {
      name: "a missing value is null",
      patch: [{ op: "add", path: "/data/x" }],
      want: { data: { one: "1", two: "2", x: null } },
    },
    {
      name: "negative index replaces from the end",
      current: LIST,
      patch: [{ op: "replace", path: "/spec/args/-1", value: "z" }],
      want: { spec: { args: ["a", "b", "z"] } },
    },
    {
      name: "dash appends",
      current: LIST,
      patch: [{ op: "add", path: "/spec/args/-", value: "z" }],
      want: { spec: { args: ["a", "b", "c", "z"] } },
    },
    {
      name: "move",
      patch: [{ op: "move", from: "/data/one", path: "/data/three" }],
      want: { data: { two: "2", three: "1" } },
    },
    {
      name: "copy",
      patch: [{ op: "copy", from: "/data/one", path: "/data/three" }],
      want: { data: { one: "1", two: "2", three: "1" } },
    },
    {
      name: "escapes",
      patch: [{ op: "add", path: "/data/a~1b~0c", value: "x" }],
      want: { data: { one: "1", two: "2", "a/b~c": "x" } },
    },
    { name: "add on a relative path does nothing", patch: [{ op: "add", path: "data/x", value: "y" }], want: DATA },
  ])("$name", ({ current, patch, want }) => expect(patched("json", current ?? DATA, patch)).toMatchObject(want));

  it.each<{ name: string; patch: Json }>([
    { name: "test that fails", patch: [{ op: "test", path: "/data/one", value: "2" }] },
    { name: "remove of an absent key", patch: [{ op: "remove", path: "/data/absent" }] },
    { name: "add below an absent key", patch: [{ op: "add", path: "/metadata/labels/app", value: "x" }] },
    { name: "unknown operation", patch: [{ op: "merge", path: "/data/x", value: "y" }] },
    { name: "no path", patch: [{ op: "add", value: "y" }] },
    { name: "removing the root", patch: [{ op: "remove", path: "" }] },
    { name: "an operation that is null", patch: [null] },
    { name: "an empty root", patch: [{ op: "add", path: "", value: {} }] },
    { name: "index out of range", patch: [{ op: "test", path: "/metadata/none/0", value: 1 }] },
    {
      name: "copies that swell",
      patch: [
        { op: "add", path: "/data/x", value: "y".repeat(100_000) },
        ...Array.from({ length: 40 }, (_, i) => ({ op: "copy", from: "/data/x", path: `/data/x${i}` })),
      ],
    },
  ])("refuses: $name", ({ patch }) => expect(failureOf(() => patched("json", DATA, patch)).code).toBe(422));

  it.each<{ patch: Json; message: string }>([
    {
      patch: { op: "add" },
      message: "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
    },
    {
      patch: [1],
      message: "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp",
    },
    {
      patch: [{ op: 7 }],
      message: "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string",
    },
  ])("400: $message", ({ patch, message }) =>
    expect(failureOf(() => parsePatch("json", patch))).toEqual({ code: 400, message }),
  );

  it("reports unknown members of an operation", () =>
    expect(parsePatch("json", [{ op: "add", path: "/a", extra: 1 }])).toMatchObject({
      unknownFields: ['json patch unknown field "[0].extra"'],
    }));

  it("refuses more operations than upstream allows", () => {
    const failure = failureOf(() =>
      parsePatch(
        "json",
        Array.from({ length: 10_001 }, () => ({ op: "test", path: "/a" })),
      ),
    );
    expect(failure).toEqual({
      code: 413,
      message: "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
    });
  });

  it("does not reach a prototype", () => {
    patched("json", DATA, [{ op: "add", path: "/data/__proto__", value: { polluted: "x" } }]);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });
});

describe("merge patch (RFC 7396, appendix A)", () => {
  it.each<{ current: Json; patch: Json; want: Json }>([
    { current: { a: "b" }, patch: { a: "c" }, want: { a: "c" } },
    { current: { a: "b" }, patch: { b: "c" }, want: { a: "b", b: "c" } },
    { current: { a: "b" }, patch: { a: null }, want: {} },
    { current: { a: "b", b: "c" }, patch: { a: null }, want: { b: "c" } },
    { current: { a: ["b"] }, patch: { a: "c" }, want: { a: "c" } },
    { current: { a: "c" }, patch: { a: ["b"] }, want: { a: ["b"] } },
    { current: { a: { b: "c" } }, patch: { a: { b: "d", c: null } }, want: { a: { b: "d" } } },
    { current: { a: [{ b: "c" }] }, patch: { a: [1] }, want: { a: [1] } },
    { current: {}, patch: { a: { bb: { ccc: null } } }, want: { a: { bb: {} } } },
  ])("$current + $patch", ({ current, patch, want }) =>
    expect(patched("merge", { x: current }, { x: patch })).toMatchObject({ x: want }),
  );

  it("must not be null", () => expect(failureOf(() => parsePatch("merge", null)).code).toBe(400));

  it("must be an object", () =>
    expect(failureOf(() => parsePatch("merge", []))).toEqual({
      code: 400,
      message: "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
    }));
});

const PODS: JsonObject = {
  spec: {
    containers: [
      { name: "a", image: "i", args: ["1", "2"] },
      { name: "b", image: "j" },
    ],
  },
};

describe("strategic merge", () => {
  it.each<{ name: string; current: JsonObject; patch: JsonObject; want: JsonObject }>([
    {
      name: "merges a container by name",
      current: PODS,
      patch: { spec: { containers: [{ name: "b", image: "k" }] } },
      want: {
        spec: {
          containers: [
            { name: "a", image: "i", args: ["1", "2"] },
            { name: "b", image: "k" },
          ],
        },
      },
    },
    {
      name: "puts a new container first, in the patch's order",
      current: PODS,
      patch: { spec: { containers: [{ name: "c", image: "k" }] } },
      want: {
        spec: {
          containers: [
            { name: "c", image: "k" },
            { name: "a", image: "i", args: ["1", "2"] },
            { name: "b", image: "j" },
          ],
        },
      },
    },
    {
      name: "deletes a container",
      current: PODS,
      patch: { spec: { containers: [{ name: "a", $patch: "delete" }] } },
      want: { spec: { containers: [{ name: "b", image: "j" }] } },
    },
    {
      name: "replaces the list",
      current: PODS,
      patch: { spec: { containers: [{ $patch: "replace" }, { name: "z", image: "k" }] } },
      want: { spec: { containers: [{ name: "z", image: "k" }] } },
    },
    {
      name: "orders elements",
      current: PODS,
      patch: { spec: { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] } },
      want: {
        spec: {
          containers: [
            { name: "b", image: "j" },
            { name: "a", image: "i", args: ["1", "2"] },
          ],
        },
      },
    },
    {
      name: "a list without strategy is replaced",
      current: PODS,
      patch: { spec: { containers: [{ name: "a", args: ["3"] }] } },
      want: {
        spec: {
          containers: [
            { name: "a", image: "i", args: ["3"] },
            { name: "b", image: "j" },
          ],
        },
      },
    },
    {
      name: "takes out of a list of scalars",
      current: { metadata: { name: "a", finalizers: ["x", "y"] } },
      patch: { metadata: { "$deleteFromPrimitiveList/finalizers": ["x"] } },
      want: { metadata: { finalizers: ["y"] } },
    },
    {
      name: "orders scalars and takes one out",
      current: { metadata: { name: "a", finalizers: ["c", "b", "a"] } },
      patch: {
        metadata: {
          "$setElementOrder/finalizers": ["d", "a"],
          finalizers: ["d"],
          "$deleteFromPrimitiveList/finalizers": ["b"],
        },
      },
      want: { metadata: { finalizers: ["d", "c", "a"] } },
    },
    {
      name: "one key twice in the patch",
      current: PODS,
      patch: {
        spec: {
          containers: [
            { name: "n", image: "1" },
            { name: "n", image: "2" },
          ],
        },
      },
      want: {
        spec: {
          containers: [
            { name: "n", image: "2" },
            { name: "a", image: "i", args: ["1", "2"] },
            { name: "b", image: "j" },
          ],
        },
      },
    },
    {
      name: "replace directive on a map",
      current: DATA,
      patch: { data: { $patch: "replace", only: "x" } },
      want: { data: { only: "x" } },
    },
    { name: "delete directive on a map", current: DATA, patch: { data: { $patch: "delete" } }, want: { data: {} } },
    {
      name: "retainKeys",
      current: { spec: { strategy: { type: "RollingUpdate", rollingUpdate: {} } } },
      patch: { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
      want: { spec: { strategy: { type: "Recreate" } } },
    },
    {
      name: "null removes, and does not come in with what is new",
      current: DATA,
      patch: { data: { one: null }, spec: { strategy: { type: null } } },
      want: { data: { two: "2" }, spec: { strategy: {} } },
    },
  ])("$name", ({ current, patch, want }) => {
    const result = patched("strategic", current, patch) as JsonObject;
    for (const key of Object.keys(want))
      expect(result[key]).toEqual(key === "metadata" ? { name: "a", ...(want[key] as JsonObject) } : want[key]);
  });

  it.each<{ current: JsonObject; patch: JsonObject; code: number; message: string }>([
    {
      current: DATA,
      patch: { data: { $patch: "erase" } },
      code: 500,
      message: "unknown patch type: erase in map: map[$patch:erase]",
    },
    {
      current: DATA,
      patch: { data: { $patch: 5 } },
      code: 500,
      message: "unknown patch type: %!s(int64=5) in map: map[$patch:5]",
    },
    {
      current: PODS,
      patch: { spec: { containers: [{ name: "a", $patch: "merge" }] } },
      code: 500,
      message: "merging lists cannot yet be specified in the patch",
    },
    {
      current: PODS,
      patch: { spec: { containers: [{ image: "x" }] } },
      code: 500,
      message: "map: map[image:x] does not contain declared merge key: name",
    },
    {
      current: PODS,
      patch: { spec: { "$setElementOrder/containers": "a" } },
      code: 500,
      message: "expected a []interface {}, but received a string",
    },
    {
      current: PODS,
      patch: { spec: { "$setElementOrder/containers": [{ name: "a" }], containers: [{ name: "b", image: "i" }] } },
      code: 500,
      message:
        "The order in patch list:\n[map[image:i name:b]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n",
    },
    {
      current: { spec: { strategy: {} } },
      patch: { spec: { strategy: { $retainKeys: ["type"], rollingUpdate: {} } } },
      code: 400,
      message: "invalid patch format of retainKeys",
    },
  ])("$message", ({ current, patch, code, message }) =>
    expect(failureOf(() => patched("strategic", current, patch))).toEqual({ code, message }),
  );
});

it("knows the media types", () => {
  expect(patchLanguageOf("application/merge-patch+json; charset=utf-8")).toBe("merge");
  expect(patchLanguageOf("application/json")).toBeUndefined();
});
