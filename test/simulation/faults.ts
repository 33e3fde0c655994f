import type { ChangeBatch } from "../../control-plane/storage/interface.ts";
import { conflict, failure, OBJECT_MODIFIED } from "../../shared/api/status.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import type { Random } from "./random.ts";

/** How much goes wrong; each a probability, times in milliseconds. */
export interface FaultRates {
  /** A write is refused although nothing changed, as one that lost a race. */
  conflict: number;
  /** A request fails before it was carried out. */
  lost: number;
  /** A write is carried out, and its answer is lost. */
  unanswered: number;
  maxLatencyMs: number;
  /** A change reaches a controller only at the feed's next attempt. */
  redelivered: number;
  /** A change reaches a controller twice. */
  repeated: number;
  maxFeedDelayMs: number;
}

export const NO_FAULTS: FaultRates = {
  conflict: 0,
  lost: 0,
  unanswered: 0,
  maxLatencyMs: 5,
  redelivered: 0,
  repeated: 0,
  maxFeedDelayMs: 5,
};

const WRITES = new Set(["create", "update", "patch", "delete", "deleteCollection"]);
const READS = new Set(["get", "list", "listAll", "read"]);
/** Of a store's feed, between two attempts to reach a subscriber. */
const REDELIVERY_MS = 5_000;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const never = () => new Promise<never>(() => {});

/** A client over a bad line. Once its owner is dead it hears of nothing more, whatever was under way. */
export function faultyClient(
  api: ApiClient,
  { random, rates, isDead }: { random: Random; rates: () => FaultRates; isDead: () => boolean },
): ApiClient {
  return new Proxy(api, {
    get(target, name) {
      const method = target[name as keyof ApiClient] as (...args: unknown[]) => Promise<unknown>;
      const isWrite = WRITES.has(String(name));
      if (!isWrite && !READS.has(String(name))) return method;
      return async (...args: unknown[]) => {
        const { conflict: lostRace, lost, unanswered, maxLatencyMs } = rates();
        await pause(random.between(0, maxLatencyMs));
        if (isDead()) return never();
        if (random.chance(lost)) throw unavailable();
        if (isWrite && random.chance(lostRace))
          throw conflict({ group: "", resource: "objects" }, "x", OBJECT_MODIFIED);
        const answer = await method.apply(target, args);
        await pause(random.between(0, maxLatencyMs));
        if (isDead()) return never();
        if (isWrite && random.chance(unanswered)) throw unavailable();
        return answer;
      };
    },
  });
}

const unavailable = () => failure(503, "ServiceUnavailable", "the line is bad");

/** Brings the changes of each resource in order, at least once, not always at once. */
export class Feed {
  readonly #queues = new Map<string, ChangeBatch[]>();
  readonly #options: { random: Random; rates: () => FaultRates; deliver: (batch: ChangeBatch) => void };

  constructor(options: { random: Random; rates: () => FaultRates; deliver: (batch: ChangeBatch) => void }) {
    this.#options = options;
  }

  push(batch: ChangeBatch): void {
    const id = `${batch.group}/${batch.resource}`;
    const waiting = this.#queues.get(id);
    if (waiting) {
      waiting.push(batch);
      return;
    }
    this.#queues.set(id, [batch]);
    void this.#drain(id);
  }

  async #drain(id: string): Promise<void> {
    const { random, rates, deliver } = this.#options;
    const waiting = this.#queues.get(id)!;
    while (waiting.length > 0) {
      const { redelivered, repeated, maxFeedDelayMs } = rates();
      await pause(random.chance(redelivered) ? REDELIVERY_MS : random.between(0, maxFeedDelayMs));
      const batch = waiting[0]!;
      deliver(batch);
      if (random.chance(repeated)) deliver(batch);
      waiting.shift();
    }
    this.#queues.delete(id);
  }
}
