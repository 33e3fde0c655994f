import { addQuantities, compareQuantities, parseQuantity, type Quantity } from "../api/quantity.ts";
import { compareSemvers, type Semver } from "./semver.ts";

/** An unsigned integer; a plain bigint is CEL's int. */
export class CelUint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A value that may be missing. */
export class CelOptional {
  readonly value: CelValue | undefined;

  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

export class CelQuantity {
  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    this.quantity = quantity;
  }

  /** @throws CelError if it is none */
  static parse(text: string): CelQuantity {
    try {
      return new CelQuantity(parseQuantity(text));
    } catch (cause) {
      throw new CelError(cause instanceof Error ? cause.message : String(cause), { cause });
    }
  }

  plus(other: CelQuantity): CelQuantity {
    return new CelQuantity(addQuantities(this.quantity, other.quantity));
  }
}

export class CelSemver {
  readonly version: Semver;

  constructor(version: Semver) {
    this.version = version;
  }
}

/** A map whose every key has a value, so that what is looked up in it is missing one level deeper. */
export class CelDefaultMap extends Map<CelKey, CelValue> {
  readonly missing: CelValue;

  constructor(entries: Iterable<readonly [CelKey, CelValue]>, missing: CelValue) {
    super(entries);
    this.missing = missing;
  }

  override get(key: CelKey): CelValue {
    return super.get(key) ?? this.missing;
  }

  override has(): boolean {
    return true;
  }
}

/** Doubles are numbers, ints bigints. */
export type CelValue =
  | boolean
  | bigint
  | number
  | string
  | null
  | Uint8Array
  | CelUint
  | CelOptional
  | CelQuantity
  | CelSemver
  | CelValue[]
  | Map<CelKey, CelValue>;

/** Unsigned and whole double keys are looked up as ints. */
export type CelKey = string | bigint | boolean;

/** What evaluating ends with; cel-go's words where they are shown to users. */
export class CelError extends Error {}

export function typeName(value: CelValue): string {
  if (value === null) return "null_type";
  if (Array.isArray(value)) return "list";
  if (value instanceof Map) return "map";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof CelUint) return "uint";
  if (value instanceof CelOptional) return "optional_type";
  if (value instanceof CelQuantity) return "kubernetes.Quantity";
  if (value instanceof CelSemver) return "kubernetes.Semver";
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return "double";
  return typeof value === "boolean" ? "bool" : "string";
}

/** A number of any kind; undefined: it is none. Large ints lose no digits, they stay bigints. */
export function numberOf(value: CelValue): bigint | number | undefined {
  if (typeof value === "bigint" || typeof value === "number") return value;
  return value instanceof CelUint ? value.value : undefined;
}

/** @throws CelError if nothing can be looked up by it */
export function keyOf(value: CelValue): CelKey {
  if (typeof value === "string" || typeof value === "bigint" || typeof value === "boolean") return value;
  if (value instanceof CelUint) return value.value;
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  throw new CelError(`unsupported key type: ${typeName(value)}`);
}

/** Takes the steps that something needs; throws when there are too few left. */
export type Spend = (steps: number) => void;

/**
 * Values of different types are different, but numbers are compared by what they are worth. Each item is a step: one list
 * may stand in many places of another one, so that there is more to compare than there was to make.
 */
export function areEqual(a: CelValue, b: CelValue, spend: Spend): boolean {
  spend(typeof a === "string" || a instanceof Uint8Array ? a.length / 10 : 1);
  const [left, right] = [numberOf(a), numberOf(b)];
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number are compared by value, never by a cast
  if (left !== undefined && right !== undefined) return left == right;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => areEqual(item, b[i]!, spend));
  }
  if (a instanceof Map) {
    if (!(b instanceof Map) || a.size !== b.size) return false;
    return [...a].every(([key, value]) => b.has(key) && areEqual(value, b.get(key)!, spend));
  }
  if (a instanceof Uint8Array) {
    return b instanceof Uint8Array && a.length === b.length && a.every((byte, i) => byte === b[i]);
  }
  if (a instanceof CelOptional && b instanceof CelOptional) {
    if (a.value === undefined || b.value === undefined) return a.value === b.value;
    return areEqual(a.value, b.value, spend);
  }
  if (a instanceof CelQuantity) return b instanceof CelQuantity && compareQuantities(a.quantity, b.quantity) === 0;
  if (a instanceof CelSemver) return b instanceof CelSemver && compareSemvers(a.version, b.version) === 0;
  return a === b;
}

/** @returns below, at or above zero; undefined where these are not ordered, as by NaN */
export function compareValues(a: CelValue, b: CelValue, spend: Spend): number | undefined {
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left !== undefined && right !== undefined) return left < right ? -1 : left > right ? 1 : 0;
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (typeof a === "string" && typeof b === "string") {
    spend((a.length + b.length) / 10);
    return compareTexts(a, b);
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  return undefined;
}

/** By code points, as UTF-8 sorts. */
function compareTexts(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = left[i]!.codePointAt(0)! - right[i]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}
