import { isJsonObject, type Json } from "../../../shared/api/json.ts";
import type { NumberReviver } from "../../../shared/api/json-numbers.ts";

/**
 * A JSON patch's operations. Upstream's library compares texts, so that in a `test` 80.0 is another number than 80: one
 * that is spelled as no server would becomes NaN there, which equals nothing.
 * @throws SyntaxError for what is no JSON
 */
export function parseJsonPatchText(text: string): Json {
  const value = JSON.parse(text) as Json;
  if (!/\d[.eE]/.test(text) || !Array.isArray(value)) return value;
  const exact = JSON.parse(text, onlyPlainNumbers as (key: string, value: unknown) => unknown) as Json[];
  return value.map((operation, index) => {
    const spelled = exact[index];
    const isTest = isJsonObject(operation) && operation.op === "test" && isJsonObject(spelled);
    return isTest ? { ...operation, value: spelled.value ?? null } : operation;
  });
}

const onlyPlainNumbers: NumberReviver = (_key, value, { source }) =>
  typeof value === "number" && source !== JSON.stringify(value) ? Number.NaN : value;
