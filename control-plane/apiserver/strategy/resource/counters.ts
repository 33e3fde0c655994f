import { duplicate, invalidEach, required, tooMany } from "../../../../shared/api/field-error.ts";
import { checkDns1123Label } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import { checkBounded } from "./device-selectors.ts";

/*
 * What devices share without being one (KEP-4815): a slice's sets of counters, and how much a device takes of them.
 */

const MAX_SETS = 8;
const MAX_CONSUMPTIONS = 2;
const MAX_COUNTERS = 32;

type Counters = Record<string, unknown> | undefined;

interface CounterSet {
  name?: string;
  counters?: Counters;
}

interface Consumption {
  counterSet?: string;
  counters?: Counters;
}

const checkName = (name: string, field: string): StatusCause[] =>
  name === "" ? [required(field)] : invalidEach(field, name, checkDns1123Label(name));

function checkCounters(counters: Counters, field: string): StatusCause[] {
  const names = Object.keys(counters ?? {});
  if (names.length === 0) return [required(field)];
  if (names.length > MAX_COUNTERS) return [tooMany(field, names.length, MAX_COUNTERS)];
  return names.flatMap((name) => invalidEach(field, name, checkDns1123Label(name)));
}

const checkUnique = (names: string[], field: string): StatusCause[] =>
  names.flatMap((name, i) => (names.indexOf(name) < i ? [duplicate(`${field}[${i}]`, name)] : []));

export function checkCounterSets(sets: CounterSet[], field: string): StatusCause[] {
  const causes = checkBounded(sets, field, MAX_SETS, ({ name = "", counters }, path) => [
    ...checkName(name, `${path}.name`),
    ...checkCounters(counters, `${path}.counters`),
  ]);
  const names = sets.map(({ name = "" }) => name);
  return sets.length > MAX_SETS ? causes : [...causes, ...checkUnique(names, field)];
}

export function checkConsumptions(consumptions: Consumption[], field: string): StatusCause[] {
  const causes = checkBounded(consumptions, field, MAX_CONSUMPTIONS, ({ counterSet = "", counters }, path) => [
    ...checkName(counterSet, `${path}.counterSet`),
    ...checkCounters(counters, `${path}.counters`),
  ]);
  const names = consumptions.map(({ counterSet = "" }) => counterSet);
  return consumptions.length > MAX_CONSUMPTIONS ? causes : [...causes, ...checkUnique(names, field)];
}
