import { isJsonObject, type Json, type JsonObject, setOwn } from "../../../shared/api/json.ts";
import type { Schema } from "../../../shared/schema/model.ts";
import { arrangeObjects, arrangeScalars, checkNamed, checkOrder, positionsIn } from "./element-order.ts";
import { goTypeOf, printGo } from "./go-print.ts";
import { asObjects, keyOf } from "./merge-elements.ts";
import { StrategicMergeError } from "./strategic-merge-error.ts";

/**
 * Strategic merge patch: lists merge by the key that the schema names, and directives in the patch say the rest.
 * @see the API conventions, "Strategic Merge Patch"; every message is upstream's, faults in its grammar included.
 */

const PATCH = "$patch";
const RETAIN_KEYS = "$retainKeys";
const DELETE_FROM = "$deleteFromPrimitiveList/";
const ORDER = "$setElementOrder/";

export interface MergeSchema {
  /** The schema behind a `$ref`. */
  resolve(schema: Schema): Schema;
}

/** Merges into a copy; neither argument is changed. `schema` undefined: maps merge, lists are replaced. */
export function strategicMerge(
  current: JsonObject,
  patch: JsonObject,
  schema: Schema | undefined,
  lookup: MergeSchema,
): JsonObject {
  return mergeObject(structuredClone(current), structuredClone(patch), schema, lookup);
}

/** From here on, `current` and `patch` are ours to change. */
function mergeObject(
  current: JsonObject,
  patch: JsonObject,
  schema: Schema | undefined,
  lookup: MergeSchema,
): JsonObject {
  if (PATCH in patch) return replaceOrDelete(patch);
  retainKeys(current, patch);
  for (const key of Object.keys(patch)) {
    if (key.startsWith(ORDER)) mergeOrderedList(current, patch, key, schema, lookup);
  }
  for (const [patchKey, value] of Object.entries(patch)) {
    if (patchKey.startsWith(ORDER)) continue;
    const deletes = patchKey.startsWith(DELETE_FROM);
    const key = deletes ? patchKey.slice(DELETE_FROM.length) : patchKey;
    mergeField(current, { key, value, deletes }, schema, lookup);
  }
  return current;
}

function replaceOrDelete(patch: JsonObject): JsonObject {
  const directive = patch[PATCH]!;
  if (directive === "replace") {
    delete patch[PATCH];
    return patch;
  }
  if (directive === "delete") return {};
  throw badDirective(directive, patch);
}

function badDirective(directive: Json, map: JsonObject): StrategicMergeError {
  const printed = typeof directive === "string" ? directive : `%!s(${goTypeOf(directive)}=${printGo(directive)})`;
  return new StrategicMergeError(`unknown patch type: ${printed} in map: ${printGo(map)}`);
}

/** `$retainKeys`: what it does not name goes from the current object (unions such as a Deployment's strategy). */
function retainKeys(current: JsonObject, patch: JsonObject): void {
  const retained = patch[RETAIN_KEYS];
  if (retained === undefined) return;
  delete patch[RETAIN_KEYS];
  const malformed = () => new StrategicMergeError("invalid patch format of retainKeys", true);
  if (!Array.isArray(retained)) throw malformed();
  const keys = new Set(retained);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || key.startsWith(DELETE_FROM) || key.startsWith(ORDER)) continue;
    if (!keys.has(key)) throw malformed();
  }
  for (const key of Object.keys(current)) if (!keys.has(key)) delete current[key];
}

function mergeField(
  current: JsonObject,
  { key, value, deletes }: { key: string; value: Json; deletes: boolean },
  schema: Schema | undefined,
  lookup: MergeSchema,
): void {
  if (value === null) {
    delete current[key];
    return;
  }
  const old = Object.hasOwn(current, key) ? current[key]! : undefined;
  if (old === undefined || goTypeOf(old) !== goTypeOf(value)) {
    if (deletes) return;
    const kept = withoutDirectives(withoutNulls(value));
    if (kept === undefined) delete current[key];
    else setOwn(current, key, kept);
  } else if (isJsonObject(old) && isJsonObject(value)) {
    const field = fieldOf(schema, key, lookup);
    setOwn(current, key, strategyOf(field) === "replace" ? value : mergeObject(old, value, field, lookup));
  } else if (Array.isArray(old) && Array.isArray(value)) {
    setOwn(current, key, mergeList(old, value, { schema: fieldOf(schema, key, lookup), deletes, lookup }));
  } else {
    setOwn(current, key, value);
  }
}

interface ListContext {
  schema: Schema | undefined;
  deletes: boolean;
  lookup: MergeSchema;
}

function mergeList(current: Json[], patch: Json[], { schema, deletes, lookup }: ListContext): Json[] {
  if (!deletes && strategyOf(schema) !== "merge") return patch;
  if (current.length === 0 && patch.length === 0) return current;
  if (elementKind([current, patch]) === "scalar") {
    if (deletes) return current.filter((item) => !patch.includes(item));
    return arrangeScalars([...new Set([...current, ...patch])], patch, current);
  }
  const mergeKey = schema?.patchMergeKey;
  if (!mergeKey) throw new StrategicMergeError("cannot merge lists without merge key for ");
  const directed = applyElementDirectives(asObjects(current), asObjects(patch), mergeKey);
  const merged = mergeElements(directed.current, directed.patch, mergeKey, schema, lookup);
  return arrangeObjects(merged, directed.patch, directed.current, mergeKey);
}

