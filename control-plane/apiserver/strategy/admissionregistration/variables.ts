import { invalidValue, notSupported, required } from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import { type CelContext, checkCel } from "../cel/check.ts";
import { FAILURE_POLICIES } from "./policy-words.ts";

interface Variable {
  name?: string;
  expression?: string;
}

const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const RESERVED = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/**
 * A variable may use those before it.
 * @returns also the names of those that have an expression, right or wrong: no other is known to what comes after
 */
export function checkVariables(
  variables: Variable[],
  path: string,
  context: CelContext,
): { causes: StatusCause[]; known: ReadonlySet<string> } {
  const causes: StatusCause[] = [];
  const known = new Set<string>();
  for (const [i, { name = "", expression = "" }] of variables.entries()) {
    const isIdentifier = IDENTIFIER.test(name) && !RESERVED.has(name);
    if (name.trim() === "") causes.push(required(`${path}[${i}].name`, "name is not specified"));
    else if (!isIdentifier) causes.push(invalidValue(`${path}[${i}].name`, name, "must be a valid CEL identifier"));
    if (expression.trim() === "") causes.push(required(`${path}[${i}].expression`, "expression is not specified"));
    else {
      causes.push(...checkCel(expression, `${path}[${i}].expression`, { ...context, variables: known }));
      known.add(name);
    }
  }
  return { causes, known };
}

export function checkFailurePolicy(policy: string | undefined, field: string): StatusCause[] {
  if (policy === undefined) return [required(field)];
  return FAILURE_POLICIES.includes(policy) ? [] : [notSupported(field, policy, FAILURE_POLICIES)];
}
