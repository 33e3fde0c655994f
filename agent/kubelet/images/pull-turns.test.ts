import { expect, it } from "vitest";
import { createPullTurns } from "./pull-turns.ts";

/** Pulls that end when they are told to; `running` has those that have begun. */
function setUp(options: { maxParallel: number; qps?: number; burst?: number }) {
  let now = 0;
  const turns = createPullTurns({ qps: 0, burst: 0, nowMs: () => now, ...options });
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const pull = (name: string) =>
    turns.take(async () => {
      running.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { pull, running, end: (name: string) => ends.get(name)!(), settle, advance: (ms: number) => (now += ms) };
}

it("is one at a time, in order", async () => {
  const { pull, running, end, settle } = setUp({ maxParallel: 1 });
  const all = ["a", "b", "c"].map(pull);
  await settle();
  expect(running).toEqual(["a"]);
  for (const name of ["a", "b", "c"]) {
    end(name);
    await settle();
  }
  expect(running).toEqual(["a", "b", "c"]);
  expect(await Promise.all(all)).toEqual(["a", "b", "c"]);
});

it("is so many at a time as are allowed", async () => {
  const { pull, running, end, settle } = setUp({ maxParallel: 2 });
  const all = ["a", "b", "c"].map(pull);
  await settle();
  expect(running).toEqual(["a", "b"]);
  for (const name of ["b", "a", "c"]) {
    end(name);
    await settle();
  }
  await Promise.all(all);
});

it("refuses more than the registry shall bear, and lets the next one go", async () => {
  const { pull, end, settle, advance } = setUp({ maxParallel: 1, qps: 1, burst: 1 });
  const first = pull("a");
  const second = pull("b");
  await settle();
  end("a");
  await first;
  await expect(second).rejects.toThrow("pull QPS exceeded");
  advance(1_000);
  const third = pull("c");
  await settle();
  end("c");
  expect(await third).toBe("c");
});
