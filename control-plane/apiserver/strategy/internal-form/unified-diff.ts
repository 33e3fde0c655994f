import { type Match, matchingRuns } from "./line-matcher.ts";

const CONTEXT_LINES = 3;
/** The search for shared lines gets slow with their number; beyond it, all between the first and last change counts. */
const MAX_MATCHED_LINES = 4000;

/** Lines `from` to `to` of one text became `start` to `end` of the other. */
interface Edit {
  isEqual: boolean;
  from: number;
  to: number;
  start: number;
  end: number;
}

/** A unified diff without a head, with three lines around each change; empty when nothing differs. */
export function unifiedDiff(before: string[], after: string[]): string {
  const isLong = before.length > MAX_MATCHED_LINES || after.length > MAX_MATCHED_LINES;
  const runs = isLong ? commonEnds(before, after) : matchingRuns(before, after);
  const lines: string[] = [];
  for (const hunk of hunksOf(editsOf(runs, before.length, after.length))) {
    const [first, last] = [hunk[0]!, hunk.at(-1)!];
    lines.push(`@@ -${printRange(first.from, last.to)} +${printRange(first.start, last.end)} @@`);
    for (const { isEqual, from, to, start, end } of hunk) {
      const removed = before.slice(from, to);
      if (isEqual) lines.push(...removed.map((line) => ` ${line}`));
      else lines.push(...removed.map((line) => `-${line}`), ...after.slice(start, end).map((line) => `+${line}`));
    }
  }
  return lines.map((line) => `${line}\n`).join("");
}

function commonEnds(before: string[], after: string[]): Match[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return [
    { before: 0, after: 0, length: head },
    { before: before.length - tail, after: after.length - tail, length: tail },
  ].filter(({ length }) => length > 0);
}

function editsOf(runs: Match[], beforeLength: number, afterLength: number): Edit[] {
  const edits: Edit[] = [];
  let [i, j] = [0, 0];
  for (const { before, after, length } of [...runs, { before: beforeLength, after: afterLength, length: 0 }]) {
    if (i < before || j < after) edits.push({ isEqual: false, from: i, to: before, start: j, end: after });
    [i, j] = [before + length, after + length];
    if (length > 0) edits.push({ isEqual: true, from: before, to: i, start: after, end: j });
  }
  return edits;
}

/** Changes that are no more than six lines apart stand in one hunk. */
function hunksOf(edits: Edit[]): Edit[][] {
  const hunks: Edit[][] = [];
  let hunk: Edit[] = [];
  for (const [index, edit] of edits.entries()) {
    if (!edit.isEqual) {
      hunk.push(edit);
      continue;
    }
    const [isFirst, isLast] = [index === 0, index === edits.length - 1];
    const head = { ...edit, to: Math.min(edit.to, edit.from + CONTEXT_LINES) };
    head.end = edit.start + (head.to - head.from);
    const tail = { ...edit, from: Math.max(edit.from, edit.to - CONTEXT_LINES) };
    tail.start = edit.end - (tail.to - tail.from);
    if (isFirst) hunk.push(tail);
    else if (isLast) hunk.push(head);
    else if (edit.to - edit.from > 2 * CONTEXT_LINES) {
      hunks.push([...hunk, head]);
      hunk = [tail];
    } else hunk.push(edit);
  }
  if (hunk.some(({ isEqual }) => !isEqual)) hunks.push(hunk);
  return hunks;
}

/** `first line,number of lines`, as diff prints it. */
function printRange(from: number, to: number): string {
  if (to - from === 1) return String(from + 1);
  return `${to === from ? from : from + 1},${to - from}`;
}
