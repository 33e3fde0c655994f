import { compareQuantities } from "../api/quantity.ts";
import { parsePattern } from "./pattern.ts";
import { compareSemvers, parseSemver } from "./semver.ts";
import {
  areEqual,
  CelError,
  CelOptional,
  CelQuantity,
  CelSemver,
  CelUint,
  type CelValue,
  compareValues,
  numberOf,
  type Spend,
  typeName,
} from "./values.ts";

/** Given its values, the target of a method first. Undefined: not for these types. */
type CelFunction = (args: CelValue[], spend: Spend) => CelValue | undefined;

const MIN_INT = -(2n ** 63n);
const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;

/** @throws CelError if an int cannot hold it */
export function intOf(value: bigint): bigint {
  if (value < MIN_INT || value > MAX_INT) throw new CelError("integer overflow");
  return value;
}

/** @throws CelError if a uint cannot hold it */
export function uintOf(value: bigint): CelUint {
  if (value < 0n || value > MAX_UINT) throw new CelError("unsigned integer overflow");
  return new CelUint(value);
}

const isText = (value: CelValue | undefined): value is string => typeof value === "string";

/** A method of a text that takes another one. */
const ofTexts =
  (method: (text: string, other: string) => CelValue): CelFunction =>
  ([text, other], spend) => {
    if (!isText(text) || !isText(other)) return undefined;
    spend((text.length + other.length) / 10);
    return method(text, other);
  };

const ofText =
  (method: (text: string) => CelValue): CelFunction =>
  ([text], spend) => {
    if (!isText(text)) return undefined;
    spend(text.length / 10);
    return method(text);
  };

/** An index of characters, not of UTF-16 units. */
function characterIndex(characters: string[], value: CelValue | undefined): number {
  if (typeof value !== "bigint" || value < 0n || value > BigInt(characters.length)) {
    throw new CelError(`index out of range: ${String(value)}`);
  }
  return Number(value);
}

function sizeOf([value]: CelValue[], spend: Spend): bigint | undefined {
  if (typeof value === "string") {
    spend(value.length / 10);
    return BigInt([...value].length);
  }
  if (Array.isArray(value) || value instanceof Uint8Array) return BigInt(value.length);
  return value instanceof Map ? BigInt(value.size) : undefined;
}

function matches([text, pattern]: CelValue[], spend: Spend): CelValue | undefined {
  if (!isText(text) || !isText(pattern)) return undefined;
  const { expression, costOn } = parsePattern(pattern);
  spend(costOn(text.length));
  return expression.test(text);
}

function substring([text, from, to]: CelValue[], spend: Spend): CelValue | undefined {
  if (!isText(text)) return undefined;
  spend(text.length / 10);
  const characters = [...text];
  const end = to === undefined ? characters.length : characterIndex(characters, to);
  const start = characterIndex(characters, from);
  if (start > end) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  return characters.slice(start, end).join("");
}

/** Of texts and of lists. */
const indexIn =
  (find: "indexOf" | "lastIndexOf"): CelFunction =>
  ([within, what, offset], spend) => {
    if (offset !== undefined) return undefined;
    if (Array.isArray(within)) {
      spend(within.length);
      const isIt = (item: CelValue) => areEqual(item, what!, spend);
      return BigInt(find === "indexOf" ? within.findIndex(isIt) : within.findLastIndex(isIt));
    }
    if (!isText(within) || !isText(what)) return undefined;
    spend((within.length + what.length) / 10);
    const at = within[find](what);
    return at < 0 ? -1n : BigInt([...within.slice(0, at)].length);
  };

function split([text, separator, limit]: CelValue[], spend: Spend): CelValue | undefined {
  if (!isText(text) || !isText(separator)) return undefined;
  spend(text.length / 10);
  const parts = separator === "" ? [...text] : text.split(separator);
  if (limit === undefined) return parts;
  if (typeof limit !== "bigint") return undefined;
  if (limit < 0n) return parts;
  const most = Number(limit);
  if (most === 0) return [];
  return parts.length <= most ? parts : [...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)];
}

function replace([text, what, by, limit]: CelValue[], spend: Spend): CelValue | undefined {
  if (!isText(text) || !isText(what) || !isText(by)) return undefined;
  spend((text.length + 1) * (by.length + 1));
  if (limit !== undefined && typeof limit !== "bigint") return undefined;
  if (limit === undefined || limit < 0n) return text.replaceAll(what, () => by);
  let left = Number(limit);
  return text.replaceAll(what, (found) => (left-- > 0 ? by : found));
}

function join([list, separator = ""]: CelValue[], spend: Spend): CelValue | undefined {
  if (!Array.isArray(list) || !isText(separator) || !list.every(isText)) return undefined;
  spend(list.reduce((sum, item) => sum + item.length + separator.length, 0) / 10);
  return list.join(separator);
}

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

