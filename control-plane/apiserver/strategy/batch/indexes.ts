/** Thrown texts are upstream's. */
class IndexesError extends Error {}

function parseIndex(text: string, completions: number): number {
  if (!/^[+-]?\d+$/.test(text)) {
    throw new IndexesError(`cannot convert string to integer for index: ${JSON.stringify(text)}`);
  }
  const index = Number(text);
  if (index >= completions) throw new IndexesError(`too large index: ${JSON.stringify(text)}`);
  return index;
}

function assertRises(previous: number, current: number): void {
  if (previous >= current) throw new IndexesError(`non-increasing order, previous: ${previous}, current: ${current}`);
}

function parseInterval(text: string, completions: number): [number, number] {
  const [first = "", last, ...rest] = text.split("-");
  if (rest.length > 0) {
    throw new IndexesError(
      `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`,
    );
  }
  const from = parseIndex(first, completions);
  if (last === undefined) return [from, from];
  const to = parseIndex(last, completions);
  assertRises(from, to);
  return [from, to];
}

/** Reads indexes such as `1,3-5`; intervals are inclusive. `error`: why they are wrong. */
export function parseIndexes(text: string, completions: number): { intervals: [number, number][]; error?: string } {
  const intervals: [number, number][] = [];
  if (text === "") return { intervals };
  try {
    for (const part of text.split(",")) {
      const interval = parseInterval(part, completions);
      const previous = intervals.at(-1);
      if (previous) assertRises(previous[1], interval[0]);
      intervals.push(interval);
    }
  } catch (error) {
    if (error instanceof IndexesError) return { intervals, error: error.message };
    throw error;
  }
  return { intervals };
}

export const countIndexes = (intervals: [number, number][]): number =>
  intervals.reduce((sum, [from, to]) => sum + to - from + 1, 0);

/** The first index in both, as upstream looks for it; undefined when they share none. */
export function firstOverlap(a: [number, number][], b: [number, number][]): number | undefined {
  for (const [aFrom, aTo] of a) {
    for (const [bFrom, bTo] of b) if (aFrom <= bTo && bFrom <= aTo) return Math.max(aFrom, bFrom);
  }
  return undefined;
}
