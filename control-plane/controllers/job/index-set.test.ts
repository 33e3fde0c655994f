import fc from "fast-check";
import { expect, it } from "vitest";
import {
  firstOutside,
  hasIndex,
  indexSetOf,
  overlapOf,
  parseIndexSet,
  printIndexSet,
  sizeOf,
  unionOf,
} from "./index-set.ts";

it.each<[text: string | undefined, completions: number, want: string]>([
  ["", 9, ""],
  [undefined, 9, ""],
  ["1,3-5,7", 9, "1,3-5,7"],
  ["1,2,3", 9, "1-3"],
  ["1-2", 9, "1,2"],
  ["1-8", 5, "1-4"],
  ["1,7", 5, "1"],
  ["1,x,3-y,4", 9, "1,4"],
])("reads %j of %i as %s", (text, completions, want) => {
  expect(printIndexSet(parseIndexSet(text, completions))).toBe(want);
});

const indexes = fc.uniqueArray(fc.nat(30), { maxLength: 20 });
const sorted = (numbers: Iterable<number>) => [...numbers].sort((a, b) => a - b);
const all = Array.from({ length: 31 }, (_, i) => i);

it("is a set", () => {
  fc.assert(
    fc.property(indexes, indexes, (a, b) => {
      const [setA, setB] = [indexSetOf(a), indexSetOf(b)];
      const union = unionOf(setA, setB);
      expect(all.filter((i) => hasIndex(union, i))).toEqual(sorted(new Set([...a, ...b])));
      expect(sizeOf(union)).toBe(new Set([...a, ...b]).size);
      expect(overlapOf(setA, setB)).toBe(a.filter((i) => b.includes(i)).length);
      expect(parseIndexSet(printIndexSet(setA), 31)).toEqual(setA);
      expect(firstOutside(setA, 5, 25)).toEqual(all.filter((i) => i < 25 && !a.includes(i)).slice(0, 5));
    }),
  );
});
