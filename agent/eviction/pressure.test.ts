import { describe, expect, it } from "vitest";
import { findMet, NO_PRESSURE, observePressure, type PressureState } from "./pressure.ts";
import { FACTS, type Observations, type Pressure, SIGNALS, type Signal } from "./signals.ts";
import { parseThresholdValue, type Threshold } from "./thresholds.ts";

const threshold = (
  signal: Signal,
  value: string,
  fields: { graceMs?: number; minReclaim?: string } = {},
): Threshold => ({
  signal,
  value: parseThresholdValue(value)!,
  graceMs: fields.graceMs ?? 0,
  ...(fields.minReclaim && { minReclaim: parseThresholdValue(fields.minReclaim)! }),
});

const left = (signal: Signal, available: number): Observations => ({ [signal]: { available, capacity: 1000 } });

describe("findMet", () => {
  it.each<{
    name: string;
    value: string;
    available: number;
    minReclaim?: string;
    withReclaim?: boolean;
    want: boolean;
  }>([
    { name: "more than the threshold is enough", value: "100", available: 101, want: false },
    { name: "as much is enough", value: "100", available: 100, want: false },
    { name: "less is not", value: "100", available: 99, want: true },
    { name: "a share of what there is", value: "10%", available: 99, want: true },
    { name: "a share that is left", value: "10%", available: 100, want: false },
    { name: "the reclaim does not count at first", value: "100", minReclaim: "50", available: 120, want: false },
    { name: "and does later", value: "100", minReclaim: "50", available: 149, withReclaim: true, want: true },
    { name: "until it is there", value: "100", minReclaim: "50", available: 150, withReclaim: true, want: false },
    { name: "a share of reclaim", value: "100", minReclaim: "5%", available: 149, withReclaim: true, want: true },
  ])("$name", ({ value, minReclaim, available, withReclaim = false, want }) => {
    const one = threshold("nodefs.available", value, { minReclaim });
    expect(findMet([one], left("nodefs.available", available), { withReclaim }).length === 1).toBe(want);
  });

  it("says nothing of what could not be measured", () => {
    expect(findMet([threshold("imagefs.available", "10%")], {}, { withReclaim: false })).toEqual([]);
  });
});

describe("observePressure", () => {
  const look = (
    state: PressureState,
    observations: Observations,
    thresholds: Threshold[],
    nowMs: number,
  ): PressureState => observePressure(state, observations, { thresholds, transitionMs: 300_000, nowMs });

  it.each(SIGNALS.map((signal) => ({ signal, pressure: FACTS[signal].pressure })))(
    "$signal is $pressure (EVI-02)",
    ({ signal, pressure }) => {
      const thresholds = [threshold(signal, "10%")];
      const state = look(NO_PRESSURE, left(signal, 1), thresholds, 0);
      expect([[...state.pressures], state.met]).toEqual([[pressure], thresholds]);
    },
  );

  it("waits for a soft threshold's grace, which begins anew when there was enough in between (EVI-04)", () => {
    const soft = threshold("memory.available", "200", { graceMs: 60_000 });
    let state = look(NO_PRESSURE, left("memory.available", 150), [soft], 0);
    expect([[...state.pressures], state.met]).toEqual([["MemoryPressure"], []]);
    state = look(state, left("memory.available", 150), [soft], 59_999);
    expect(state.met).toEqual([]);
    state = look(state, left("memory.available", 300), [soft], 60_000);
    state = look(state, left("memory.available", 150), [soft], 70_000);
    state = look(state, left("memory.available", 150), [soft], 129_999);
    expect(state.met).toEqual([]);
    state = look(state, left("memory.available", 150), [soft], 130_000);
    expect(state.met).toEqual([soft]);
  });

  it("goes on until the minimum reclaim is there, once begun", () => {
    const hard = threshold("nodefs.available", "100", { minReclaim: "50" });
    let state = look(NO_PRESSURE, left("nodefs.available", 120), [hard], 0);
    expect(state.met).toEqual([]);
    state = look(state, left("nodefs.available", 99), [hard], 1);
    state = look(state, left("nodefs.available", 149), [hard], 2);
    expect(state.met).toEqual([hard]);
    state = look(state, left("nodefs.available", 150), [hard], 3);
    expect(state.met).toEqual([]);
    state = look(state, left("nodefs.available", 120), [hard], 4);
    expect(state.met).toEqual([]);
  });

  it.each<{ name: string; atMs: number; want: Pressure[] }>([
    { name: "is told for the whole transition period", atMs: 299_999, want: ["DiskPressure"] },
    { name: "and then no more", atMs: 300_000, want: [] },
  ])("a pressure that is over $name", ({ atMs, want }) => {
    const hard = threshold("nodefs.available", "100");
    const tense = look(NO_PRESSURE, left("nodefs.available", 1), [hard], 0);
    const after = look(tense, left("nodefs.available", 500), [hard], atMs);
    expect([[...after.pressures], after.met]).toEqual([want, []]);
  });

  it("puts memory before all else", () => {
    const all = (["pid.available", "nodefs.available", "allocatableMemory.available", "memory.available"] as const).map(
      (signal) => threshold(signal, "10%"),
    );
    const observations = Object.assign({}, ...all.map(({ signal }) => left(signal, 1))) as Observations;
    expect(look(NO_PRESSURE, observations, all, 0).met.map(({ signal }) => signal)).toEqual([
      "allocatableMemory.available",
      "memory.available",
      "pid.available",
      "nodefs.available",
    ]);
  });
});
