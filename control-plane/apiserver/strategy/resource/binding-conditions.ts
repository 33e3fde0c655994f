import { duplicate, invalidEach, invalidValue } from "../../../../shared/api/field-error.ts";
import { checkQualifiedName } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import { checkBounded } from "./device-selectors.ts";

const MAX_CONDITIONS = 4;

interface Bindings {
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
}

const checkTypes = (types: string[], field: string): StatusCause[] =>
  checkBounded(types, field, MAX_CONDITIONS, (type, at) => invalidEach(at, type, checkQualifiedName(type)));

const checkRepeated = (types: string[], i: number, field: string): StatusCause[] =>
  types.indexOf(types[i] ?? "") < i ? [duplicate(`${field}[${i}]`, types[i])] : [];

/** What a device must be, and must not become, before pods are bound to it (KEP-5007): both or neither, each once. */
export function checkBindingConditions(bindings: Bindings, path: string): StatusCause[] {
  const { bindingConditions: good = [], bindingFailureConditions: bad = [] } = bindings;
  const [goodField, badField] = [`${path}.bindingConditions`, `${path}.bindingFailureConditions`];
  const causes = [...checkTypes(good, goodField), ...checkTypes(bad, badField)];
  causes.push(...good.flatMap((_, i) => checkRepeated(good, i, goodField)));
  for (const [i, type] of bad.entries()) {
    causes.push(...checkRepeated(bad, i, badField));
    if (good.includes(type)) {
      const why = "bindingFailureConditions must not overlap with bindingConditions";
      causes.push(invalidValue(`${badField}[${i}]`, type, why));
    }
  }
  if (good.length === 0 && bad.length > 0) {
    const why = "bindingConditions are required to use bindingFailureConditions";
    causes.push(invalidValue(goodField, bindings.bindingConditions ?? null, why));
  }
  if (bad.length === 0 && good.length > 0) {
    const why = "bindingFailureConditions are required to use bindingConditions";
    causes.push(invalidValue(badField, bindings.bindingFailureConditions ?? null, why));
  }
  return causes;
}
