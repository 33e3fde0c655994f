import type { ResourceAmounts } from "../../shared/api/pod-requests.ts";
import {
  addQuantities,
  compareQuantities,
  printQuantity,
  subtractQuantities,
  ZERO_QUANTITY,
} from "../../shared/api/quantity.ts";

/** The sum, of every resource that either names. */
export function addAmounts(a: ResourceAmounts, b: ResourceAmounts): ResourceAmounts {
  const sum: ResourceAmounts = new Map(a);
  for (const [name, amount] of b) sum.set(name, addQuantities(a.get(name) ?? ZERO_QUANTITY, amount));
  return sum;
}

/** What `a` is more than `b`; nothing is less than zero. */
export function excess(a: ResourceAmounts, b: ResourceAmounts): ResourceAmounts {
  const more: ResourceAmounts = new Map();
  for (const [name, amount] of a) {
    const rest = subtractQuantities(amount, b.get(name) ?? ZERO_QUANTITY);
    if (compareQuantities(rest, ZERO_QUANTITY) > 0) more.set(name, rest);
  }
  return more;
}

export const nonZero = (amounts: ResourceAmounts): ResourceAmounts =>
  new Map([...amounts].filter(([, amount]) => compareQuantities(amount, ZERO_QUANTITY) !== 0));

/** The resources that are in `names` as well. */
export function mask(amounts: ResourceAmounts, names: Iterable<string>): ResourceAmounts {
  const wanted = new Set(names);
  return new Map([...amounts].filter(([name]) => wanted.has(name)));
}

/** Names of what `used` has more of than `hard` allows. */
export const exceeded = (used: ResourceAmounts, hard: ResourceAmounts): string[] =>
  [...used].flatMap(([name, amount]) => {
    const limit = hard.get(name);
    return limit && compareQuantities(amount, limit) > 0 ? [name] : [];
  });

export const isSameAmounts = (a: ResourceAmounts, b: ResourceAmounts): boolean =>
  a.size === b.size &&
  [...a].every(([name, amount]) => {
    const other = b.get(name);
    return other !== undefined && compareQuantities(amount, other) === 0;
  });

/** `pods=1,requests.cpu=100m`, by name. */
export const printList = (amounts: ResourceAmounts): string =>
  [...amounts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, amount]) => `${name}=${printQuantity(amount)}`)
    .join(",");
