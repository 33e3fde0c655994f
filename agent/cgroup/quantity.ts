const SUFFIXES: Record<string, number> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/**
 * A quantity as a plain number of its unit (cores, bytes). Amounts over 2^53 lose their last digits, which no
 * resource of a node has.
 * @throws RangeError if it is not a quantity
 */
export function quantityValue(text: string | number): number {
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/.exec(String(text));
  if (!match) throw new RangeError(`not a quantity: ${text}`);
  const [, digits, exponent, suffix = ""] = match;
  return exponent === undefined ? Number(digits) * SUFFIXES[suffix]! : Number(`${digits}e${exponent}`);
}

/** Thousandths, rounded up as upstream does. */
export const cpuMilli = (text: string | number) => Math.ceil(round(quantityValue(text) * 1000));

export const bytes = (text: string | number) => Math.ceil(round(quantityValue(text)));

/** Takes off the noise of binary fractions before rounding up. */
const round = (value: number) => Math.round(value * 1e6) / 1e6;
