/** The functions and methods of CEL and of Kubernetes' libraries, each with what it costs. */
import { CelError, type CelValue, type Spend, typeName } from "../values.ts";
import { CONVERSIONS } from "./conversions.ts";
import type { FunctionTable } from "./function.ts";
import { LIST_METHODS } from "./lists.ts";
import { OPTIONAL_FUNCTIONS, OPTIONAL_METHODS } from "./optionals.ts";
import { QUANTITY_FUNCTIONS, QUANTITY_METHODS } from "./quantities.ts";
import { matches, TEXT_METHODS } from "./texts.ts";

/** Called without a target. */
const GLOBALS: FunctionTable = {
  size: sizeOf,
  matches,
  ...CONVERSIONS,
  ...QUANTITY_FUNCTIONS,
  ...OPTIONAL_FUNCTIONS,
};

const METHODS: FunctionTable = {
  size: sizeOf,
  ...TEXT_METHODS,
  ...LIST_METHODS,
  ...QUANTITY_METHODS,
  ...OPTIONAL_METHODS,
};

function sizeOf([value]: CelValue[], spend: Spend): bigint | undefined {
  if (typeof value === "string") {
    spend(value.length / 10);
    return BigInt([...value].length);
  }
  if (Array.isArray(value) || value instanceof Uint8Array) return BigInt(value.length);
  return value instanceof Map ? BigInt(value.size) : undefined;
}

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
