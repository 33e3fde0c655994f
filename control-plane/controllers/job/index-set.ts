/** First and last index, both included. */
type Interval = readonly [number, number];

/** Indexes as ordered intervals that do not touch, as status.completedIndexes keeps them. */
export type IndexSet = readonly Interval[];

/**
 * Reads `1,3-5`. A status may be written by others: what makes no sense is left out, as are indexes that the Job (no
 * longer) has.
 */
export function parseIndexSet(text: string | undefined, completions: number): IndexSet {
  const intervals: [number, number][] = [];
  for (const part of text ? text.split(",") : []) {
    const [first, last] = part.split("-");
    if (!isNumber(first) || (last !== undefined && !isNumber(last))) continue;
    const from = Number(first);
    if (from >= completions) break;
    const to = last === undefined ? from : Math.min(Number(last), completions - 1);
    const before = intervals.at(-1);
    if (before && before[1] === from - 1) before[1] = to;
    else intervals.push([from, to]);
  }
  return intervals;
}

const isNumber = (text: string | undefined): boolean => text !== undefined && /^[+-]?\d+$/.test(text);

/** Two neighbours are printed as `1,2`, more as `1-3`. */
export const printIndexSet = (set: IndexSet): string =>
  set.map(([from, to]) => (from === to ? from : `${from}${to === from + 1 ? "," : "-"}${to}`)).join(",");

export const indexSetOf = (indexes: Iterable<number>): IndexSet =>
  merge([...new Set(indexes)].sort((a, b) => a - b).map((index) => [index, index]));

export const unionOf = (a: IndexSet, b: IndexSet): IndexSet => merge([...a, ...b].sort(([x], [y]) => x - y));

function merge(sorted: Interval[]): IndexSet {
  const merged: [number, number][] = [];
  for (const [from, to] of sorted) {
    const before = merged.at(-1);
    if (before && from <= before[1] + 1) before[1] = Math.max(before[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

export const sizeOf = (set: IndexSet): number => set.reduce((sum, [from, to]) => sum + to - from + 1, 0);

export function hasIndex(set: IndexSet, index: number): boolean {
  let [low, high] = [0, set.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((set[middle]?.[1] ?? 0) < index) low = middle + 1;
    else high = middle;
  }
  const interval = set[low];
  return interval !== undefined && interval[0] <= index;
}

/** How many indexes are in both. */
export function overlapOf(a: IndexSet, b: IndexSet): number {
  let shared = 0;
  for (let i = 0, j = 0; ; ) {
    const [x, y] = [a[i], b[j]];
    if (!x || !y) return shared;
    shared += Math.max(0, Math.min(x[1], y[1]) - Math.max(x[0], y[0]) + 1);
    if (x[1] < y[1]) i++;
    else j++;
  }
}

/** The first `count` indexes below `completions` that are not in the set. */
export function firstOutside(set: IndexSet, count: number, completions: number): number[] {
  const found: number[] = [];
  let candidate = 0;
  for (const [from, to] of [...set, [completions, completions] as const]) {
    for (; candidate < Math.min(from, completions) && found.length < count; candidate++) found.push(candidate);
    candidate = Math.max(candidate, to + 1);
  }
  return found;
}
