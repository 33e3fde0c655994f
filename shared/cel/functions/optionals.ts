import { CelError, CelOptional, type CelValue } from "../values.ts";
import type { CelFunction, FunctionTable } from "./function.ts";

const optional =
  (method: (value: CelOptional, other: CelValue | undefined) => CelValue): CelFunction =>
  ([value, other]) =>
    value instanceof CelOptional ? method(value, other) : undefined;

export const OPTIONAL_FUNCTIONS: FunctionTable = {
  "optional.of": ([value]) => new CelOptional(value),
  "optional.none": () => new CelOptional(undefined),
};

export const OPTIONAL_METHODS: FunctionTable = {
  hasValue: optional(({ value }) => value !== undefined),
  value: optional(({ value }) => {
    if (value === undefined) throw new CelError("optional.none() dereference");
    return value;
  }),
  orValue: optional(({ value }, other) => value ?? other!),
  or: optional((value, other) => (value.value === undefined ? other! : value)),
};
