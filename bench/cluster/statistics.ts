/** The value below which a share of the samples lies; samples need not be sorted. @throws RangeError without samples */
export function percentile(samples: readonly number[], share: number): number {
  if (samples.length === 0) throw new RangeError("no samples");
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? sorted[0]!;
}
