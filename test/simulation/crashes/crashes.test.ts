import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, inject, it, vi } from "vitest";
import { everyController } from "../every-controller.ts";
import { BATCH_STORIES } from "./batch-stories.ts";
import { CLUSTER_STORIES } from "./cluster-stories.ts";
import { DEVICE_STORIES } from "./device-stories.ts";
import { NODE_STORIES } from "./node-stories.ts";
import { play } from "./play.ts";
import { SERVICE_STORIES } from "./service-stories.ts";
import { STORAGE_STORIES } from "./storage-stories.ts";
import type { Story } from "./story.ts";
import { TOKEN_STORIES } from "./token-stories.ts";
import { TROUBLES } from "./troubled-client.ts";
import { WORKLOAD_STORIES } from "./workload-stories.ts";

/*
 * Every controller is killed before and in the middle of each write of a typical piece of work, loses the answer, is
 * refused, or loses a race there: what comes out is what comes out when all goes well, and then nobody writes.
 */

const STORIES: Story[] = [
  ...WORKLOAD_STORIES,
  ...BATCH_STORIES,
  ...CLUSTER_STORIES,
  ...NODE_STORIES,
  ...SERVICE_STORIES,
  ...STORAGE_STORIES,
  ...DEVICE_STORIES,
  ...TOKEN_STORIES,
];

const START = Date.parse("2026-10-21T08:00:00Z");

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  // It answers from outside of virtual time.
  vi.spyOn(crypto.subtle, "importKey").mockResolvedValue({} as CryptoKey);
  vi.spyOn(crypto.subtle, "digest").mockImplementation(async (_, data) => sha256(data as Uint8Array));
  vi.spyOn(crypto.subtle, "sign").mockImplementation(async () => new ArrayBuffer(32));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const sha256 = (data: Uint8Array) => new Uint8Array(createHash("sha256").update(data).digest()).buffer;

/** By day this at each write, and one of the others. */
const [WORST, ...OTHERS] = TROUBLES;

/** Each life begins at the same time. */
function live(...args: Parameters<typeof play>) {
  vi.clearAllTimers();
  vi.setSystemTime(START);
  return play(...args);
}

it.each(STORIES)("$name", { timeout: 120_000 }, async (story) => {
  const well = await live(story);
  story.end(well.api);
  expect(well.idleWrites).toBe(0);
  expect(story.of.filter((name) => !well.log.by.has(name))).toEqual([]);
  expect(well.log.count).toBeGreaterThanOrEqual(story.writes);
  const again = await live(story);
  expect(again.state).toEqual(well.state);

  const { isNightly } = inject("effort");
  let trials = 0;
  for (let at = 0; at < well.log.count; at++) {
    for (const trouble of isNightly ? TROUBLES : ([WORST, OTHERS[at % OTHERS.length]!] as const)) {
      const { state, idleWrites, log, api } = await live(story, { at, trouble });
      story.always?.(api);
      trials += Number(log.hasStruck);
      const [lost, gained] = [without(well.state, state), without(state, well.state)];
      expect({ at, trouble, idleWrites, lost, gained }).toEqual({ at, trouble, idleWrites: 0, lost: [], gained: [] });
    }
  }
  expect(trials).toBeGreaterThanOrEqual(2 * well.log.count);
});

const without = (texts: string[], others: string[]) => texts.filter((text) => !others.includes(text));

it("there is a story of every controller", () => {
  const told = new Set(STORIES.flatMap(({ of }) => of));
  const names = everyController().map(({ name }) => name);
  expect(names.filter((name) => !told.has(name))).toEqual([]);
  expect([...told].filter((name) => !names.includes(name))).toEqual([]);
});
