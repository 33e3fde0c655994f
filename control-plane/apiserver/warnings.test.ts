import { expect, it } from "vitest";
import { fitWarnings } from "./warnings.ts";

const distinct = (count: number, length: number) =>
  Array.from({ length: count }, (_, i) => String(i).padEnd(length, "x"));

it.each([
  { name: "few", warnings: ["a", "b"], want: ["a", "b"] },
  { name: "one twice", warnings: ["a", "b", "a"], want: ["a", "b"] },
  { name: "as long together as may be", warnings: distinct(4, 1024), want: distinct(4, 1024) },
  { name: "one that is too long", warnings: ["é".repeat(5000)], want: ["é".repeat(256)] },
  { name: "characters of two units", warnings: ["😀".repeat(5000)], want: ["😀".repeat(256)] },
  { name: "too long together", warnings: distinct(5, 1024), want: distinct(5, 256) },
  { name: "very many", warnings: distinct(30_000, 1024), want: distinct(16, 256) },
  { name: "very many short ones", warnings: distinct(30_000, 32), want: distinct(129, 32) },
])("$name", ({ warnings, want }) => expect(fitWarnings(warnings)).toEqual(want));
