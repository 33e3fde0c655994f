import type { EndpointSlice } from "../../../shared/api/types.ts";

/** What came of a Service's wish for topology hints, for one address type. */
export interface TopologyOutcome {
  addressType: string;
  /** Why there are none. */
  refused?: string;
}

export interface TopologyEvent {
  type: "Normal" | "Warning";
  reason: "TopologyAwareHintsEnabled" | "TopologyAwareHintsDisabled";
  message: string;
}

const ENABLED = "Topology Aware Hints has been enabled";
const DISABLED = "Topology Aware Hints has been disabled";

/** Tells of topology hints when they come, go, or are refused for another reason than before. */
export class TopologyNotes {
  readonly #last = new Map<string, Map<string, string>>();

  /** @param slices as they were: after an eviction from memory, what they have is not told again */
  eventsOf(key: string, outcomes: TopologyOutcome[], slices: EndpointSlice[]): TopologyEvent[] {
    const before = this.#last.get(key) ?? hintedTypes(slices);
    const now = new Map(outcomes.map(({ addressType, refused = ENABLED }) => [addressType, refused]));
    this.#last.set(key, now);
    return [...now].filter(([type, text]) => before.get(type) !== text).map(([type, text]) => eventOf(text, type));
  }

  /** The Service no longer wishes for them. */
  ended(key: string): TopologyEvent[] {
    const before = this.#last.get(key);
    this.#last.delete(key);
    return [...(before ?? [])].filter(([, text]) => text === ENABLED).map(([type]) => eventOf(DISABLED, type));
  }
}

function hintedTypes(slices: EndpointSlice[]): Map<string, string> {
  const hinted = slices.filter(({ endpoints }) => endpoints?.some(({ hints }) => hints));
  return new Map(hinted.map(({ addressType }) => [addressType, ENABLED]));
}

function eventOf(text: string, addressType: string): TopologyEvent {
  const message = `${text}, addressType: ${addressType}`;
  if (text === ENABLED) return { type: "Normal", reason: "TopologyAwareHintsEnabled", message };
  return { type: "Warning", reason: "TopologyAwareHintsDisabled", message };
}
