import { describe, expect, it } from "vitest";
import type { ConfigMap, Secret } from "../../../../shared/api/types.ts";
import { CONFIG_MAP_STRATEGY, SECRET_STRATEGY } from "./config.ts";

const fieldsOf = (causes: { field?: string }[]) => causes.map(({ field }) => field);

describe("an immutable ConfigMap", () => {
  const old: ConfigMap = { metadata: { name: "a" }, data: { a: "b" }, immutable: true };
  const bare: ConfigMap = { metadata: { name: "a" }, immutable: true };
  it.each([
    { name: "may be written as it is", to: old, from: old, want: [] },
    { name: "keeps its values", to: { ...old, data: { a: "c" } }, from: old, want: ["data"] },
    { name: "stays immutable", to: { ...old, immutable: false }, from: old, want: ["immutable"] },
    { name: "has data, even when it was sent none", to: { ...bare, data: {} }, from: bare, want: [] },
    { name: "tells empty binaryData from none", to: { ...bare, binaryData: {} }, from: bare, want: ["binaryData"] },
  ])("$name", ({ to, from, want }) => {
    expect(fieldsOf(CONFIG_MAP_STRATEGY.validateUpdate!(to, from))).toEqual(want);
  });
});

describe("names that every object has by inheritance", () => {
  const inherited = { constructor: "1", toString: "2" };
  it("are keys of a ConfigMap as any other", () => {
    const both = { metadata: { name: "a" }, data: inherited, binaryData: { toString: "" } };
    expect(fieldsOf(CONFIG_MAP_STRATEGY.validate!({ metadata: { name: "a" }, data: inherited }))).toEqual([]);
    expect(fieldsOf(CONFIG_MAP_STRATEGY.validate!(both as ConfigMap))).toEqual(["data[toString]"]);
  });
  it("are types of a Secret as any other", () => {
    const secret: Secret = { metadata: { name: "a" }, type: "constructor", data: {} };
    expect(fieldsOf(SECRET_STRATEGY.validate!(secret))).toEqual([]);
  });
});

describe("an immutable Secret", () => {
  const old: Secret = { metadata: { name: "a" }, type: "Opaque", immutable: true };
  it.each<{ name: string; to: Secret; want: string[] }>([
    { name: "tells empty data from none", to: { ...old, data: {} }, want: ["data"] },
    { name: "is not changed by empty stringData", to: { ...old, stringData: {} }, want: [] },
    { name: "is changed by stringData", to: { ...old, stringData: { a: "b" } }, want: ["data"] },
  ])("$name", ({ to, want }) => {
    const secret = structuredClone(to);
    SECRET_STRATEGY.applyDefaults!(secret, 0);
    expect(fieldsOf(SECRET_STRATEGY.validateUpdate!(secret, old))).toEqual(want);
  });
});
