import type { IdSpace } from "./id-space.ts";

/** The first id of each pod's range, by the pod's uid. */
export type Ranges = ReadonlyMap<string, number>;

/**
 * A free range for a pod; the one that it has, if it has one.
 * @param start where to look first, from 0 to below 1: a range that was just given back is not the next one's, whose
 *   files it might still own
 * @throws Error in upstream's words if all are taken
 */
export function allocateRange(ranges: Ranges, uid: string, space: IdSpace, start: number): number {
  const own = ranges.get(uid);
  if (own !== undefined) return own;
  const taken = new Set(ranges.values());
  const count = Math.floor(space.total / space.length);
  const offset = Math.floor(start * count);
  // One of so many is free, or none is.
  for (let i = 0; i <= Math.min(taken.size, count - 1); i++) {
    const first = space.first + ((offset + i) % count) * space.length;
    if (!taken.has(first)) return first;
  }
  throw new Error("could not find an empty slot to allocate a user namespace");
}

/**
 * Whether a range that was written down may be a pod's.
 * @throws Error in upstream's words if it is not of this space, or another pod's
 */
export function checkRange(
  ranges: Ranges,
  uid: string,
  { from, length }: { from: number; length: number },
  space: IdSpace,
) {
  if (length !== space.length) throw new Error(`wrong user namespace length ${length}`);
  if (from % space.length !== 0) throw new Error(`wrong user namespace offset specified ${from}`);
  const own = ranges.get(uid);
  if (own !== undefined && own !== from) {
    throw new Error(`different user namespace range already used by pod "${uid}"`);
  }
  if (from < space.first || from >= space.first + space.total) throw new Error(`id ${from} is out of range`);
  if (own === undefined && [...ranges.values()].includes(from)) {
    throw new Error(`range picked for pod "${uid}" already taken`);
  }
}
