import { describe, expect, it } from "vitest";
import type { Event } from "../../../shared/api/types.ts";
import { decide } from "./decide.ts";

const NOW_MS = Date.parse("2026-10-21T08:00:00Z");
const MINUTE_MS = 60_000;

const event = (name: string, times: Partial<Event>): Event => ({
  metadata: { name, namespace: "default", creationTimestamp: "2026-10-21T01:00:00Z" },
  involvedObject: {},
  ...times,
});

describe("decide", () => {
  it.each<{ name: string; events: Event[]; remove: string[]; recheckAfterMs?: number }>([
    { name: "plans nothing when there are none", events: [], remove: [] },
    { name: "removes what was last written an hour ago (EVT-01)", events: [event("a", {})], remove: ["a"] },
    {
      name: "counts from the last of a series",
      events: [event("a", { lastTimestamp: "2026-10-21T07:30:00Z" })],
      remove: [],
      recheckAfterMs: 35 * MINUTE_MS,
    },
    {
      name: "counts an events.k8s.io event by its eventTime",
      events: [event("a", { eventTime: "2026-10-21T07:59:00.000000Z" })],
      remove: [],
      recheckAfterMs: 64 * MINUTE_MS,
    },
    {
      name: "looks again for the oldest that stays",
      events: [
        event("a", {}),
        event("b", { lastTimestamp: "2026-10-21T07:50:00Z" }),
        event("c", { lastTimestamp: "2026-10-21T07:10:00Z" }),
      ],
      remove: ["a"],
      recheckAfterMs: 15 * MINUTE_MS,
    },
  ])("$name", ({ events, remove, recheckAfterMs }) => {
    const plan = decide(events, NOW_MS);
    expect(plan.remove.map(({ metadata }) => metadata.name)).toEqual(remove);
    expect(plan.recheckAfterMs).toBe(recheckAfterMs);
  });
});
