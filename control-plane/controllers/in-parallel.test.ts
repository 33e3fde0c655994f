import { expect, it } from "vitest";
import { inParallel } from "./in-parallel.ts";

const numbers = Array.from({ length: 30 }, (_, i) => i);

it("takes all, few at a time, and tells what succeeded and the first error", async () => {
  let underWay = 0;
  let most = 0;
  const { done, error } = await inParallel(numbers, async (n) => {
    underWay += 1;
    most = Math.max(most, underWay);
    await Promise.resolve();
    underWay -= 1;
    if (n % 10 === 3) throw new Error(`no ${n}`);
  });
  expect(done).toEqual(numbers.filter((n) => n % 10 !== 3));
  expect([String(error), most]).toEqual(["Error: no 3", 8]);
});

it("has no error when there is none", async () => {
  expect(await inParallel([1, 2], async () => {})).toEqual({ done: [1, 2] });
});
