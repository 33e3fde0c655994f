import { FACTS, type Observations, PRESSURES, type Pressure } from "./signals.ts";
import { amountOf, type Threshold } from "./thresholds.ts";

/** What is remembered from one look to the next. */
export interface PressureState {
  firstMetMs: ReadonlyMap<Threshold, number>;
  lastSeenMs: ReadonlyMap<Pressure, number>;
  /** Those for which something has to be done, what is most urgent first. */
  met: readonly Threshold[];
  /** What the Node's conditions say. */
  pressures: ReadonlySet<Pressure>;
}

export const NO_PRESSURE: PressureState = {
  firstMetMs: new Map(),
  lastSeenMs: new Map(),
  met: [],
  pressures: new Set(),
};

/**
 * The state after one more look at the node. A threshold that was acted upon stays until there is its minimum reclaim on top,
 * and a pressure is told until it was not seen for the whole transition period, lest the condition flap.
 */
export function observePressure(
  state: PressureState,
  observations: Observations,
  { thresholds, transitionMs, nowMs }: { thresholds: readonly Threshold[]; transitionMs: number; nowMs: number },
): PressureState {
  const unresolved = findMet(state.met, observations, { withReclaim: true });
  const met = [...new Set([...findMet(thresholds, observations, { withReclaim: false }), ...unresolved])];
  const firstMetMs = new Map(met.map((threshold) => [threshold, state.firstMetMs.get(threshold) ?? nowMs]));
  const seen = new Set(met.map(({ signal }) => FACTS[signal].pressure));
  const lastSeenMs = new Map(
    PRESSURES.flatMap((pressure): [Pressure, number][] => {
      const atMs = seen.has(pressure) ? nowMs : state.lastSeenMs.get(pressure);
      return atMs === undefined ? [] : [[pressure, atMs]];
    }),
  );
  return {
    firstMetMs,
    lastSeenMs,
    met: memoryFirst(met.filter((threshold) => nowMs - firstMetMs.get(threshold)! >= threshold.graceMs)),
    pressures: new Set([...lastSeenMs].filter(([, atMs]) => nowMs - atMs < transitionMs).map(([pressure]) => pressure)),
  };
}

/** The thresholds below which the node is now, whatever their grace. */
export function findMet(
  thresholds: readonly Threshold[],
  observations: Observations,
  { withReclaim }: { withReclaim: boolean },
): Threshold[] {
  return thresholds.filter(({ signal, value, minReclaim }) => {
    const observed = observations[signal];
    if (!observed) return false;
    const { available, capacity } = observed;
    const reclaim = withReclaim && minReclaim ? amountOf(minReclaim, capacity) : 0;
    return available < amountOf(value, capacity) + reclaim;
  });
}

/** Without memory nothing else works. */
const memoryFirst = (thresholds: Threshold[]): Threshold[] =>
  thresholds.toSorted((a, b) => Number(isMemory(b)) - Number(isMemory(a)));

const isMemory = ({ signal }: Threshold) => FACTS[signal].resource === "memory";
