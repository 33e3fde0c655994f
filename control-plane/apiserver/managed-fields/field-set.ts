import { isJsonObject, type Json, type JsonObject } from "../../../shared/api/json.ts";

/**
 * A set of field paths as a tree. Children are keyed by path elements in their FieldsV1 spelling: `f:<field>`,
 * `k:{"name":"web"}` for an item of a keyed list, `v:"x"` for an item of a set, `i:0` for an index.
 * @see meta/v1 FieldsV1; KEP-555
 */
export interface FieldSet {
  /** The path that leads here is in the set itself (`.` in FieldsV1). */
  member: boolean;
  children: Map<string, FieldSet>;
}

export const emptySet = (): FieldSet => ({ member: false, children: new Map() });

export function isEmptySet(set: FieldSet): boolean {
  return !set.member && set.children.size === 0;
}

/** Puts a path in. */
export function insertPath(set: FieldSet, path: readonly string[]): void {
  let at = set;
  for (const element of path) {
    let child = at.children.get(element);
    if (!child) {
      child = emptySet();
      at.children.set(element, child);
    }
    at = child;
  }
  at.member = true;
}

export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let at: FieldSet | undefined = set;
  for (const element of path) {
    at = at.children.get(element);
    if (!at) return false;
  }
  return at.member;
}

/** A new set; shares no part with the arguments. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  const children = new Map<string, FieldSet>();
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    children.set(element, union(child, other ?? emptySet()));
  }
  for (const [element, child] of b.children) {
    if (!a.children.has(element)) children.set(element, union(child, emptySet()));
  }
  return { member: a.member || b.member, children };
}

/** What is in `a` but not in `b`, path by path. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA && !inB);
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA && inB);
}

/** As `difference`, but a member of `b` takes all below it out too. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  const children = new Map<string, FieldSet>();
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    if (other?.member) continue;
    const left = other ? recursiveDifference(child, other) : child;
    if (!isEmptySet(left)) children.set(element, left);
  }
  return { member: a.member && !b.member, children };
}

function combine(a: FieldSet, b: FieldSet, keep: (inA: boolean, inB: boolean) => boolean): FieldSet {
  const none = emptySet();
  const children = new Map<string, FieldSet>();
  for (const [element, child] of a.children) {
    const combined = combine(child, b.children.get(element) ?? none, keep);
    if (!isEmptySet(combined)) children.set(element, combined);
  }
  return { member: keep(a.member, b.member), children };
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a.member !== b.member || a.children.size !== b.children.size) return false;
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    if (!other || !equalSets(child, other)) return false;
  }
  return true;
}

/** Every path of the set in upstream's order: at each level first what is in the set itself, then what lies deeper. */
export function* pathsOf(set: FieldSet, prefix: readonly string[] = []): Iterable<readonly string[]> {
  const elements = [...set.children.keys()].sort(compareElements);
  for (const element of elements) if (set.children.get(element)!.member) yield [...prefix, element];
  for (const element of elements) yield* pathsOf(set.children.get(element)!, [...prefix, element]);
}

/** The FieldsV1 form; members come sorted, so that equal sets give equal texts. */
export function renderFieldsV1(set: FieldSet): JsonObject {
  const rendered: JsonObject = {};
  if (set.member && set.children.size > 0) rendered["."] = {};
  for (const element of [...set.children.keys()].sort(compareElements)) {
    rendered[element] = renderFieldsV1(set.children.get(element)!);
  }
  return rendered;
}

function compareElements(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Deeper than any object of the API; guards against a hostile body. */
const MAX_DEPTH = 64;

/** @throws Error for what is no FieldsV1: wrong prefixes, values that are no objects, absurd depth */
export function parseFieldsV1(fields: Json, depth = 0): FieldSet {
  if (!isJsonObject(fields) || depth > MAX_DEPTH) throw new Error("not a FieldsV1 object");
  const set = emptySet();
  for (const [element, child] of Object.entries(fields)) {
    if (element === ".") {
      set.member = true;
      continue;
    }
    if (!/^[fkvi]:/.test(element)) throw new Error(`missing colon in path element ${JSON.stringify(element)}`);
    const parsed = parseFieldsV1(child, depth + 1);
    if (parsed.children.size === 0) parsed.member = true;
    set.children.set(element, parsed);
  }
  return set;
}
