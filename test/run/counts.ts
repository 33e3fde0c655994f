/** How a suite went. */
export interface Counts {
  passed: number;
  failed: number;
}

export const addCounts = (a: Counts, b: Counts): Counts => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
});

/** The closing line, alone on its line: continuous integration reads it. */
export const renderCounts = ({ passed, failed }: Counts): string => `${passed} passed, ${failed} failed`;

/** Reads a closing line; undefined when it is none. */
export function parseCounts(line: string): Counts | undefined {
  const match = /^(\d+) passed, (\d+) failed$/.exec(line);
  return match ? { passed: Number(match[1]), failed: Number(match[2]) } : undefined;
}