/** Handles elements with a `$patch` of their own: delete takes out by key, replace gives up all that was there. */
function applyElementDirectives(
  current: JsonObject[],
  patch: JsonObject[],
  mergeKey: string,
): { current: JsonObject[]; patch: JsonObject[] } {
  const plain: JsonObject[] = [];
  let replaces = false;
  let left = current;
  for (const element of patch) {
    const directive = element[PATCH];
    if (directive === undefined) plain.push(element);
    else if (directive === "delete") {
      const key = keyOf(element, mergeKey);
      left = left.filter((item) => item[mergeKey] !== key);
    } else if (directive === "replace") replaces = true;
    else if (directive === "merge") throw new StrategicMergeError("merging lists cannot yet be specified in the patch");
    else throw badDirective(directive, element);
  }
  return replaces ? { current: plain, patch: [] } : { current: left, patch: plain };
}

function mergeElements(
  current: JsonObject[],
  patch: JsonObject[],
  mergeKey: string,
  schema: Schema,
  lookup: MergeSchema,
): JsonObject[] {
  const merged = [...current];
  const positions = positionsIn(current.map((item) => item[mergeKey] ?? null));
  const itemSchema = lookup.resolve(schema).items;
  for (const element of patch) {
    const key = keyOf(element, mergeKey);
    const at = positions.get(key);
    if (at !== undefined) merged[at] = mergeObject(merged[at]!, structuredClone(element), itemSchema, lookup);
    else {
      positions.set(key, merged.length);
      merged.push(structuredClone(element));
    }
  }
  return merged;
}

/** `$setElementOrder/<list>`: merges that list, then puts it in the order given. */
function mergeOrderedList(
  current: JsonObject,
  patch: JsonObject,
  directiveKey: string,
  schema: Schema | undefined,
  lookup: MergeSchema,
): void {
  const order = patch[directiveKey]!;
  const key = directiveKey.slice(ORDER.length);
  if (!Array.isArray(order)) throw notAList(order);
  const oldList = current[key];
  const newList = patch[key];
  if (oldList !== undefined && !Array.isArray(oldList)) throw notAList(oldList);
  if (newList !== undefined && !Array.isArray(newList)) throw notAList(newList);
  const field = fieldOf(schema, key, lookup);
  const mergeKey = field?.patchMergeKey;
  checkOrder(newList ?? [], order, mergeKey);
  let merged: Json[];
  if (oldList && newList) merged = mergeList(oldList, newList, { schema: field, deletes: false, lookup });
  else if (newList) merged = withoutDirectives(withoutNulls(newList)) as Json[];
  else if (oldList) merged = oldList;
  else return;
  delete patch[key];
  if (mergeKey) {
    checkNamed(asObjects(merged), order, mergeKey);
    current[key] = arrangeObjects(asObjects(merged), asObjects(order), asObjects(oldList ?? []), mergeKey);
  } else current[key] = arrangeScalars(merged, order, oldList ?? []);
}

const notAList = (value: Json) =>
  new StrategicMergeError(`expected a []interface {}, but received a ${goTypeOf(value)}`);

/** All elements must be alike: all maps, or scalars of one type. */
function elementKind(lists: Json[][]): "map" | "scalar" {
  const types = new Set(lists.flat().map(goTypeOf));
  if (types.has("[]interface {}")) throw new StrategicMergeError("lists of lists are not supported");
  if (types.size > 1) throw new StrategicMergeError(`list element types are not identical: ${printGo(lists)}`);
  return types.has("map[string]interface {}") ? "map" : "scalar";
}

/** What is new to the object comes in without the patch's nulls. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const result: JsonObject = {};
  for (const [key, member] of Object.entries(value)) if (member !== null) setOwn(result, key, withoutNulls(member));
  return result;
}

/** A map that carries a `$patch` has nothing to act on and vanishes; undefined says so. */
function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  if (PATCH in value) return undefined;
  const result: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const kept = withoutDirectives(member);
    if (kept !== undefined) setOwn(result, key, kept);
  }
  return result;
}

/**
 * The schema of a member as its struct has it: how it merges stands there, not on the type that it points to.
 * @throws StrategicMergeError for what is no struct, or has no such member: nothing tells how it would merge
 */
function fieldOf(schema: Schema | undefined, key: string, lookup: MergeSchema): Schema | undefined {
  if (!schema) return undefined;
  const { properties, additionalProperties } = lookup.resolve(schema);
  if (additionalProperties) {
    throw new StrategicMergeError("merging an object in json but data type is not struct, instead is: map");
  }
  const field = properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (field) return field;
  const struct = schema.$ref?.split(".").at(-1) ?? "";
  throw new StrategicMergeError(
    `unable to find api field in struct ${struct} for the json field ${JSON.stringify(key)}`,
  );
}

function strategyOf(schema: Schema | undefined): string | undefined {
  return schema?.patchStrategy?.split(",").find((part) => part !== "retainKeys");
}
