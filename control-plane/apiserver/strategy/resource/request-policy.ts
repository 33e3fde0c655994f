import { duplicate, fieldForbidden, invalidValue, required, tooMany } from "../../../../shared/api/field-error.ts";
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  printQuantity,
  type Quantity,
  ZERO_QUANTITY,
} from "../../../../shared/api/quantity.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";

/** How much of a shared capacity a request may take (KEP-5075). */
interface RequestPolicy {
  default?: string | null;
  validValues?: string[] | null;
  validRange?: { min?: string | null; max?: string | null; step?: string | null };
}

export interface Capacity {
  value?: string;
  requestPolicy?: RequestPolicy;
}

const MAX_VALUES = 10;
const NANO = 1_000_000_000n;

const read = (text: string | undefined): Quantity => (text === undefined ? ZERO_QUANTITY : parseQuantity(text));
const readOptional = (text: string | null | undefined): Quantity | undefined =>
  text === undefined || text === null ? undefined : parseQuantity(text);
const isMore = (a: Quantity, b: Quantity) => compareQuantities(a, b) > 0;

/** Whole units, fractions rounded up; beyond 64 bits upstream's numbers wrap. */
function unitsOf({ nanos }: Quantity): bigint {
  const units = nanos >= 0n ? (nanos + NANO - 1n) / NANO : -((-nanos + NANO - 1n) / NANO);
  return BigInt.asIntN(64, units);
}

/** A policy is for devices that many requests share. */
export function checkCapacity({ value, requestPolicy }: Capacity, path: string, isShared: boolean): StatusCause[] {
  if (!requestPolicy) return [];
  const field = `${path}.requestPolicy`;
  if (!isShared) return [fieldForbidden(field, "allowMultipleAllocations must be true")];
  const { validRange } = requestPolicy;
  const validValues = requestPolicy.validValues ?? [];
  if (validValues.length > 0 && validRange) {
    const why = 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    return [fieldForbidden(field, why)];
  }
  const kind = validValues.length > 0 ? "validValues" : validRange ? "validRange" : undefined;
  if (!kind) return [];
  const usual = readOptional(requestPolicy.default);
  if (!usual) return [required(`${field}.default`, `required when ${kind} is defined`)];
  const limit = read(value);
  return validRange
    ? checkRange(validRange, `${field}.validRange`, { usual, limit })
    : checkValues(validValues.map(read), `${field}.validValues`, { usual, limit });
}

interface Bounds {
  /** What a request takes that does not say. */
  usual: Quantity;
  /** The whole capacity. */
  limit: Quantity;
}

function checkValues(values: Quantity[], field: string, { usual, limit }: Bounds): StatusCause[] {
  const causes: StatusCause[] = [];
  for (const [i, value] of values.entries()) {
    const before = values[i - 1];
    if (before && isMore(before, value)) {
      causes.push(invalidValue(`${field}[${i}]`, printQuantity(value), "values must be sorted in ascending order"));
    }
  }
  const isTooLong = values.length > MAX_VALUES;
  if (isTooLong) causes.push(tooMany(field, values.length, MAX_VALUES));
  else causes.push(...checkOptions(values, field, limit));
  // A list that is too long is not looked into, so that nothing is found there.
  if (isTooLong || !values.some((value) => compareQuantities(value, usual) === 0)) {
    const why = "default value is not valid according to the requestPolicy";
    causes.push(invalidValue(field, printQuantity(usual), why));
  }
  return causes;
}

function checkOptions(values: Quantity[], field: string, limit: Quantity): StatusCause[] {
  const units = values.map((value) => String(unitsOf(value)));
  const tooLarge = `option is larger than capacity value: ${printQuantity(limit)}`;
  return [
    ...values.flatMap((value, i) =>
      isMore(value, limit) ? [invalidValue(`${field}[${i}]`, printQuantity(value), tooLarge)] : [],
    ),
    ...units.flatMap((unit, i) => (units.indexOf(unit) < i ? [duplicate(`${field}[${i}]`, unit)] : [])),
  ];
}

function checkRange(
  range: NonNullable<RequestPolicy["validRange"]>,
  path: string,
  { usual, limit }: Bounds,
): StatusCause[] {
  const [min, max, step] = [readOptional(range.min), readOptional(range.max), readOptional(range.step)];
  if (!min) return [required(`${path}.min`, "required when validRange is defined")];
  const causes: StatusCause[] = [];
  const refuse = (name: string, value: Quantity, why: string, than: Quantity) =>
    causes.push(invalidValue(`${path}.${name}`, printQuantity(value), `${why}: ${printQuantity(than)}`));
  if (isMore(min, limit)) refuse("min", min, "min is larger than capacity value", limit);
  if (isMore(min, usual)) refuse("min", usual, "default is less than min", min);
  if (max) {
    if (isMore(min, max)) refuse("max", min, "min is larger than max", max);
    if (isMore(max, limit)) refuse("max", max, "max is larger than capacity value", limit);
    if (isMore(usual, max)) refuse("max", usual, "default is more than max", max);
  }
  if (!step) return causes;
  const next = addQuantities(min, step);
  if (isMore(next, limit)) {
    const why = `one step ${printQuantity(next)} is larger than capacity value: ${printQuantity(limit)}`;
    causes.push(invalidValue(`${path}.step`, printQuantity(step), why));
  }
  const stepUnits = unitsOf(step);
  for (const value of [usual, ...(max ? [max] : [])]) {
    // Steps of nothing: upstream crashes there.
    if (stepUnits !== 0n && BigInt.asIntN(64, unitsOf(value) - unitsOf(min)) % stepUnits === 0n) continue;
    const why = `value is not a multiple of a given step (${printQuantity(step)}) from (${printQuantity(min)})`;
    causes.push(invalidValue(`${path}.step`, printQuantity(value), why));
  }
  return causes;
}
