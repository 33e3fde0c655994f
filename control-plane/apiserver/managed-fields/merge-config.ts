import { isJsonObject, type Json, type JsonObject, setOwn } from "../../../shared/api/json.ts";
import type { Schema } from "../../../shared/schema/model.ts";
import type { FieldSet } from "./field-set.ts";
import { type Resolve, type Shape, shapeOf } from "./path-element.ts";

/** Lays an applied object over the live one: what it names goes before what is there, keyed lists item by item. */
export function mergeConfig(
  live: Json | undefined,
  config: Json | undefined,
  schema: Schema | undefined,
  resolve: Resolve,
): Json | undefined {
  if (config === undefined) return live;
  if (live === undefined) return config;
  const shape = shapeOf(schema, resolve);
  if (shape.kind === "scalar" || (isEmpty(live) && isEmpty(config))) return config;
  if (shape.kind === "list") return mergeLists(asList(live), asList(config), shape, resolve);
  const old = isJsonObject(live) ? live : {};
  const named = isJsonObject(config) ? config : {};
  const result: JsonObject = { ...old };
  for (const [key, value] of Object.entries(named)) {
    const field = shape.kind === "struct" ? shape.field(key) : shape.values;
    const merged = mergeConfig(Object.hasOwn(old, key) ? old[key] : undefined, value, field, resolve);
    setOwn(result, key, merged ?? null);
  }
  return result;
}

/**
 * The applied items in their order; items that only the live list has stay where they were relative to the shared item
 * that follows them.
 */
function mergeLists(live: Json[], config: Json[], shape: Extract<Shape, { kind: "list" }>, resolve: Resolve): Json[] {
  const keyed = (items: Json[]) => items.map((item) => ({ item, key: shape.element(item) ?? JSON.stringify(item) }));
  const old = keyed(live);
  const named = keyed(config);
  const namedKeys = new Set(named.map(({ key }) => key));
  const counts = new Map<string, number>();
  for (const { key } of old) counts.set(key, (counts.get(key) ?? 0) + 1);
  // An item that the live list has twice is not merged: the applied one takes the place of both.
  const oldByKey = new Map(old.filter(({ key }) => counts.get(key) === 1).map(({ item, key }) => [key, item]));
  const result: Json[] = [];
  const done = new Set<string>();
  const shared = named.map(({ key }) => key).filter((key) => counts.has(key));
  let i = 0;
  let j = 0;
  const takeNamed = () => {
    const { item, key } = named[j++]!;
    done.add(key);
    if (shared[0] === key) shared.shift();
    result.push(mergeConfig(oldByKey.get(key), item, shape.items, resolve) as Json);
  };
  while (i < old.length || j < named.length) {
    const left = old[i];
    if (left === undefined) takeNamed();
    else if (!namedKeys.has(left.key)) {
      result.push(left.item);
      i++;
    } else if (done.has(left.key)) i++;
    else if (j < named.length && named[j]!.key === left.key) {
      i++;
      takeNamed();
    } else if (shared[0] !== undefined && shared[0] !== left.key)
      i++; // comes later, where the applied list has it
    else takeNamed();
  }
  return result;
}

/** The value without the members of `gone`; a container that held some of them stays, empty if need be. */
export function removeFields(value: Json, gone: FieldSet, schema: Schema | undefined, resolve: Resolve): Json {
  const shape = shapeOf(schema, resolve);
  if (shape.kind === "scalar") return value;
  if (shape.kind === "list") {
    if (!Array.isArray(value)) return value;
    return value.flatMap((item) => {
      const below = gone.children.get(shape.element(item) ?? "");
      if (!below) return [item];
      return below.member ? [] : [removeFields(item, below, shape.items, resolve)];
    });
  }
  if (!isJsonObject(value)) return value;
  const result: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const below = gone.children.get(`f:${key}`);
    if (below?.member) continue;
    const field = shape.kind === "struct" ? shape.field(key) : shape.values;
    setOwn(result, key, below ? removeFields(member, below, field, resolve) : member);
  }
  return result;
}

const asList = (value: Json): Json[] => (Array.isArray(value) ? value : []);

function isEmpty(value: Json): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
