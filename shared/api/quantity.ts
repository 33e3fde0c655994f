/** How a quantity is printed: `12M`, `12Mi` or `12e6`. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** A fixed-point number, exact to a billionth. */
export interface Quantity {
  /** Billionths of a unit. */
  nanos: bigint;
  format: QuantityFormat;
}

export const ZERO_QUANTITY: Quantity = { nanos: 0n, format: "DecimalSI" };

const FORMAT_ERROR = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const NUMERIC_ERROR = "unable to parse numeric part of quantity";
const SUFFIX_ERROR = "unable to parse quantity's suffix";

/** Sign, whole digits without leading zeros, decimals, suffix: looser than the message says, as upstream's scanner is. */
const SHAPE = /^([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const CHARACTERS = /^[0-9.+\-eEinumkKMGTP]*$/;
/** Nobody writes longer ones; they keep the arithmetic cheap. */
const MAX_TEXT_LENGTH = 128;
const MAX_EXPONENT = 400;

const DECIMAL_SUFFIXES = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const BINARY_SUFFIXES = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const NANO = 1_000_000_000n;
const MAX_INT64 = 2n ** 63n - 1n;

interface Suffix {
  base: 10 | 2;
  exponent: number;
  format: QuantityFormat;
}

const SUFFIXES = new Map<string, Suffix>([
  ...BINARY_SUFFIXES.map((text, i): [string, Suffix] => [text, { base: 2, exponent: i * 10, format: "BinarySI" }]),
  ...DECIMAL_SUFFIXES.map((text, i): [string, Suffix] => [
    text,
    { base: 10, exponent: i * 3 - 9, format: "DecimalSI" },
  ]),
]);

function parseSuffix(text: string): Suffix {
  const known = SUFFIXES.get(text);
  if (known) return known;
  if (!/^[eE][+-]?[0-9]+$/.test(text)) throw new RangeError(SUFFIX_ERROR);
  const exponent = Number(text.slice(1));
  if (Math.abs(exponent) > MAX_EXPONENT) throw new RangeError(SUFFIX_ERROR);
  return { base: 10, exponent, format: "DecimalExponent" };
}

interface Parts {
  negative: boolean;
  whole: string;
  decimals: string;
  suffix: Suffix;
}

function split(text: string): Parts {
  if (text.length > MAX_TEXT_LENGTH) throw new RangeError(CHARACTERS.test(text) ? NUMERIC_ERROR : FORMAT_ERROR);
  const match = text === "" ? null : SHAPE.exec(text);
  if (!match) throw new RangeError(FORMAT_ERROR);
  const [, sign, whole, decimals, suffix] = match;
  return { negative: sign === "-", whole: whole!, decimals: decimals ?? "", suffix: parseSuffix(suffix!) };
}

/**
 * Reads `500m`, `1.5Gi`, `1e3`. What is finer than a billionth is rounded up (away from zero), and binary quantities
 * are capped at 2^63-1, as upstream does.
 * @throws RangeError with upstream's message
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function parseQuantity(text: string): Quantity {
  return toQuantity(split(text));
}

function toQuantity({ negative, whole, decimals, suffix }: Parts): Quantity {
  let units = BigInt(`${whole}${decimals}` || "0");
  if (suffix.base === 2) units <<= BigInt(suffix.exponent);
  const power = 9 - decimals.length + (suffix.base === 10 ? suffix.exponent : 0);
  let nanos = power >= 0 ? units * 10n ** BigInt(power) : divideUp(units, 10n ** BigInt(-power));
  let { format } = suffix;
  if (format === "BinarySI") {
    if (nanos > MAX_INT64 * NANO) nanos = MAX_INT64 * NANO;
    if (nanos < NANO && nanos > 0n) format = "DecimalSI";
  }
  return { nanos: negative ? -nanos : nanos, format };
}

/** Rounds a quotient of positive numbers up. */
const divideUp = (dividend: bigint, divisor: bigint) => (dividend + divisor - 1n) / divisor;

/**
 * The text upstream gives back for a text: the canonical form, save for some that it takes for canonical by their looks
 * and leaves alone (`1500Mi`, `1.500`, `+5`).
 * @throws RangeError like parseQuantity
 */
export function canonicalQuantity(text: string): string {
  const parts = split(text);
  return looksCanonical(parts) ? text : printQuantity(toQuantity(parts));
}

/** Upstream's integers have 18 digits to spare; a binary suffix takes some of them. */
function looksCanonical({ whole, decimals, suffix }: Parts): boolean {
  const digits = Math.max(whole.length, 1) + decimals.length;
  if (suffix.format === "BinarySI") {
    if (decimals !== "" || digits > 14 - Math.trunc((suffix.exponent * 3) / 10)) return false;
    return (Number(whole.slice(-3)) & 7) !== 0;
  }
  const scale = suffix.exponent - decimals.length;
  return digits <= 18 && scale >= -9 && scale % 3 === 0 && whole !== "" && !`${whole}${decimals}`.endsWith("000");
}

/** The canonical form: the largest suffix that needs no fraction. */
export function printQuantity({ nanos, format }: Quantity): string {
  if (nanos === 0n) return "0";
  // Small or fractional binary quantities are clearer, and exact, in decimal.
  const isBinary = format === "BinarySI" && nanos % NANO === 0n && (nanos >= 1024n * NANO || nanos <= -1024n * NANO);
  return isBinary ? printBinary(nanos / NANO) : printDecimal(nanos, format === "DecimalExponent");
}

function printBinary(value: bigint): string {
  let step = 0;
  let rest = value;
  while (step < BINARY_SUFFIXES.length - 1 && rest % 1024n === 0n) {
    rest /= 1024n;
    step++;
  }
  return `${rest}${BINARY_SUFFIXES[step]}`;
}

function printDecimal(nanos: bigint, asExponent: boolean): string {
  let exponent = -9;
  let rest = nanos;
  while (rest % 1000n === 0n && (asExponent || exponent < 18)) {
    rest /= 1000n;
    exponent += 3;
  }
  if (asExponent) return exponent === 0 ? `${rest}` : `${rest}e${exponent}`;
  return `${rest}${DECIMAL_SUFFIXES[(exponent + 9) / 3]}`;
}

const MAX_MILLI_NANOS = MAX_INT64 * 1_000_000n;

/**
 * Whether upstream takes an amount for one with a fraction. It looks at the thousandths, in 64 bits that wrap: some
 * whole numbers that are too large for that count as fractions as well.
 */
export function hasFraction({ nanos, format }: Quantity): boolean {
  if (nanos % NANO !== 0n) return true;
  if (nanos <= MAX_MILLI_NANOS && nanos >= -MAX_MILLI_NANOS) return false;
  // A decimal suffix is kept apart from its digits, and what cannot be multiplied out counts as nothing.
  if (format !== "BinarySI" && (nanos / NANO) % 1000n === 0n) return false;
  return BigInt.asIntN(64, nanos / 1_000_000n) % 1000n !== 0n;
}

/** Negative, zero or positive, for sorting. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
}

/** The sum, in the format of the first unless that is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos + b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

/** The difference, in the format of the first unless that is zero. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos - b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

/** Whole units (bytes, cores …), fractions rounded away from zero. Exact up to 2^53. */
export function wholeUnits(quantity: Quantity): number {
  return Number(scaledUp(quantity.nanos, NANO));
}

/** Thousandths (milli-cores …), finer fractions rounded away from zero. Exact up to 2^53. */
export function milliUnits(quantity: Quantity): number {
  return Number(scaledUp(quantity.nanos, 1_000_000n));
}

const scaledUp = (nanos: bigint, divisor: bigint) =>
  nanos < 0n ? -divideUp(-nanos, divisor) : divideUp(nanos, divisor);
