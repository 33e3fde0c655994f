import { expect, it } from "vitest";
import type { Json, JsonObject } from "../../../shared/api/json.ts";
import { ApiError } from "../../../shared/api/status.ts";
import { findResource } from "../../../shared/schema/index.ts";
import { parsePatch } from "./index.ts";
import { decodePatchedObject } from "./patched-object.ts";

const facts = findResource({ group: "", version: "v1", resource: "configmaps" })!;
const configMap = (more: JsonObject): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a" },
  ...more,
});

function decode(language: "merge" | "strategic", value: Json, strictErrors: string[] = [], mode = "Strict" as const) {
  const parsed = parsePatch(language, { data: { a: 1 } });
  return decodePatchedObject({ facts, parsed, value, quoted: () => value, fieldValidation: mode, strictErrors });
}

const refusal = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return [error.status.code, error.status.message];
    throw error;
  }
  return undefined;
};

it.each<{ name: string; language: "merge" | "strategic"; value: Json; errors?: string[]; want: string }>([
  {
    name: "a merge patch quotes what came of it",
    language: "merge",
    value: configMap({ data: { a: 1 } }),
    want: String.raw`"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},\"data\":{\"a\":1}}": json: cannot unmarshal number into Go struct field ConfigMap.data of type string`,
  },
  {
    name: "a strategic one itself, as Go prints it",
    language: "strategic",
    value: configMap({ data: { a: 1 } }),
    want: `"map[data:map[a:1]]": cannot convert int64 to string`,
  },
  {
    name: "a field that the kind does not have",
    language: "strategic",
    value: configMap({ colour: "red" }),
    want: `"map[data:map[a:1]]": strict decoding error: unknown field "colour"`,
  },
  {
    name: "a field that the patch sets twice",
    language: "strategic",
    value: configMap({}),
    errors: ['duplicate field "data"'],
    want: `"map[data:map[a:1]]": strict decoding error: duplicate field "data"`,
  },
  {
    name: "a kind that is none",
    language: "merge",
    value: configMap({ kind: "Nope" }),
    want: String.raw`"{\"apiVersion\":\"v1\",\"kind\":\"Nope\",\"metadata\":{\"name\":\"a\"}}": no kind "Nope" is registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"`,
  },
  {
    name: "a group and version of three parts",
    language: "merge",
    value: configMap({ apiVersion: "a/b/c" }),
    want: String.raw`"{\"apiVersion\":\"a/b/c\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}": unexpected GroupVersion string: a/b/c`,
  },
])("$name", ({ language, value, errors, want }) =>
  expect(refusal(() => decode(language, value, errors))).toEqual([
    422,
    ` "" is invalid: patch: Invalid value: ${want}`,
  ]),
);

it("what it knows of the object comes through", () =>
  expect(decode("merge", configMap({ data: { a: "b" }, immutable: null }))).toEqual({
    object: configMap({ data: { a: "b" } }),
    facts,
    unknownFields: [],
  }));
