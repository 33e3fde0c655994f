import { CelError, CelUint, type CelValue, numberOf, type Spend } from "../values.ts";
import { type FunctionTable, isText } from "./function.ts";
import { intOf, uintOf } from "./integers.ts";

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

/** Functions named by the type that they give. */
export const CONVERSIONS: FunctionTable = {
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
};
