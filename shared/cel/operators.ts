import { intOf, uintOf } from "./functions/integers.ts";
import { areEqual, CelError, CelUint, type CelValue, compareValues, keyOf, type Spend, typeName } from "./values.ts";

const ORDERS: Record<string, (order: number) => boolean> = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

/** What an operator of two values gives. @throws CelError where it does not go with them */
export function applyOperator(operator: string, left: CelValue, right: CelValue, spend: Spend): CelValue {
  spend(1 + (lengthOf(left) + lengthOf(right)) / 10);
  if (operator === "==") return areEqual(left, right, spend);
  if (operator === "!=") return !areEqual(left, right, spend);
  if (operator === "in") return isIn(left, right, spend);
  const order = ORDERS[operator];
  const result = order ? compare(order, left, right, spend) : calculate(operator, left, right);
  if (result === undefined) {
    throw new CelError(`no such overload: ${typeName(left)} ${operator} ${typeName(right)}`);
  }
  return result;
}

const lengthOf = (value: CelValue): number =>
  typeof value === "string" || Array.isArray(value) || value instanceof Uint8Array
    ? value.length
    : value instanceof Map
      ? value.size
      : 0;

function compare(
  judge: (order: number) => boolean,
  left: CelValue,
  right: CelValue,
  spend: Spend,
): boolean | undefined {
  if ([left, right].some((value) => Number.isNaN(value))) return false;
  const order = compareValues(left, right, spend);
  return order === undefined ? undefined : judge(order);
}

function isIn(value: CelValue, within: CelValue, spend: Spend): boolean {
  if (Array.isArray(within)) return within.some((item) => areEqual(item, value, spend));
  if (within instanceof Map) return within.has(keyOf(value));
  throw new CelError(`no such overload: ${typeName(value)} in ${typeName(within)}`);
}

function calculate(operator: string, left: CelValue, right: CelValue): CelValue | undefined {
  if (typeof left === "bigint" && typeof right === "bigint") return intOf(whole(operator, left, right));
  if (left instanceof CelUint && right instanceof CelUint) return uintOf(whole(operator, left.value, right.value));
  if (typeof left === "number" && typeof right === "number") return fraction(operator, left, right);
  if (operator !== "+") return undefined;
  if (typeof left === "string" && typeof right === "string") return left + right;
  if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Uint8Array.from([...left, ...right]);
  return undefined;
}

function whole(operator: string, left: bigint, right: bigint): bigint {
  if (operator === "+") return left + right;
  if (operator === "-") return left - right;
  if (operator === "*") return left * right;
  if (right === 0n) throw new CelError(operator === "/" ? "division by zero" : "modulus by zero");
  return operator === "/" ? left / right : left % right;
}

function fraction(operator: string, left: number, right: number): number | undefined {
  if (operator === "+") return left + right;
  if (operator === "-") return left - right;
  if (operator === "*") return left * right;
  return operator === "/" ? left / right : undefined;
}

/** `!` and `-`. */
export function applyUnary(operator: "!" | "-", value: CelValue): CelValue {
  if (operator === "!" && typeof value === "boolean") return !value;
  if (operator === "-" && typeof value === "bigint") return intOf(-value);
  if (operator === "-" && typeof value === "number") return -value;
  throw new CelError(`no such overload: ${operator}${typeName(value)}`);
}
