import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyObjectOf } from "../../../test/builders/protobuf-objects.ts";
import { isJsonObject, type Json, type JsonObject } from "../../api/json.ts";
import { RESOURCES } from "../registry.ts";
import { decodeProtobuf, encodeProtobuf, encodeProtobufEvent, encodeProtobufList } from "./index.ts";
import { messageOf } from "./message.ts";

const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
const hex = (text: string) => text.trim().split(/\s+/).join(" ");
const text = (bytes: string) => hexOf(new TextEncoder().encode(bytes));

/** ObjectMeta with a name alone: the strings, the generation and the time that Go always has follow. */
const metadataOf = (name: string) => `0a 11  0a 01 ${text(name)}  12 00  1a 00  22 00  2a 00  32 00  38 00  42 00`;

const configMap: JsonObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { k: "vä" } };

it("writes an object byte by byte", () =>
  expect(hexOf(encodeProtobuf(configMap))).toBe(
    hex(`
      6b 38 73 00
      0a 0f  0a 02 ${text("v1")}  12 09 ${text("ConfigMap")}
      12 1d  ${metadataOf("c")}  12 08  0a 01 6b  12 03 76 c3 a4
      1a 00  22 00`),
  ));

it("writes a list's items after its metadata", () => {
  const head = { apiVersion: "v1", kind: "NamespaceList", metadata: { resourceVersion: "7" } };
  expect(hexOf(encodeProtobufList(head, [{ metadata: { name: "a" } }]))).toBe(
    hex(`
      6b 38 73 00
      0a 13  0a 02 ${text("v1")}  12 0d ${text("NamespaceList")}
      12 24  0a 07  0a 00  12 01 37  1a 00
             12 19  ${metadataOf("a")}  12 00  1a 02  0a 00
      1a 00  22 00`),
  );
  expect(encodeProtobufList(head, [])).toEqual(encodeProtobuf({ ...head, items: [] }));
});

it("writes an event of a watch with its length before it", () => {
  const bytes = encodeProtobufEvent("ADDED", configMap);
  const object = encodeProtobuf(configMap);
  const body = `0a 05 ${text("ADDED")}  12 ${(object.length + 2).toString(16)}  0a ${object.length.toString(16)}`;
  expect(hexOf(bytes)).toBe(hex(`00 00 00 ${(object.length + 11).toString(16)} ${body} ${hexOf(object)}`));
});

describe("values", () => {
  it.each<[name: string, bytes: string, spec: JsonObject]>([
    ["a negative number takes ten bytes", "28 f6 ff ff ff ff ff ff ff ff 01", { activeDeadlineSeconds: -10 }],
    ["a large number", "28 ff ff ff ff ff ff ff 0f", { activeDeadlineSeconds: Number.MAX_SAFE_INTEGER }],
    ["zero behind a pointer", "28 00", { activeDeadlineSeconds: 0 }],
    ["a text of more than a byte's length", `82 01 83 01 ${text("x".repeat(131))}`, { hostname: "x".repeat(131) }],
    ["a text that is not ASCII", `82 01 03 ${text("xä")}`, { hostname: "xä" }],
  ])("%s", (_, bytes, spec) => {
    expect(hexOf(encodeProtobuf({ apiVersion: "v1", kind: "Pod", spec }))).toContain(hex(bytes));
  });
});

it("refuses a kind that has no such form", () => {
  expect(() => encodeProtobuf({ apiVersion: "meta.k8s.io/v1", kind: "Table" })).toThrow(
    'no kind "Table" is registered',
  );
});

/** Without what Go has by value though nobody set it. */
function pruned(value: Json): Json {
  if (Array.isArray(value)) return value.map(pruned);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, each]): [string, Json] => [key, pruned(each)]);
  return Object.fromEntries(entries.filter(([, each]) => !isEmpty(each)));
}

const isEmpty = (value: Json) =>
  value === "0" || value === 0 || value === null || (isJsonObject(value) && Object.keys(value).length === 0);

describe("what is encoded is decoded again, and encoded the same", () => {
  const kinds = RESOURCES.map(({ group, version, kind, schema }) => ({
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind,
    schema,
  }));
  it.each(kinds)("$apiVersion $kind", ({ apiVersion, kind, schema }) => {
    const message = messageOf(schema)!;
    fc.assert(
      fc.property(anyObjectOf(message, 3), (fields) => {
        const object = { ...fields, apiVersion, kind };
        const bytes = encodeProtobuf(object);
        const { object: decoded } = decodeProtobuf(bytes, kind);
        expect(pruned(decoded)).toEqual(pruned(object));
        expect(encodeProtobuf(decoded)).toEqual(bytes);
      }),
      { numRuns: 5 },
    );
  });
});
