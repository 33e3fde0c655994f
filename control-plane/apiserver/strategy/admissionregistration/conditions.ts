import { duplicate, invalidEach, required, tooMany } from "../../../../shared/api/field-error.ts";
import { checkQualifiedName } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import { type CelBudget, type CelContext, celBudget, checkCel } from "../cel/check.ts";

const MAX_CONDITIONS = 64;

/** Variables of every expression about a request. */
export const REQUEST_ROOTS = ["object", "oldObject", "request", "authorizer", "namespaceObject"];

/** The type that an expression must have, in upstream's words. */
export const mustBe = (type: string): CelContext["wanted"] => ({
  types: [type],
  message: (got) => `must evaluate to ${type} but got ${got}`,
});

interface MatchCondition {
  name?: string;
  expression?: string;
}

/** `hasParams`: the policy has a parameter, which conditions may name. `budget`: shared with the object's other expressions. */
export function checkMatchConditions(
  conditions: MatchCondition[],
  path: string,
  hasParams: boolean,
  budget: CelBudget = celBudget(),
): StatusCause[] {
  const causes: StatusCause[] = [];
  if (conditions.length > MAX_CONDITIONS) causes.push(tooMany(path, conditions.length, MAX_CONDITIONS));
  const context = { roots: hasParams ? [...REQUEST_ROOTS, "params"] : REQUEST_ROOTS, wanted: mustBe("bool"), budget };
  const seen = new Set<string>();
  for (const [i, { name = "", expression = "" }] of conditions.entries()) {
    const trimmed = expression.trim();
    if (trimmed === "") causes.push(required(`${path}[${i}].expression`));
    else causes.push(...checkCel(trimmed, `${path}[${i}].expression`, context));
    if (name === "") causes.push(required(`${path}[${i}].name`));
    else causes.push(...invalidEach(`${path}[${i}].name`, name, checkQualifiedName(name)));
    if (seen.has(name) && name !== "") causes.push(duplicate(`${path}[${i}].name`, name));
    seen.add(name);
  }
  return causes;
}
