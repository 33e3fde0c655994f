import { isJsonObject, type Json, type JsonObject } from "../../../shared/api/json.ts";
import { goTypeOf, printGo } from "./go-print.ts";
import { StrategicMergeError } from "./strategic-merge-error.ts";

/** By what an element of a list is found. */
export function keyOf(element: JsonObject, mergeKey: string): Json {
  const key = element[mergeKey];
  if (key === undefined) {
    throw new StrategicMergeError(`map: ${printGo(element)} does not contain declared merge key: ${mergeKey}`);
  }
  return key;
}

export function asObjects(list: Json[]): JsonObject[] {
  return list.map((item) => {
    if (!isJsonObject(item)) {
      throw new StrategicMergeError(`expected a map[string]interface {}, but received a ${goTypeOf(item)}`);
    }
    return item;
  });
}
