import { canonicalQuantity } from "../../../shared/api/quantity.ts";

/** Powers of ten and of two by suffix (apimachinery's quantitySuffixer). */
const DECIMAL: Record<string, number> = { n: -9, u: -6, m: -3, "": 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY: Record<string, number> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

/**
 * A resource.Quantity as Go holds it after parsing: value and scale, and the text itself if it is in the form in which
 * Go would print it. Quantities of more than 18 digits are held otherwise there, and give another hash than upstream's.
 */
export function dumpQuantity(quantity: string | number | undefined): string {
  if (quantity === undefined) return render({ value: 0n, scale: 0, text: "", format: "" });
  const text = canonicalQuantity(String(quantity));
  if (text === "0") return render({ value: 0n, scale: 0, text, format: "DecimalSI" });
  const [, sign = "", whole = "", fraction = "", suffix = ""] = /^([+-]?)0*(\d*)(?:\.(\d*))?(.*)$/.exec(text) ?? [];
  const digits = `${whole || "0"}${fraction}`;
  const signed = sign === "-" ? -BigInt(digits) : BigInt(digits);
  const binary = BINARY[suffix];
  if (binary !== undefined) {
    const isCanonical = (BigInt(digits) & 7n) !== 0n;
    return render({ value: signed << BigInt(binary), scale: 0, text: isCanonical ? text : "", format: "BinarySI" });
  }
  const exponent = DECIMAL[suffix];
  const scale = (exponent ?? Number(suffix.slice(1))) - fraction.length;
  const isCanonical = scale % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
  const format = exponent === undefined ? "DecimalExponent" : "DecimalSI";
  return render({ value: signed, scale, text: isCanonical ? text : "", format });
}

interface GoQuantity {
  value: bigint;
  scale: number;
  text: string;
  format: string;
}

const render = ({ value, scale, text, format }: GoQuantity): string =>
  `{i:(resource.int64Amount){value:(int64)${value} scale:(resource.Scale)${scale}} ` +
  `d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)${text} Format:(resource.Format)${format}}`;
