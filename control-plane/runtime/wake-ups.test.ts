import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "./clock.ts";
import { WakeUps } from "./wake-ups.ts";

const NOW_MS = 6_000_000;

beforeEach(() => void vi.useFakeTimers({ now: NOW_MS }));
afterEach(() => void vi.useRealTimers());

function make(alarmAtMs?: number) {
  const writes: (number | "none")[] = [];
  let due = 0;
  const wakeUps = new WakeUps({
    clock: systemClock,
    alarms: {
      setAlarm: async (atMs) => void writes.push(atMs),
      deleteAlarm: async () => void writes.push("none"),
    },
    onDue: () => void due++,
    alarmAtMs,
  });
  return { wakeUps, writes, due: () => due };
}

describe("WakeUps", () => {
  it("uses a timer for what is due soon, and an alarm in case it does not live to see it", async () => {
    const { wakeUps, writes, due } = make();
    wakeUps.set(NOW_MS + 500, false);
    await vi.advanceTimersByTimeAsync(400);
    expect([due(), writes.length]).toEqual([0, 1]);
    await vi.advanceTimersByTimeAsync(100);
    expect(due()).toBe(1);
  });

  it("uses the alarm for what is due later", async () => {
    const { wakeUps, writes } = make();
    wakeUps.set(NOW_MS + 50_000, false);
    wakeUps.set(NOW_MS + 40_000, false);
    await vi.advanceTimersByTimeAsync(0);
    expect(writes).toEqual([NOW_MS + 40_000]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not write the alarm again for each key of a busy time", async () => {
    const { wakeUps, writes } = make();
    for (let i = 0; i < 50; i++) {
      wakeUps.set(undefined, true);
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(writes.length).toBe(1);
  });

  it("leaves neither timer nor alarm behind", async () => {
    const { wakeUps, writes } = make();
    wakeUps.set(undefined, true);
    await vi.advanceTimersByTimeAsync(0);
    wakeUps.set(undefined, false);
    await vi.advanceTimersByTimeAsync(1999);
    expect(writes.length).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(writes.at(-1)).toBe("none");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("knows the alarm that was set before it was made", async () => {
    const { wakeUps, writes } = make(NOW_MS + 30_000);
    wakeUps.set(NOW_MS + 30_000, false);
    await vi.advanceTimersByTimeAsync(5000);
    expect(writes).toEqual([]);
  });
});
