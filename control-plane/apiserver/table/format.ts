import type { Container, LabelSelector } from "../../../shared/api/types.ts";

/** `a=b,c=d`, sorted; `<none>` when empty. */
export function formatLabels(labels: Record<string, string> | undefined): string {
  return renderPairs(labels) || "<none>";
}

function renderPairs(labels: Record<string, string> | undefined): string {
  return Object.entries(labels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}

const OPERATORS: Record<string, string> = { In: "in", NotIn: "notin" };

/** A selector in the query syntax, requirements sorted by key; empty for one that selects everything or nothing. */
export function renderSelector(selector: LabelSelector | undefined): string {
  const parts: [string, string][] = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => [
    key,
    `${key}=${value}`,
  ]);
  for (const { key, operator, values } of selector?.matchExpressions ?? []) {
    if (operator === "Exists") parts.push([key, key]);
    else if (operator === "DoesNotExist") parts.push([key, `!${key}`]);
    else parts.push([key, `${key} ${OPERATORS[operator] ?? operator} (${[...(values ?? [])].sort().join(",")})`]);
  }
  return parts
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, text]) => text)
    .join(",");
}

export const formatSelector = (selector: LabelSelector | undefined) => renderSelector(selector) || "<none>";

export const containerNames = (containers: Container[] | undefined) =>
  (containers ?? []).map(({ name }) => name).join(",");

export const containerImages = (containers: Container[] | undefined) =>
  (containers ?? []).map(({ image }) => image ?? "").join(",");

/** The first three, then how many more there are. */
export function firstThree(items: string[], none: string): string {
  const shown = items.slice(0, 3).join(",");
  if (items.length > 3) return `${shown} + ${items.length - 3} more...`;
  return shown || none;
}
