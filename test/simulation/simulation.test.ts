import { afterEach, beforeEach, expect, inject, it, vi } from "vitest";
import { EVENTS, LEASES } from "../../shared/api/refs.ts";
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

const START = Date.parse("2026-10-21T08:00:00Z");
const MINUTE_MS = 60_000;

beforeEach(() => void vi.useFakeTimers({ now: START }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const BAD_LINE: FaultRates = {
  conflict: 0.05,
  lost: 0.03,
  unanswered: 0.03,
  maxLatencyMs: 300,
  redelivered: 0.03,
  repeated: 0.1,
  maxFeedDelayMs: 500,
};

/** @param hours of the cluster's time in which the user acts and things go wrong */
async function live(seed: number, hours: number) {
  const random = new Random(seed);
  vi.spyOn(Math, "random").mockImplementation(() => random.next());
  const simulation = new Simulation(random);
  const user = new User(simulation.api, random);
  await simulation.start(4);
  await user.begin();
  await vi.advanceTimersByTimeAsync(5 * MINUTE_MS);

  simulation.rates = BAD_LINE;
  const endMs = START + hours * 60 * MINUTE_MS;
  while (Date.now() < endMs && simulation.invariants.violations.length === 0) {
    await vi.advanceTimersByTimeAsync(random.between(0, 6 * MINUTE_MS));
    const lot = random.next();
    if (lot < 0.15) simulation.killControllers();
    else if (lot < 0.2) simulation.killScheduler();
    else if (lot < 0.25) await disturb(simulation, random);
    else await user.act();
  }
  simulation.rates = NO_FAULTS;
  for (const kubelet of simulation.kubelets) if (!kubelet.isUp) await kubelet.comeBack();
  await user.finish();
  // Past the longest back-off, grace and deadline of any part.
  await vi.advanceTimersByTimeAsync(30 * MINUTE_MS);
  simulation.invariants.checkEnd();
  const writes = writesOf(simulation);
  await vi.advanceTimersByTimeAsync(60 * MINUTE_MS);
  return { violations: simulation.invariants.violations, writesAtRest: writesOf(simulation).slice(writes.length) };
}

/** A node is lost for a while, or comes back. */
async function disturb({ kubelets }: Simulation, random: Random): Promise<void> {
  const down = kubelets.find((kubelet) => !kubelet.isUp);
  if (down) await down.comeBack();
  else random.pick(kubelets)?.goDown();
}

/** What the controllers and the scheduler wrote; kubelets look after their nodes whether or not there is anything to do. */
const writesOf = ({ api }: Simulation) =>
  api.calls
    .filter(({ resource }) => ![EVENTS.resource, LEASES.resource, "nodes"].includes(resource))
    .map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);

const { seed: first, times } = rolls(inject("effort"), { seed: 1, times: 4 });
const seeds = Array.from({ length: times }, (_, i) => first + i);

it.each(seeds)("seed %i: twelve hours of changes and faults", async (seed) => {
  expect(await live(seed, 12)).toEqual({ violations: [], writesAtRest: [] });
});
