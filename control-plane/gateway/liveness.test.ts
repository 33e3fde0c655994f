import { expect, it } from "vitest";
import { isDead, lastSignOfLifeMs } from "./liveness.ts";

it.each([
  { name: "just connected", connectedMs: 100_000, lastPingMs: null, nowMs: 125_000, want: false },
  { name: "connected, and silent ever since", connectedMs: 100_000, lastPingMs: null, nowMs: 125_001, want: true },
  { name: "pinging", connectedMs: 0, lastPingMs: 100_000, nowMs: 110_000, want: false },
  { name: "silent after a ping", connectedMs: 0, lastPingMs: 100_000, nowMs: 125_001, want: true },
])("a peer that is $name: dead is $want", ({ connectedMs, lastPingMs, nowMs, want }) => {
  expect(isDead({ connectedMs, lastPingMs }, nowMs)).toBe(want);
});

it("the last sign of life is the later of connection and ping", () => {
  expect(lastSignOfLifeMs({ connectedMs: 5, lastPingMs: 3 })).toBe(5);
  expect(lastSignOfLifeMs({ connectedMs: 5, lastPingMs: 9 })).toBe(9);
});
