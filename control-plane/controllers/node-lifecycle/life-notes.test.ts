import { expect, it } from "vitest";
import type { Node } from "../../../shared/api/types.ts";
import type { Notes } from "../../runtime/index.ts";
import { decideHealth, lastSignMs } from "./health.ts";
import { LifeNotes } from "./life-notes.ts";

const START_MS = Date.parse("2026-01-01T00:00:00Z");
const at = (seconds: number) => new Date(START_MS + seconds * 1000).toISOString();

const node = {
  metadata: { name: "n", uid: "u", creationTimestamp: at(-3600) },
  status: { conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: at(-300) }] },
} as Node;

function memoryNotes(): Notes {
  const values = new Map<string, unknown>();
  return {
    get: <T>(key: string) => values.get(key) as T | undefined,
    put: (key, value) => void values.set(key, value),
    delete: (key) => void values.delete(key),
    list: <T>(prefix: string) => [...values].filter(([key]) => key.startsWith(prefix)) as [string, T][],
  };
}

/** Judges the node at these times (seconds), with the renewal (seconds) that its Lease has then. */
function judge(looks: { at: number; renewed: number }[]): (number | "lost")[] {
  const life = new LifeNotes(memoryNotes());
  return looks.map(({ at: seconds, renewed }) => {
    const nowMs = START_MS + seconds * 1000;
    const health = decideHealth(node, lastSignMs(node, life.notice(node, at(renewed), nowMs), nowMs), nowMs);
    return health.isLost ? "lost" : Math.round(health.recheckAfterMs / 1000);
  });
}

it.each([
  {
    name: "a renewal counts from its own time, not from the look at it",
    looks: [
      { at: 0, renewed: 0 },
      { at: 50, renewed: 48 },
      { at: 98.1, renewed: 48 },
    ],
    want: [50, 48, "lost"],
  },
  {
    name: "a clock that is behind: what changes between looks is alive",
    looks: [
      { at: 0, renewed: -1000 },
      { at: 40, renewed: -960 },
      { at: 80, renewed: -920 },
    ],
    want: ["lost", 50, 50],
  },
  {
    name: "a clock that is behind, and no more changes",
    looks: [
      { at: 0, renewed: -1000 },
      { at: 40, renewed: -960 },
      { at: 91, renewed: -960 },
    ],
    want: ["lost", 50, "lost"],
  },
  {
    name: "a clock that is ahead",
    looks: [
      { at: 0, renewed: 1000 },
      { at: 40, renewed: 1040 },
      { at: 91, renewed: 1040 },
    ],
    want: ["lost", 50, "lost"],
  },
])("$name", ({ looks, want }) => expect(judge(looks)).toEqual(want));
