import { CelError, type CelValue, compareValues, numberOf, type Spend } from "../values.ts";
import type { CelFunction, FunctionTable } from "./function.ts";
import { intOf } from "./integers.ts";

function ordered(list: CelValue | undefined, spend: Spend): CelValue[] | undefined {
  if (!Array.isArray(list)) return undefined;
  spend(list.length);
  return list;
}

/** The least (-1) or greatest (1) of a list. */
const extreme =
  (sign: -1 | 1): CelFunction =>
  ([given], spend) => {
    const list = ordered(given, spend);
    if (!list) return undefined;
    if (list.length === 0) throw new CelError(`${sign < 0 ? "min" : "max"} called on empty list`);
    return list.reduce((best, item) => (Math.sign(compareValues(item, best, spend) ?? 0) === sign ? item : best));
  };

function isSorted([given]: CelValue[], spend: Spend): CelValue | undefined {
  const list = ordered(given, spend);
  return list?.every((item, i) => i === 0 || (compareValues(list[i - 1]!, item, spend) ?? 0) <= 0);
}

function sum([given]: CelValue[], spend: Spend): CelValue | undefined {
  const list = ordered(given, spend);
  if (!list) return undefined;
  const numbers = list.map(numberOf);
  if (numbers.every((n) => typeof n === "bigint")) return intOf(numbers.reduce((total, n) => total + n, 0n));
  return numbers.every((n) => typeof n === "number") ? numbers.reduce((total, n) => total + n, 0) : undefined;
}

export const LIST_METHODS: FunctionTable = {
  isSorted,
  sum,
  min: extreme(-1),
  max: extreme(1),
};
