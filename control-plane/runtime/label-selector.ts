/** Whether `labels` holds each of `wanted` (a Service's selector, a template's labels). */
export function matchesLabels(
  wanted: Record<string, string> | undefined,
  labels: Record<string, string> | undefined,
): boolean {
  for (const key in wanted) if (labels?.[key] !== wanted[key]) return false;
  return true;
}
