import { renderInternal } from "./render.ts";
import type { InternalType } from "./types.ts";

/** What differs between two values, for people to read: a unified diff of their internal forms as JSON. */
export function diffInternal(before: unknown, after: unknown, type: InternalType): string {
  const linesOf = (value: unknown) => JSON.stringify(renderInternal(value, type), null, 1).split("\n");
  return unifiedDiff(linesOf(before), linesOf(after));
}

const CONTEXT_LINES = 3;

/** The differing middle of two texts, with a few lines around it. */
function unifiedDiff(before: string[], after: string[]): string {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end++;
  }
  const first = Math.max(start - CONTEXT_LINES, 0);
  const tail = Math.min(end, CONTEXT_LINES);
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  const head = before.slice(first, start);
  const last = before.slice(before.length - end, before.length - end + tail);
  const shared = head.length + last.length;
  return [
    `@@ -${first + 1},${shared + removed.length} +${first + 1},${shared + added.length} @@`,
    ...head.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...last.map((line) => ` ${line}`),
    "",
  ].join("\n");
}
