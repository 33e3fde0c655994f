import { expect, it } from "vitest";
import { decideRelistMs } from "./relist-pace.ts";

const idle = { hasEvents: false, isAway: false, sinceChangeMs: 60_000 };

it.each([
  { name: "without events, within a second", state: idle, want: 1_000 },
  { name: "without events, sooner after a change", state: { ...idle, sinceChangeMs: 4_999 }, want: 250 },
  { name: "with events, once a minute", state: { ...idle, hasEvents: true }, want: 60_000 },
  { name: "with events, whatever has changed", state: { ...idle, hasEvents: true, sinceChangeMs: 0 }, want: 60_000 },
  { name: "after an exit, at once", state: { ...idle, hasEvents: true, unsettledMs: 0 }, want: 10 },
  { name: "in vain, twice as late", state: { ...idle, hasEvents: true, unsettledMs: 80 }, want: 80 },
  { name: "never later than without events", state: { ...idle, hasEvents: true, unsettledMs: 9_000 }, want: 1_000 },
  { name: "while the runtime is away", state: { ...idle, isAway: true, hasEvents: true, unsettledMs: 5 }, want: 1_000 },
])("$name", ({ state, want }) => expect(decideRelistMs(state)).toBe(want));
