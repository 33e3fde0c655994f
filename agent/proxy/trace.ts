import { hash } from "node:crypto";
import type { Element, Piece } from "./pieces.ts";

/** What is remembered of a piece that the kernel has: enough to tell what changed, and to take it away. */
export interface Trace {
  /** By name: a hash of the rules. */
  chains: Map<string, string>;
  sets: Set<string>;
  elements: Element[];
}

const HASH_CHARACTERS = 16;

export const traceOf = ({ chains, affinitySets, elements }: Piece): Trace => ({
  chains: new Map([...chains].map(([name, lines]) => [name, hashOf(lines)])),
  sets: new Set(affinitySets.keys()),
  elements,
});

const hashOf = (lines: readonly string[]) => hash("sha256", lines.join("\n"), "base64").slice(0, HASH_CHARACTERS);

/** As one text: of thousands of traces the objects would take several times the memory. */
export const packTrace = ({ chains, sets, elements }: Trace): string =>
  JSON.stringify([[...chains], [...sets], elements.map(({ set, key, value }) => [set, key, value])]);

type Packed = [[string, string][], string[], [Element["set"], string, string | null][]];

export function unpackTrace(packed: string): Trace {
  const [chains, sets, elements] = JSON.parse(packed) as Packed;
  return {
    chains: new Map(chains),
    sets: new Set(sets),
    elements: elements.map(([set, key, value]) => ({ set, key, ...(value !== null && { value }) })),
  };
}
