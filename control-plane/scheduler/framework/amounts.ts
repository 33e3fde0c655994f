/** Resource amounts in whole units: milli-cores, bytes, and counts of everything else. Absent is zero. */
export interface Amounts {
  cpuMilli: number;
  memoryBytes: number;
  ephemeralStorageBytes: number;
  /** Extended and hugepage resources by name. */
  scalars: Record<string, number>;
}

export const noAmounts = (): Amounts => ({ cpuMilli: 0, memoryBytes: 0, ephemeralStorageBytes: 0, scalars: {} });

/** Adds (or with factor -1 takes away) in place. */
export function addAmounts(target: Amounts, other: Amounts, factor: 1 | -1 = 1): void {
  target.cpuMilli += factor * other.cpuMilli;
  target.memoryBytes += factor * other.memoryBytes;
  target.ephemeralStorageBytes += factor * other.ephemeralStorageBytes;
  for (const name in other.scalars) {
    target.scalars[name] = (target.scalars[name] ?? 0) + factor * other.scalars[name]!;
  }
}
