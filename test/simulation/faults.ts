import type { ChangeBatch } from "../../control-plane/storage/interface.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import { failure, ignoreStale } from "../../shared/api/status.ts";
import type { ApiClient, ResourceRef } from "../../shared/client/api-client.ts";
import type { Random } from "./random.ts";
import type { SimApi } from "./sim-api.ts";

/** How much goes wrong; each a probability, times in milliseconds. */
export interface FaultRates {
  /** Somebody else changes an object right before it is written. */
  race: number;
  /** A request fails before it was carried out: no connection, 429 or 500. */
  lost: number;
  /** A write is carried out, and its answer is lost. */
  unanswered: number;
  /** Whoever writes dies before the answer. */
  death: number;
  maxLatencyMs: number;
  /** A change reaches a controller only at the feed's next attempt, with those that came meanwhile. */
  redelivered: number;
  /** What a controller had already comes again. */
  repeated: number;
  /** Changes are compacted away before they were delivered: there is a gap. */
  compacted: number;
  maxFeedDelayMs: number;
}

export const NO_FAULTS: FaultRates = {
  race: 0,
  lost: 0,
  unanswered: 0,
  death: 0,
  maxLatencyMs: 5,
  redelivered: 0,
  repeated: 0,
  compacted: 0,
  maxFeedDelayMs: 5,
};

const WRITES = new Set(["create", "update", "patch", "delete", "deleteCollection"]);
const READS = new Set(["get", "list", "listAll", "read"]);
/** Of a store's feed, between two attempts to reach a subscriber. */
const REDELIVERY_MS = 5_000;
/** So many batches may come again: as many as a store's cursor may be behind when it starts anew. */
const MAX_REPEATED = 3;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const never = () => new Promise<never>(() => {});

export interface Line {
  random: Random;
  rates: () => FaultRates;
  /** Who writes. */
  who: string;
  isDead: () => boolean;
  /** Kills whoever writes. */
  die?: () => void;
  /** Until then (epoch ms) the API answers nobody. */
  outageUntilMs: () => number;
}

/** A client over a bad line. Once its owner is dead it hears of nothing more, whatever was under way. */
export function faultyClient(api: SimApi, line: Line): ApiClient {
  return new Proxy(api, {
    get(target, name) {
      const method = target[name as keyof ApiClient] as (...args: unknown[]) => Promise<unknown>;
      const isWrite = WRITES.has(String(name));
      if (!isWrite && !READS.has(String(name))) return method;
      return async (...args: unknown[]) => {
        const { random, who, isDead, die } = line;
        const { race, lost, unanswered, death, maxLatencyMs } = line.rates();
        await pause(random.between(0, maxLatencyMs));
        if (isDead()) return never();
        if (Date.now() < line.outageUntilMs() || random.chance(lost)) throw random.pick(REFUSALS)!();
        if (isWrite && random.chance(race)) await touch(api, String(name), args);
        target.caller = who;
        const carriedOut = method.apply(target, args);
        target.caller = undefined;
        if (isWrite && die && random.chance(death)) die();
        const answer = await carriedOut;
        await pause(random.between(0, maxLatencyMs));
        if (isDead()) return never();
        if (isWrite && random.chance(unanswered)) throw unavailable();
        return answer;
      };
    },
  });
}

const unavailable = () => failure(503, "ServiceUnavailable", "the line is bad");
const REFUSALS = [
  unavailable,
  () => failure(429, "TooManyRequests", "too many requests, please try again later", { retryAfterSeconds: 1 }),
  () => failure(500, "InternalError", "something is wrong"),
];

async function touch(api: SimApi, verb: string, [ref, target]: unknown[]): Promise<void> {
  if (verb !== "update" && verb !== "patch" && verb !== "delete") return;
  const { name, namespace } = verb === "update" ? (target as KubeObject).metadata : (target as KubeObject["metadata"]);
  api.caller = "somebody";
  await api
    .patch(ref as ResourceRef, { name, ...(namespace && { namespace }) }, "merge", {
      metadata: { annotations: { "test/touched": new Date().toISOString() } },
    })
    .catch(ignoreStale);
}

/** Brings the changes of each resource in order, at least once, not always at once. */
export class Feed {
  readonly #queues = new Map<string, { waiting: ChangeBatch[]; delivered: ChangeBatch[]; isBusy: boolean }>();
  readonly #options: { random: Random; rates: () => FaultRates; deliver: (batch: ChangeBatch) => void };

  constructor(options: { random: Random; rates: () => FaultRates; deliver: (batch: ChangeBatch) => void }) {
    this.#options = options;
  }

  push(batch: ChangeBatch): void {
    const id = `${batch.group}/${batch.resource}`;
    let queue = this.#queues.get(id);
    if (!queue) {
      queue = { waiting: [], delivered: [], isBusy: false };
      this.#queues.set(id, queue);
    }
    queue.waiting.push(batch);
    if (!queue.isBusy) void this.#drain(queue);
  }

  async #drain(queue: { waiting: ChangeBatch[]; delivered: ChangeBatch[]; isBusy: boolean }): Promise<void> {
    const { random, rates, deliver } = this.#options;
    queue.isBusy = true;
    while (queue.waiting.length > 0) {
      const { redelivered, repeated, compacted, maxFeedDelayMs } = rates();
      const isLate = random.chance(redelivered);
      await pause(isLate ? REDELIVERY_MS : random.between(0, maxFeedDelayMs));
      if (queue.waiting.length > 1 && random.chance(compacted)) queue.waiting.shift();
      const batch = isLate ? merged(queue.waiting.splice(0)) : queue.waiting.shift()!;
      deliver(batch);
      queue.delivered = [...queue.delivered, batch].slice(-MAX_REPEATED);
      if (random.chance(repeated)) for (const old of queue.delivered.slice(-1 - random.int(MAX_REPEATED))) deliver(old);
    }
    queue.isBusy = false;
  }
}

/** @param batches not empty */
function merged(batches: ChangeBatch[]): ChangeBatch {
  const [first, last] = [batches[0]!, batches.at(-1)!];
  return { ...first, toRevision: last.toRevision, changes: batches.flatMap(({ changes }) => changes) };
}
