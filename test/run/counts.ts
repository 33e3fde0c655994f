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
