import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { backoffMs } from "./backoff.ts";
import { systemClock } from "./clock.ts";
import { type Requeue, TerminalError, WorkQueue } from "./work-queue.ts";

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

/** A queue that writes down what it is asked to work on, and finishes when told. */
function recorder(concurrency = 2, work?: (key: string) => Promise<Requeue>) {
  const started: string[] = [];
  const finish = new Map<string, (result: Requeue) => void>();
  const errors: string[] = [];
  const queue = new WorkQueue<string>({
    clock: systemClock,
    concurrency,
    work: (key) => {
      started.push(key);
      return work ? work(key) : new Promise((resolve) => finish.set(key, resolve));
    },
    onChange() {},
    onError: (key, error) => void errors.push(`${key}: ${String(error)}`),
  });
  return { queue, started, errors, finish: (key: string, result: Requeue = {}) => finish.get(key)?.(result) };
}

const settle = () => vi.advanceTimersByTimeAsync(1);

describe("WorkQueue", () => {
  it("waits for the start", async () => {
    const { queue, started } = recorder();
    queue.add("a");
    await settle();
    expect(started).toEqual([]);
    queue.start();
    await settle();
    expect(started).toEqual(["a"]);
  });

  it("takes each key once, some at a time, and again if it was added meanwhile", async () => {
    const { queue, started, finish } = recorder(2);
    queue.start();
    for (const key of ["a", "b", "c", "a", "c"]) queue.add(key);
    await settle();
    expect(started).toEqual(["a", "b"]);
    queue.add("a");
    finish("a");
    await settle();
    expect(started).toEqual(["a", "b", "c"]);
    finish("b");
    await settle();
    expect(started).toEqual(["a", "b", "c", "a"]);
  });

  it("keeps the earlier of two delays, and forgets them when the key is looked at", async () => {
    const { queue, started, finish } = recorder();
    queue.start();
    queue.addAfter("a", 5000);
    queue.addAfter("a", 9000);
    expect(queue.nextDueMs()).toBe(1_005_000);
    queue.addAfter("a", 2000);
    expect(queue.nextDueMs()).toBe(1_002_000);
    queue.add("a");
    await settle();
    expect(queue.nextDueMs()).toBeUndefined();
    finish("a", { afterMs: 3000 });
    await settle();
    await vi.advanceTimersByTimeAsync(4000);
    queue.releaseDue();
    await settle();
    expect(started).toEqual(["a", "a"]);
  });

  it("backs off after failures, and starts anew after a success", async () => {
    let fails = true;
    const { queue, started, errors } = recorder(1, async () => {
      if (fails) throw new Error("no");
      return {};
    });
    queue.start();
    queue.add("a");
    await settle();
    const firstMs = (queue.nextDueMs() ?? 0) - Date.now();
    expect(firstMs).toBeLessThanOrEqual(5);
    await vi.advanceTimersByTimeAsync(10);
    queue.releaseDue();
    await settle();
    expect((queue.nextDueMs() ?? 0) - Date.now()).toBeGreaterThan(firstMs);
    fails = false;
    await vi.advanceTimersByTimeAsync(20);
    queue.releaseDue();
    await settle();
    expect([started.length, errors.length, queue.nextDueMs(), queue.isIdle]).toEqual([3, 2, undefined, true]);
  });

  it("drops what cannot be helped by trying again", async () => {
    const { queue } = recorder(1, async () => {
      throw new TerminalError("never");
    });
    queue.start();
    queue.add("a");
    await settle();
    expect([queue.isIdle, queue.nextDueMs()]).toEqual([true, undefined]);
  });

  it("slows down a key that comes in a circle", async () => {
    const { queue, started, errors } = recorder(1, async (key) => {
      queueMicrotask(() => queue.add(key));
      return {};
    });
    queue.start();
    queue.add("a");
    await vi.advanceTimersByTimeAsync(9000);
    queue.releaseDue();
    await vi.advanceTimersByTimeAsync(900);
    expect(started.length).toBeLessThan(3010);
    expect(started.length).toBeGreaterThanOrEqual(3000);
    expect(errors).toEqual(["a: Error: comes too often"]);
  });
});

describe("backoffMs", () => {
  it.each([
    [1, 5],
    [2, 10],
    [10, 2560],
    [18, 655_360],
    [19, 1_000_000],
    [1000, 1_000_000],
  ])("after %i failures is %i", (failures, want) => expect(backoffMs(failures)).toBe(want));

  it("has other bounds where a controller asks for them", () => {
    const waits = [1, 2, 6, 7, 9].map((failures) => backoffMs(failures, { baseMs: 1000, maxMs: 60_000 }));
    expect(waits).toEqual([1000, 2000, 32_000, 60_000, 60_000]);
  });
});
