import { expect, it } from "vitest";
import { HotKeys } from "./hot-keys.ts";

it("slows a key that comes too often, but not for as long as the clock was set back", () => {
  let nowMs = 10_000_000;
  const hot: number[] = [];
  const keys = new HotKeys({ nowMs: () => nowMs });
  const run = () => keys.count("a", () => hot.push(nowMs));
  for (let i = 0; i < 3_000; i++) expect(run()).toBe(0);
  expect(run()).toBeGreaterThan(0);
  expect(run()).toBeGreaterThan(0);
  expect(hot).toEqual([10_000_000]);
  nowMs -= 3_600_000;
  expect(run()).toBe(0);
});
