import type { LabelSelector } from "./kinds.ts";

/**
 * Whether labels match a metav1.LabelSelector. An empty selector matches everything, an absent one nothing
 * (metav1.LabelSelectorAsSelector).
 */
export function matchesLabelSelector(
  selector: LabelSelector | undefined,
  labels: Record<string, string> | undefined,
): boolean {
  if (!selector) return false;
  if (!matchesLabels(selector.matchLabels, labels)) return false;
  return (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
    const value = labels?.[key];
    switch (operator) {
      case "In":
        return value !== undefined && values.includes(value);
      case "NotIn":
        return value === undefined || !values.includes(value);
      case "Exists":
        return value !== undefined;
      case "DoesNotExist":
        return value === undefined;
      default:
        return false;
    }
  });
}

/** Whether `labels` holds each of `wanted` (a Service's selector, a template's labels). */
export function matchesLabels(
  wanted: Record<string, string> | undefined,
  labels: Record<string, string> | undefined,
): boolean {
  for (const key in wanted) if (labels?.[key] !== wanted[key]) return false;
  return true;
}

export const isEmptySelector = (selector: LabelSelector | undefined): boolean =>
  Object.keys(selector?.matchLabels ?? {}).length === 0 && (selector?.matchExpressions ?? []).length === 0;
