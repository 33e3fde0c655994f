/** The order of a list that was merged: what the patch named comes in its order, the rest around it. */
import { isJsonObject, type Json, type JsonObject, jsonEqual } from "../../../shared/api/json.ts";
import { goTypeOf, printGo } from "./go-print.ts";
import { keyOf } from "./merge-elements.ts";
import { StrategicMergeError } from "./strategic-merge-error.ts";

const PATCH = "$patch";

/** What the patch lists must come in the same relative order as in the directive. */
export function checkOrder(list: Json[], order: Json[], mergeKey: string | undefined): void {
  if (list.length === 0 || order.length === 0) return;
  const expected = list.filter((item) => !(isJsonObject(item) && PATCH in item));
  let at = 0;
  for (const wanted of order) {
    if (at < expected.length && sameElement(expected[at]!, wanted, mergeKey)) at++;
  }
  if (at < expected.length) {
    throw new StrategicMergeError(
      `The order in patch list:\n${printGo(list)}\n doesn't match $setElementOrder list:\n${printGo(order)}\n`,
    );
  }
}

/** Each element is looked up in the directive, which has to be of maps as far as that takes. */
export function checkNamed(list: JsonObject[], order: Json[], mergeKey: string): void {
  const keys = new Set<Json>();
  const upTo = order.findIndex((wanted) => !isJsonObject(wanted));
  if (upTo < 0) return;
  for (const wanted of order.slice(0, upTo)) keys.add((wanted as JsonObject)[mergeKey] ?? null);
  if (list.every((item) => keys.has(keyOf(item, mergeKey)))) return;
  throw new StrategicMergeError(`value for key ${upTo} is not a map`);
}

function sameElement(a: Json, b: Json, mergeKey: string | undefined): boolean {
  if (!mergeKey) return a === b;
  if (!isJsonObject(a))
    throw new StrategicMergeError(`expected a map[string]interface {}, but received a ${goTypeOf(a)}`);
  if (!isJsonObject(b))
    throw new StrategicMergeError(`expected a map[string]interface {}, but received a ${goTypeOf(b)}`);
  return jsonEqual(keyOf(a, mergeKey), keyOf(b, mergeKey));
}

/** Elements the patch named come in the patch's order; the others keep theirs around them. */
export function arrangeObjects(
  merged: JsonObject[],
  order: JsonObject[],
  old: JsonObject[],
  mergeKey: string,
): JsonObject[] {
  const keys = (items: JsonObject[]) => items.map((item) => keyOf(item, mergeKey));
  const orderKeys = keys(order);
  const oldKeys = keys(old);
  const isNamed = new Set(orderKeys);
  const [named, others] = partition(merged, (item) => isNamed.has(keyOf(item, mergeKey)));
  const key = (item: JsonObject) => keyOf(item, mergeKey);
  return interleave(sortByOrder(others, oldKeys, key), sortByOrder(named, orderKeys, key), oldKeys, key);
}

/**
 * Sorts by position in `order`. What is not in there counts as smaller than its left neighbour (upstream's comparison),
 * which an insertion sort turns into the order that clients see.
 */
function sortByOrder<T extends Json>(items: T[], order: Json[], key: (item: T) => Json = (item) => item): T[] {
  const positions = positionsIn(order);
  const placed = items.map((item) => ({ item, at: positions.get(key(item)) ?? -1 }));
  if (placed.every(({ at }) => at >= 0)) placed.sort((a, b) => a.at - b.at);
  else insertionSort(placed);
  return placed.map(({ item }) => item);
}

function insertionSort(placed: { at: number }[]): void {
  for (let i = 1; i < placed.length; i++) {
    for (let j = i; j > 0; j--) {
      const right = placed[j]!.at;
      const left = placed[j - 1]!.at;
      if (right >= 0 && left >= 0 && right >= left) break;
      [placed[j - 1], placed[j]] = [placed[j]!, placed[j - 1]!];
    }
  }
}

/** Where each value stands first; lists may be long. */
export function positionsIn(order: Json[]): Map<Json, number> {
  const positions = new Map<Json, number>();
  for (const [at, value] of order.entries()) if (!positions.has(value)) positions.set(value, at);
  return positions;
}

/** Weaves two sorted lists: an element of `others` goes first where the old list had it first, else the named one does. */
function interleave<T extends Json>(
  others: T[],
  named: T[],
  oldOrder: Json[],
  key: (item: T) => Json = (item) => item,
): T[] {
  const result: T[] = [];
  const positions = positionsIn(oldOrder);
  let i = 0;
  let j = 0;
  while (i < others.length && j < named.length) {
    const other = positions.get(key(others[i]!)) ?? -1;
    const mine = positions.get(key(named[j]!)) ?? -1;
    result.push(other >= 0 && mine >= 0 && other < mine ? others[i++]! : named[j++]!);
  }
  return [...result, ...others.slice(i), ...named.slice(j)];
}

function partition<T>(items: T[], test: (item: T) => boolean): [yes: T[], no: T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

/** As {@link arrangeObjects}, of scalars. */
export function arrangeScalars(merged: Json[], order: Json[], old: Json[]): Json[] {
  const [named, others] = partition(merged, (item) => order.includes(item));
  return interleave(sortByOrder(others, old), sortByOrder(named, order), old);
}
