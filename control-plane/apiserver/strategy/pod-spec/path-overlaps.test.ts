import { expect, it } from "vitest";
import { overlappingPathWarnings } from "./path-overlaps.ts";

const configMap = (paths: string[]) => ({
  name: "v",
  configMap: { name: "c", items: paths.map((path) => ({ key: "k", path })) },
});

it.each([
  { name: "files apart", paths: ["a", "ab", "b/a"], want: [] },
  { name: "a file twice", paths: ["a", "a/"], want: ['"a" with "a"'] },
  { name: "a file below another", paths: ["a", "b", "a/b//"], want: ['"a/b" with "a"'] },
  { name: "a file above another", paths: ["a/b", "a"], want: ['"a" with "a/b"'] },
])("$name", ({ paths, want }) => {
  const texts = want.map((text) => `volume "v" (ConfigMap "c"): overlapping paths: ${text}`);
  expect(overlappingPathWarnings([configMap(paths)])).toEqual(texts);
});

it("warns of the first overlaps alone where there are very many", () => {
  const warnings = overlappingPathWarnings([configMap(Array<string>(100_000).fill("a"))]);
  expect(warnings.length).toBeGreaterThan(50);
  expect(warnings.length).toBeLessThan(200);
});

it("walks a long run of slashes once", () => {
  expect(overlappingPathWarnings([configMap([`${"/".repeat(1_000_000)}a`, "a"])])).toEqual([]);
});