function toInt(value: CelValue): CelValue | undefined {
  if (typeof value === "bigint") return value;
  if (value instanceof CelUint) return intOf(value.value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new CelError("integer overflow");
    return intOf(BigInt(Math.trunc(value)));
  }
  if (!isText(value)) return undefined;
  if (!/^[+-]?\d{1,20}$/.test(value))
    throw new CelError(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
  return intOf(BigInt(value.replace("+", "")));
}

function toUint(value: CelValue): CelValue | undefined {
  if (value instanceof CelUint) return value;
  if (isText(value) && !/^\d{1,20}$/.test(value)) {
    throw new CelError(`strconv.ParseUint: parsing ${JSON.stringify(value)}: invalid syntax`);
  }
  if (isText(value)) return uintOf(BigInt(value));
  const whole = toInt(value);
  return typeof whole === "bigint" ? uintOf(whole) : undefined;
}

function toDouble(value: CelValue): CelValue | undefined {
  const number = numberOf(value);
  if (number !== undefined) return Number(number);
  if (!isText(value)) return undefined;
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value)) {
    throw new CelError(`strconv.ParseFloat: parsing ${JSON.stringify(value)}: invalid syntax`);
  }
  return Number(value);
}

function toText([value]: CelValue[], spend: Spend): CelValue | undefined {
  if (isText(value) || value === undefined) return value;
  if (value instanceof Uint8Array) {
    spend(value.length / 10);
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value);
    } catch (cause) {
      throw new CelError("invalid UTF-8 in bytes, cannot convert to string", { cause });
    }
  }
  if (typeof value === "boolean") return String(value);
  const number = numberOf(value);
  return number === undefined ? undefined : String(number);
}

function toBool(value: CelValue): CelValue | undefined {
  if (typeof value === "boolean") return value;
  if (!isText(value)) return undefined;
  if (["1", "t", "true", "TRUE", "True", "T"].includes(value)) return true;
  if (["0", "f", "false", "FALSE", "False", "F"].includes(value)) return false;
  throw new CelError(`strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`);
}

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

const optional =
  (method: (value: CelOptional, other: CelValue | undefined) => CelValue): CelFunction =>
  ([value, other]) =>
    value instanceof CelOptional ? method(value, other) : undefined;

const canParse = (parse: (text: string) => unknown) =>
  ofText((text) => {
    try {
      parse(text);
      return true;
    } catch (error) {
      if (error instanceof CelError) return false;
      throw error;
    }
  });

/** Called without a target. */
const GLOBALS: Record<string, CelFunction> = {
  size: sizeOf,
  matches,
  int: ([value]) => toInt(value!),
  uint: ([value]) => toUint(value!),
  double: ([value]) => toDouble(value!),
  string: toText,
  bool: ([value]) => toBool(value!),
  bytes: ([value], spend) => {
    if (!isText(value)) return value instanceof Uint8Array ? value : undefined;
    spend(value.length / 10);
    return new TextEncoder().encode(value);
  },
  dyn: ([value]) => value,
  quantity: ofText((text) => CelQuantity.parse(text)),
  isQuantity: canParse((text) => CelQuantity.parse(text)),
  semver: ofText(semverOf),
  isSemver: canParse(semverOf),
  "optional.of": ([value]) => new CelOptional(value),
  "optional.none": () => new CelOptional(undefined),
};

const METHODS: Record<string, CelFunction> = {
  size: sizeOf,
  matches,
  contains: ofTexts((text, other) => text.includes(other)),
  startsWith: ofTexts((text, other) => text.startsWith(other)),
  endsWith: ofTexts((text, other) => text.endsWith(other)),
  lowerAscii: ofText((text) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())),
  upperAscii: ofText((text) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())),
  trim: ofText((text) => text.trim()),
  substring,
  charAt: ([text, at], spend) => {
    if (!isText(text)) return undefined;
    spend(text.length / 10);
    const characters = [...text];
    return characters[characterIndex(characters, at)] ?? "";
  },
  split,
  replace,
  join,
  indexOf: indexIn("indexOf"),
  lastIndexOf: indexIn("lastIndexOf"),
  isSorted,
  sum,
  min: extreme(-1),
  max: extreme(1),
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
  hasValue: optional(({ value }) => value !== undefined),
  value: optional(({ value }) => {
    if (value === undefined) throw new CelError("optional.none() dereference");
    return value;
  }),
  orValue: optional(({ value }, other) => value ?? other!),
  or: optional((value, other) => (value.value === undefined ? other! : value)),
};

/**
 * Calls a function, or a method of the first value.
 * @throws CelError if there is none of the name for such values, and what it fails with
 */
export function callFunction(name: string, args: CelValue[], isMethod: boolean, spend: Spend): CelValue {
  const table = isMethod ? METHODS : GLOBALS;
  if (!Object.hasOwn(table, name)) throw new CelError(`unsupported function: ${name}`);
  spend(1);
  const result = table[name]!(args, spend);
  if (result === undefined) throw new CelError(`no such overload: ${name}(${args.map(typeName).join(", ")})`);
  return result;
}
