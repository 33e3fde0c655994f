import { expect, it } from "vitest";
import { nextStep, ttlText } from "./decide.ts";

it.each([
  { name: "few", sizes: [1, 100], want: "0" },
  { name: "one more than a hundred", sizes: [101], want: "15" },
  { name: "fewer again, but not by much", sizes: [101, 90], want: "15" },
  { name: "fewer by far", sizes: [101, 89], want: "0" },
  { name: "very many at once", sizes: [5000], want: "300" },
  { name: "nearly all gone", sizes: [5000, 3], want: "0" },
])("$name: $want s", ({ sizes, want }) => expect(ttlText(sizes.reduce(nextStep, 0))).toBe(want));
