import { compareQuantities } from "../../api/quantity.ts";
import { compareSemvers, parseSemver } from "../semver.ts";
import { CelError, CelQuantity, CelSemver, type CelValue } from "../values.ts";
import { type CelFunction, canParse, type FunctionTable, ofText } from "./function.ts";
import { intOf, MAX_INT } from "./integers.ts";

/** @throws CelError if it is none */
export function semverOf(text: string): CelSemver {
  const version = parseSemver(text);
  if (!version) throw new CelError(`invalid semantic version: ${JSON.stringify(text)}`);
  return new CelSemver(version);
}

const comparison = (a: CelValue | undefined, b: CelValue | undefined): number | undefined => {
  if (a instanceof CelQuantity && b instanceof CelQuantity) return compareQuantities(a.quantity, b.quantity);
  return a instanceof CelSemver && b instanceof CelSemver ? compareSemvers(a.version, b.version) : undefined;
};

const judged =
  (judge: (order: number) => CelValue): CelFunction =>
  ([a, b]) => {
    const order = comparison(a, b);
    return order === undefined ? undefined : judge(order);
  };

const ofQuantity =
  (method: (quantity: CelQuantity) => CelValue): CelFunction =>
  ([quantity]) =>
    quantity instanceof CelQuantity ? method(quantity) : undefined;

const isWhole = ({ quantity }: CelQuantity) =>
  quantity.nanos % 1_000_000_000n === 0n && quantity.nanos / 1_000_000_000n <= MAX_INT;

const partOf =
  (index: 0 | 1 | 2): CelFunction =>
  ([value]) =>
    value instanceof CelSemver ? intOf(value.version.numbers[index]) : undefined;

function addTo(sign: 1n | -1n): CelFunction {
  return ([quantity, other]) => {
    if (!(quantity instanceof CelQuantity)) return undefined;
    const nanos =
      other instanceof CelQuantity
        ? other.quantity.nanos
        : typeof other === "bigint"
          ? other * 1_000_000_000n
          : undefined;
    if (nanos === undefined) return undefined;
    return quantity.plus(new CelQuantity({ ...quantity.quantity, nanos: sign * nanos }));
  };
}

export const QUANTITY_FUNCTIONS: FunctionTable = {
  quantity: ofText((text) => CelQuantity.parse(text)),
  isQuantity: canParse((text) => CelQuantity.parse(text)),
  semver: ofText(semverOf),
  isSemver: canParse(semverOf),
};

/** Of quantities and of semantic versions, which are compared by the same names. */
export const QUANTITY_METHODS: FunctionTable = {
  compareTo: judged((order) => BigInt(Math.sign(order))),
  isLessThan: judged((order) => order < 0),
  isGreaterThan: judged((order) => order > 0),
  add: addTo(1n),
  sub: addTo(-1n),
  sign: ofQuantity(({ quantity: { nanos } }) => (nanos > 0n ? 1n : nanos < 0n ? -1n : 0n)),
  isInteger: ofQuantity(isWhole),
  asInteger: ofQuantity((value) => {
    if (!isWhole(value)) throw new CelError("cannot convert value to integer");
    return value.quantity.nanos / 1_000_000_000n;
  }),
  asApproximateFloat: ofQuantity(({ quantity }) => Number(quantity.nanos) / 1e9),
  major: partOf(0),
  minor: partOf(1),
  patch: partOf(2),
};
