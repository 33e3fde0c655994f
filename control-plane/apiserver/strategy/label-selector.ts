import { fieldForbidden, invalidEach, invalidValue, required } from "../../../shared/api/field-error.ts";
import { checkLabelValue, checkQualifiedName } from "../../../shared/api/names.ts";
import { validateLabels } from "../../../shared/api/object-meta.ts";
import type { StatusCause } from "../../../shared/api/status.ts";
import type { LabelSelector, LabelSelectorRequirement } from "../../../shared/api/types.ts";

function checkRequirement(requirement: LabelSelectorRequirement, path: string, anyValue: boolean): StatusCause[] {
  const { key = "", operator = "", values = [] } = requirement;
  const causes: StatusCause[] = [];
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      causes.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      causes.push(
        fieldForbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      );
    }
  } else causes.push(invalidValue(`${path}.operator`, operator, "not a valid selector operator"));
  causes.push(...invalidEach(`${path}.key`, key, checkQualifiedName(key)));
  if (!anyValue) {
    for (const [index, value] of values.entries()) {
      causes.push(...invalidEach(`${path}.values[${index}]`, value, checkLabelValue(value)));
    }
  }
  return causes;
}

/** `anyValue`: values of expressions are not checked (old objects that have bad ones already). */
export function checkLabelSelector(selector: LabelSelector | undefined, path: string, anyValue = false): StatusCause[] {
  if (!selector) return [];
  return [
    ...validateLabels(selector.matchLabels, `${path}.matchLabels`),
    ...(selector.matchExpressions ?? []).flatMap((requirement, index) =>
      checkRequirement(requirement, `${path}.matchExpressions[${index}]`, anyValue),
    ),
  ];
}

/** Whether labels match a valid selector. An absent selector matches nothing. */
export function selectorMatches(selector: LabelSelector | undefined, labels: Record<string, string>): boolean {
  if (!selector) return false;
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) if (labels[key] !== value) return false;
  return (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
    const value = labels[key];
    if (operator === "Exists") return value !== undefined;
    if (operator === "DoesNotExist") return value === undefined;
    if (operator === "In") return value !== undefined && values.includes(value);
    return value === undefined || !values.includes(value);
  });
}

/** As upstream prints maps: by key. */
export const printLabels = (labels: Record<string, string> | undefined): Record<string, string> | null =>
  labels ? Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))) : null;

export function printSelector(selector: LabelSelector | undefined): LabelSelector | null {
  if (!selector) return null;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return {
    ...(Object.keys(matchLabels).length > 0 ? { matchLabels: printLabels(matchLabels) ?? {} } : {}),
    ...(matchExpressions.length > 0 ? { matchExpressions } : {}),
  };
}
