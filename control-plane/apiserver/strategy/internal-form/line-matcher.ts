/** A run of lines that two texts share: `length` lines from `before` in one, from `after` in the other. */
export interface Match {
  before: number;
  after: number;
  length: number;
}

/** From so many lines on, lines that are more than about one in a hundred no longer begin a match. */
const POPULAR_FROM_LINES = 200;

/**
 * The runs of lines that two texts share, in order: the longest one first, then to the left and right of it (Ratcliff
 * and Obershelp's way, as Python's difflib and its Go port take it; an edit script that is shorter may exist).
 * Takes quadratic time and more: for short texts.
 */
export function matchingRuns(before: string[], after: string[]): Match[] {
  const places = placesOf(after);
  const found: Match[] = [];
  const open = [{ from: 0, to: before.length, start: 0, end: after.length }];
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const match = longestMatch(before, after, places, range);
    if (match.length === 0) continue;
    found.push(match);
    const { before: i, after: j, length } = match;
    if (range.from < i && range.start < j) open.push({ from: range.from, to: i, start: range.start, end: j });
    if (i + length < range.to && j + length < range.end) {
      open.push({ from: i + length, to: range.to, start: j + length, end: range.end });
    }
  }
  found.sort((a, b) => a.before - b.before);
  return joinAdjacent(found);
}

function placesOf(lines: string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const known = places.get(line);
    if (known) known.push(index);
    else places.set(line, [index]);
  }
  if (lines.length < POPULAR_FROM_LINES) return places;
  const most = Math.floor(lines.length / 100) + 1;
  for (const [line, indices] of places) if (indices.length > most) places.delete(line);
  return places;
}

interface Range {
  from: number;
  to: number;
  start: number;
  end: number;
}

/** Of several that are as long, the first. */
function longestMatch(before: string[], after: string[], places: Map<string, number[]>, range: Range): Match {
  let best: Match = { before: range.from, after: range.start, length: 0 };
  let lengths = new Map<number, number>();
  for (let i = range.from; i < range.to; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(before[i]!) ?? []) {
      if (j < range.start) continue;
      if (j >= range.end) break;
      const length = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, length);
      if (length > best.length) best = { before: i - length + 1, after: j - length + 1, length };
    }
    lengths = next;
  }
  return widen(before, after, best, range);
}

/** Takes in equal lines on both sides, popular ones among them. */
function widen(before: string[], after: string[], { before: i, after: j, length }: Match, range: Range): Match {
  while (i > range.from && j > range.start && before[i - 1] === after[j - 1]) {
    i--;
    j--;
    length++;
  }
  while (i + length < range.to && j + length < range.end && before[i + length] === after[j + length]) length++;
  return { before: i, after: j, length };
}

function joinAdjacent(matches: Match[]): Match[] {
  const joined: Match[] = [];
  for (const match of matches) {
    const last = joined.at(-1);
    if (last && last.before + last.length === match.before && last.after + last.length === match.after) {
      last.length += match.length;
    } else joined.push({ ...match });
  }
  return joined;
}
