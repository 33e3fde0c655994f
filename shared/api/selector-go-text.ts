import type { LabelSelectorObject } from "./selector.ts";

/**
 * A LabelSelector as Go's generated String method prints it: some of upstream's messages and table cells show it so,
 * instead of the text that selectors are asked for with.
 */
export function goTextOfSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelectorObject): string {
  const labels = Object.keys(matchLabels)
    .sort()
    .map((key) => `${key}: ${matchLabels[key]},`)
    .join("");
  const expressions = matchExpressions
    .map(
      ({ key, operator, values = [] }) =>
        `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
    )
    .join("");
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}
