import { describe, expect, it } from "vitest";
import { daemonSet } from "../../../test/builders/objects.ts";
import type { Notes } from "../../runtime/index.ts";
import { FailedPods, nextDelay, waitMs } from "./failed-pods.ts";

const NOW_MS = 1_800_000_000_000;

it.each([
  { name: "nothing before", delay: undefined, want: 0 },
  { name: "within the delay", delay: { delayMs: 4000, sinceMs: NOW_MS - 1000 }, want: 3000 },
  { name: "past the delay", delay: { delayMs: 4000, sinceMs: NOW_MS - 5000 }, want: 0 },
  { name: "a clock that was set back", delay: { delayMs: 4000, sinceMs: NOW_MS + 60_000 }, want: 0 },
])("waits: $name", ({ delay, want }) => expect(waitMs(delay, NOW_MS)).toBe(want));

it("doubles from 1 s to 15 minutes, and begins anew after half an hour", () => {
  let delay = nextDelay(undefined, NOW_MS);
  const delays = [delay.delayMs];
  for (let i = 0; i < 11; i++) {
    delay = nextDelay(delay, NOW_MS);
    delays.push(delay.delayMs);
  }
  expect(delays.slice(0, 4)).toEqual([1000, 2000, 4000, 8000]);
  expect(delays.at(-1)).toBe(900_000);
  expect(nextDelay(delay, NOW_MS + 1_800_001).delayMs).toBe(1000);
});

describe("FailedPods", () => {
  const memory = () => {
    const notes = new Map<string, unknown>();
    const store: Notes = {
      get: <T>(key: string) => notes.get(key) as T | undefined,
      put: (key, value) => void notes.set(key, value),
      delete: (key) => void notes.delete(key),
      list: <T>(prefix: string) => [...notes].filter(([key]) => key.startsWith(prefix)) as [string, T][],
    };
    return { notes, failedPods: new FailedPods(store) };
  };
  const of = (uid: string, observedGeneration: number) =>
    daemonSet("d").uid(uid).with({ status: { observedGeneration } }).build();

  it("counts by set, generation and node", () => {
    const { failedPods } = memory();
    failedPods.note(of("u", 1), "a", NOW_MS);
    failedPods.note(of("u", 1), "a", NOW_MS);
    expect(failedPods.get(of("u", 1), "a")?.delayMs).toBe(2000);
    expect(failedPods.get(of("u", 2), "a")).toBeUndefined();
    expect(failedPods.get(of("u", 1), "b")).toBeUndefined();
    expect(failedPods.get(of("v", 1), "a")).toBeUndefined();
  });

  it("leaves nothing behind", () => {
    const { notes, failedPods } = memory();
    failedPods.note(of("u", 1), "a", NOW_MS);
    failedPods.note(of("v", 1), "a", NOW_MS + 1_800_001);
    expect(notes.size).toBe(1);
    failedPods.forget("v");
    expect(notes.size).toBe(0);
  });
});
