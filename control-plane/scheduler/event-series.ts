import type { KubeObject } from "../../shared/api/object.ts";
import { EVENTS_V1 } from "../../shared/api/refs.ts";
import { isAlreadyExists, isForbidden } from "../../shared/api/status.ts";
import type { EventsV1Event } from "../../shared/api/types.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import { countUp } from "../../shared/events/count-up.ts";
import { type Clock, EventNames, EventQueue, type Log, LruMap, printMicroTime, referenceTo } from "../runtime/index.ts";

/** How many things that were said are remembered, and for how long after they were said last (client-go tools/events). */
const CACHE_ENTRIES = 4096;
const SERIES_ENDS_AFTER_MS = 360_000;

type Recorded = EventsV1Event & KubeObject;

export interface SchedulingEvent {
  regarding: KubeObject;
  type: "Normal" | "Warning";
  reason: string;
  action: string;
  note: string;
}

/**
 * Records events.k8s.io/v1 Events, the newer form, which upstream's scheduler writes. The same thing said again of an
 * unchanged object, whatever the note, counts up the series of the first event.
 */
export class EventSeriesRecorder {
  readonly #api: ApiClient;
  readonly #controller: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #names = new EventNames();
  readonly #series = new LruMap<string, { event: Recorded; count: number; lastMs: number }>(CACHE_ENTRIES);
  readonly #queue: EventQueue<Recorded>;

  /** @param options.controller e.g. `default-scheduler` */
  constructor(options: { api: ApiClient; controller: string; clock: Clock; log: Log }) {
    this.#api = options.api;
    this.#controller = options.controller;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#queue = new EventQueue((event) => this.#write(event), options.log);
  }

  record({ regarding, ...said }: SchedulingEvent): void {
    const nowMs = this.#clock.nowMs();
    const reference = referenceTo(regarding);
    const key = JSON.stringify([reference, said.type, said.reason, said.action]);
    const last = this.#series.get(key);
    if (last && nowMs - last.lastMs <= SERIES_ENDS_AFTER_MS) {
      last.count += 1;
      last.lastMs = nowMs;
      this.#queue.push({ ...last.event, series: seriesOf(last.count, nowMs) });
      return;
    }
    const event: Recorded = {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: {
        name: this.#names.next(reference.name ?? "", nowMs),
        namespace: reference.namespace || "default",
      },
      eventTime: microTime(nowMs),
      reportingController: this.#controller,
      reportingInstance: `${this.#controller}-hearth`,
      regarding: reference,
      ...said,
    };
    this.#series.set(key, { event, count: 1, lastMs: nowMs });
    this.#queue.push(event);
  }

  async #write(event: Recorded): Promise<void> {
    try {
      const { series } = event;
      if (series && (await countUp(this.#api, EVENTS_V1, event.metadata, { series }))) return;
      await this.#api.submit(EVENTS_V1, event);
    } catch (error) {
      // A namespace that is going away takes no new events; a name that exists was written by a try whose answer was lost.
      if (!isForbidden(error) && !isAlreadyExists(error)) {
        this.#log.error("event not written", { reason: event.reason, error: String(error) });
      }
    }
  }
}

const microTime = (nowMs: number) => printMicroTime(nowMs) as unknown as EventsV1Event["eventTime"];

const seriesOf = (count: number, nowMs: number) =>
  ({ count, lastObservedTime: printMicroTime(nowMs) }) as unknown as NonNullable<EventsV1Event["series"]>;
