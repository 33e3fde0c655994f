import { parseInt64 } from "./int64.ts";
import { checkLabelValue, checkQualifiedName } from "./names.ts";
import { badRequest } from "./status.ts";

/** One condition of a label or field selector; a selector is the conjunction of its requirements, empty selects all. */
export interface Requirement {
  key: string;
  operator: "in" | "notin" | "exists" | "!" | "=" | "!=" | "gt" | "lt";
  /** Sorted, without duplicates. */
  values: string[];
}

/** Whether a value (undefined: there is none) meets one requirement. */
export function matchesValue({ key, operator, values }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case "=":
    case "in":
      return value !== undefined && values.includes(value);
    case "!=":
    case "notin":
      return value === undefined || !values.includes(value);
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case "gt":
    case "lt": {
      const left = value === undefined ? undefined : parseInt64(value);
      const right = parseInt64(values[0] ?? "");
      if (left === undefined || right === undefined) return false;
      return operator === "gt" ? left > right : left < right;
    }
    default:
      throw new Error(`unknown selector operator ${operator satisfies never} of ${key}`);
  }
}

/** Whether labels meet every requirement. */
export function matchesRequirements(requirements: Requirement[], labels: Record<string, string> | undefined): boolean {
  for (const requirement of requirements) {
    const has = labels !== undefined && Object.hasOwn(labels, requirement.key);
    if (!matchesValue(requirement, has ? labels[requirement.key] : undefined)) return false;
  }
  return true;
}

/** Like matchesRequirements, for fields: one that is not set is the empty string. */
export function matchesFields(requirements: Requirement[], fields: Record<string, string>): boolean {
  return requirements.every((requirement) =>
    matchesValue(requirement, Object.hasOwn(fields, requirement.key) ? fields[requirement.key] : ""),
  );
}

/** A checked requirement. @throws ApiError 400 in the words of upstream's NewRequirement */
export function newRequirement(key: string, operator: Requirement["operator"], values: string[]): Requirement {
  const errors: string[] = [];
  const keyErrors = checkQualifiedName(key);
  if (keyErrors.length > 0) errors.push(`key: Invalid value: ${JSON.stringify(key)}: ${keyErrors.join("; ")}`);
  const shown = `values: Invalid value: ${JSON.stringify(values)}`;
  if ((operator === "in" || operator === "notin") && values.length === 0) {
    errors.push(`${shown}: for 'in', 'notin' operators, values set can't be empty`);
  }
  if ((operator === "exists" || operator === "!") && values.length > 0) {
    errors.push(`${shown}: values set must be empty for exists and does not exist`);
  }
  for (const [index, value] of values.entries()) {
    if ((operator === "gt" || operator === "lt") && parseInt64(value) === undefined) {
      const rule = "for 'Gt', 'Lt' operators, the value must be an integer";
      errors.push(`values[${index}]: Invalid value: ${JSON.stringify(value)}: ${rule}`);
    }
  }
  for (const [index, value] of values.entries()) {
    const valueErrors = checkLabelValue(value);
    if (valueErrors.length === 0) continue;
    errors.push(`values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${valueErrors.join("; ")}`);
  }
  if (errors.length > 0) throw badRequest(errors.length === 1 ? errors[0]! : `[${errors.join(", ")}]`);
  return { key, operator, values };
}

/** Upstream keeps label requirements in this order. */
export const byKey = (a: Requirement, b: Requirement) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/** The set as upstream keeps it: sorted, each value once. */
export const sortedSet = (values: string[]) => (values.length < 2 ? values : [...new Set(values)].sort());
