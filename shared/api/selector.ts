import { byKey, matchesValue, newRequirement, type Requirement, sortedSet } from "./requirement.ts";
import { badRequest } from "./status.ts";

export { parseFieldSelector } from "./field-selector.ts";
export { parseLabelSelector } from "./label-selector.ts";
export { matchesFields, matchesRequirements, type Requirement } from "./requirement.ts";

/** meta/v1 LabelSelector. */
export interface LabelSelectorObject {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

const EXPRESSION_OPERATORS: Record<string, Requirement["operator"]> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};

/**
 * The requirements of a LabelSelector object; an empty one selects everything.
 * @throws ApiError 400 for an operator, key or value that is not valid (validation refuses such objects before)
 */
export function requirementsOf(selector: LabelSelectorObject): Requirement[] {
  const equalities = Object.entries(selector.matchLabels ?? {}).map(([key, value]) =>
    newRequirement(key, "=", [value]),
  );
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values }) => {
    return newRequirement(key, operatorOf(operator), sortedSet([...(values ?? [])]));
  });
  return [...equalities, ...expressions].sort(byKey);
}

/**
 * Whether a LabelSelector object selects these labels; a selector that is not there selects nothing. It was validated
 * with the object that holds it: what is not valid is not looked for here.
 */
export function matchesLabelSelector(
  selector: LabelSelectorObject | undefined,
  labels: Record<string, string> | undefined,
): boolean {
  if (!selector) return false;
  const labelOf = (key: string) => (labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined);
  for (const key in selector.matchLabels) if (labelOf(key) !== selector.matchLabels[key]) return false;
  return (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) =>
    matchesValue({ key, operator: operatorOf(operator), values }, labelOf(key)),
  );
}

/** @throws ApiError 400 for one that LabelSelectors do not have */
function operatorOf(operator: string): Requirement["operator"] {
  if (Object.hasOwn(EXPRESSION_OPERATORS, operator)) return EXPRESSION_OPERATORS[operator]!;
  throw badRequest(`${JSON.stringify(operator)} is not a valid label selector operator`);
}

/** The requirements of a plain map, such as a Service's selector: every label equal. */
export function requirementsOfMap(labels: Record<string, string>): Requirement[] {
  return Object.entries(labels)
    .map(([key, value]): Requirement => ({ key, operator: "=", values: [value] }))
    .sort(byKey);
}

function printRequirement({ key, operator, values }: Requirement): string {
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${values.join(",")})`;
    case "gt":
      return `${key}>${values[0]}`;
    case "lt":
      return `${key}<${values[0]}`;
    default:
      return `${key}${operator}${values[0]}`;
  }
}

/** The text that parseLabelSelector reads. */
export function printLabelSelector(requirements: Requirement[]): string {
  return requirements.map(printRequirement).join(",");
}

/** Whether a selector asks for nothing in particular. */
export const isEmptySelector = (selector: LabelSelectorObject | undefined): boolean =>
  Object.keys(selector?.matchLabels ?? {}).length === 0 && (selector?.matchExpressions ?? []).length === 0;
