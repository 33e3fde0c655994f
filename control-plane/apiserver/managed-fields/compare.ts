import { isJsonObject, type Json, type JsonObject, jsonEqual } from "../../../shared/api/json.ts";
import type { Schema } from "../../../shared/schema/model.ts";
import { emptySet, type FieldSet, insertPath } from "./field-set.ts";
import { type Resolve, type Shape, shapeOf } from "./path-element.ts";

/** Which fields differ between two states of an object. No path is in more than one of the sets. */
export interface Comparison {
  added: FieldSet;
  modified: FieldSet;
  removed: FieldSet;
}

/**
 * Compares two objects field by field. Null counts as present but empty, undefined as absent: a list that was there as
 * null is not itself "added" when it gets items.
 */
export function compareFields(
  before: Json | undefined,
  after: Json | undefined,
  schema: Schema | undefined,
  resolve: Resolve,
): Comparison {
  const comparison = { added: emptySet(), modified: emptySet(), removed: emptySet() };
  new Walk(comparison, resolve).compare(before, after, schema, []);
  return comparison;
}

class Walk {
  readonly #result: Comparison;
  readonly #resolve: Resolve;

  constructor(result: Comparison, resolve: Resolve) {
    this.#result = result;
    this.#resolve = resolve;
  }

  compare(before: Json | undefined, after: Json | undefined, schema: Schema | undefined, path: string[]): void {
    if (before === undefined && after === undefined) return;
    const shape = shapeOf(schema, this.#resolve);
    if (shape.kind === "scalar" || (isEmptyContainer(before) && isEmptyContainer(after))) {
      this.#leaf(before, after, path);
      return;
    }
    if (shape.kind === "list") this.#list(shape, before, after, path);
    else this.#members(shape, before, after, path);
    if (path.length === 0) return;
    if (before === undefined) insertPath(this.#result.added, path);
    else if (after === undefined) insertPath(this.#result.removed, path);
  }

  #leaf(before: Json | undefined, after: Json | undefined, path: string[]): void {
    if (before === undefined) insertPath(this.#result.added, path);
    else if (after === undefined) insertPath(this.#result.removed, path);
    else if (!jsonEqual(before, after)) insertPath(this.#result.modified, path);
  }

  #members(
    shape: Extract<Shape, { kind: "struct" | "map" }>,
    before: Json | undefined,
    after: Json | undefined,
    path: string[],
  ): void {
    const old = isJsonObject(before) ? before : NOTHING;
    const now = isJsonObject(after) ? after : NOTHING;
    for (const key of Object.keys(old)) this.#member(shape, key, old, now, path);
    for (const key of Object.keys(now)) if (!Object.hasOwn(old, key)) this.#member(shape, key, old, now, path);
  }

  #member(
    shape: Extract<Shape, { kind: "struct" | "map" }>,
    key: string,
    old: JsonObject,
    now: JsonObject,
    path: string[],
  ): void {
    const schema = shape.kind === "struct" ? shape.field(key) : shape.values;
    path.push(`f:${key}`);
    this.compare(own(old, key), own(now, key), schema, path);
    path.pop();
  }

  #list(
    { items, element }: Extract<Shape, { kind: "list" }>,
    before: Json | undefined,
    after: Json | undefined,
    path: string[],
  ): void {
    const old = byElement(before, element);
    const now = byElement(after, element);
    for (const key of new Set([...old.keys(), ...now.keys()])) {
      path.push(key);
      this.#items(old.get(key) ?? [], now.get(key) ?? [], items, path);
      path.pop();
    }
  }

  /** Items that share a key (upstream tolerates old objects that have them) are owned together, as one leaf. */
  #items(old: Json[], now: Json[], schema: Schema | undefined, path: string[]): void {
    if (old.length <= 1 && now.length <= 1) {
      this.compare(old[0], now[0], schema, path);
    } else if (old.length >= 2 && now.length >= 2) {
      if (!jsonEqual(old, now)) insertPath(this.#result.modified, path);
    } else if (old.length >= 2) {
      this.compare(undefined, now[0], schema, path);
      insertPath(this.#result.removed, path);
    } else {
      this.compare(old[0], undefined, schema, path);
      insertPath(this.#result.added, path);
    }
  }
}

const NOTHING: JsonObject = {};

const own = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

function byElement(list: Json | undefined, element: (item: Json) => string | undefined): Map<string, Json[]> {
  const result = new Map<string, Json[]>();
  if (!Array.isArray(list)) return result;
  for (const item of list) {
    const key = element(item);
    if (key === undefined) continue; // an item without any key cannot be owned
    const same = result.get(key);
    if (same) same.push(item);
    else result.set(key, [item]);
  }
  return result;
}

/** Absent, null, {} and [] are alike here. */
function isEmptyContainer(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
