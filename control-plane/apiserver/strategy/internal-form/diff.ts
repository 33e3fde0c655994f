import { renderInternal } from "./render.ts";
import type { InternalType } from "./types.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** What differs between two values, for people to read: a unified diff of their internal forms as JSON. */
export function diffInternal(before: unknown, after: unknown, type: InternalType): string {
  const linesOf = (value: unknown) => JSON.stringify(renderInternal(value, type), null, 1).split("\n");
  return unifiedDiff(linesOf(before), linesOf(after));
}
