import { afterEach, beforeEach, expect, inject, it, vi } from "vitest";
import { EVENTS } from "../../shared/api/refs.ts";
import { rolls } from "../builders/effort.ts";
import { type FaultRates, NO_FAULTS } from "./faults.ts";
import { Random } from "./random.ts";
import { Simulation } from "./simulation.ts";
import { User } from "./user.ts";

/*
 * Days of a cluster's life in seconds: whatever goes wrong, what must hold holds after every write, and once nothing
 * goes wrong any more everything comes to its end, where nobody writes. A seed that fails fails again: its number is in
 * the test's title.
 */

/** Each of them has a night in which clocks change, in Berlin or in New York. */
const STARTS = ["2026-10-24T12:00:00Z", "2027-03-27T12:00:00Z", "2026-10-31T12:00:00Z", "2027-03-13T12:00:00Z"];
const MINUTE_MS = 60_000;
const { isNightly } = inject("effort");
/** The night is in them. */
const HOURS = isNightly ? 48 : 16;
/** One takes a second or two; where many share a machine it has taken eighteen. */
const TIMEOUT_MS = HOURS * MINUTE_MS;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const BAD_LINE: FaultRates = {
  race: 0.02,
  lost: 0.03,
  unanswered: 0.03,
  death: 0.004,
  maxLatencyMs: 300,
  redelivered: 0.03,
  repeated: 0.05,
  compacted: 0.02,
  maxFeedDelayMs: 500,
};

/** The user acts and things go wrong, all day long; then everything comes to rest. */
async function live(seed: number) {
  const random = new Random(seed);
  const startMs = Date.parse(STARTS[seed % STARTS.length]!);
  vi.setSystemTime(startMs);
  vi.spyOn(Math, "random").mockImplementation(() => random.next());
  const simulation = new Simulation(random);
  const { api, invariants } = simulation;
  const user = new User(simulation, random);
  simulation.start();
  await user.begin();
  await vi.advanceTimersByTimeAsync(5 * MINUTE_MS);

  simulation.rates = BAD_LINE;
  const endMs = startMs + HOURS * 60 * MINUTE_MS;
  while (Date.now() < endMs && invariants.violations.length === 0) {
    await vi.advanceTimersByTimeAsync(random.between(0, 12 * MINUTE_MS));
    const lot = random.next();
    if (lot < 0.1) simulation.kill();
    else if (lot < 0.25) await disturb(simulation, random);
    else await user.act();
  }
  simulation.rates = NO_FAULTS;
  simulation.outageUntilMs = 0;
  for (const kubelet of simulation.kubelets) {
    kubelet.isSlow = false;
    if (!kubelet.isUp) void kubelet.comeBack();
  }
  const untilMs = Date.now();
  await user.finish();
  // Past the longest back-off, grace and deadline of any part.
  await vi.advanceTimersByTimeAsync(40 * MINUTE_MS);
  invariants.checkEnd(untilMs);
  const writes = writesOf(simulation).length;
  await vi.advanceTimersByTimeAsync(60 * MINUTE_MS);
  return {
    violations: invariants.violations,
    writesAtRest: writesOf(simulation).slice(writes),
    calls: api.calls.length,
  };
}

/** A node is lost for a while, switched off, slow or begins anew, or the API is away. */
async function disturb(simulation: Simulation, random: Random): Promise<void> {
  const { kubelets } = simulation;
  const kubelet = random.pick(kubelets)!;
  const down = kubelets.find(({ isUp }) => !isUp);
  const lot = random.int(6);
  if (lot === 0) simulation.outageUntilMs = Date.now() + random.between(0, 5 * MINUTE_MS);
  else if (lot === 1) kubelet.restart();
  else if (lot === 2) kubelet.isSlow = !kubelet.isSlow;
  else if (down) void down.comeBack();
  else if (lot === 3) await simulation.removeNode(kubelet);
  else kubelet.goDown();
}

/** What the controllers and the scheduler wrote; kubelets look after their nodes whether or not there is anything to do. */
const writesOf = ({ api }: Simulation) =>
  api.calls
    .filter(({ resource, by }) => resource !== EVENTS.resource && !by?.startsWith("kubelet") && by !== undefined)
    .map(({ verb, resource, name, by }) => `${by}: ${verb} ${resource} ${name}`);

const { seed: first, times } = rolls(inject("effort"), { seed: 1, times: 2, nightlyTimes: 60 });
const seeds = Array.from({ length: times }, (_, i) => first + i);

it.each(seeds)("seed %i: a day of changes and faults", { timeout: TIMEOUT_MS }, async (seed) => {
  const { calls, ...outcome } = await live(seed);
  expect(outcome).toEqual({ violations: [], writesAtRest: [] });
  expect(calls).toBeGreaterThan(1_000);
});
