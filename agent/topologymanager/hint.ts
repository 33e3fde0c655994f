/** NUMA nodes by their numbers, ascending. */
export type NumaNodes = readonly number[];

/** Where something could be given out. */
export interface Hint {
  /** Undefined: anywhere. */
  nodes: NumaNodes | undefined;
  /** Whether it takes no more nodes than it would on the empty machine. */
  preferred: boolean;
}

/** By resource. No hint at all for one: it cannot be given out. */
export type Hints = Readonly<Record<string, readonly Hint[]>>;

/** Every set of nodes but the empty one: the smaller ones first, of one size in the order of their numbers. */
export function subsetsOf(nodes: NumaNodes): NumaNodes[] {
  const ofSize = (size: number, from: number): NumaNodes[] =>
    size === 0
      ? [[]]
      : nodes.slice(from).flatMap((node, index) => ofSize(size - 1, from + index + 1).map((rest) => [node, ...rest]));
  return nodes.flatMap((_, index) => ofSize(index + 1, 0));
}

export const areEqual = (a: NumaNodes, b: NumaNodes): boolean =>
  a.length === b.length && a.every((node, index) => node === b[index]);

/** Fewer nodes, or as many with lower numbers (read as binary numbers, as upstream's bit masks are). */
export function isNarrower(a: NumaNodes, b: NumaNodes): boolean {
  if (a.length !== b.length) return a.length < b.length;
  const index = a.findLastIndex((node, at) => node !== b[at]);
  return index >= 0 && a[index]! < b[index]!;
}
