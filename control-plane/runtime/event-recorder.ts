import type { KubeObject } from "../../shared/api/object.ts";
import { EVENTS } from "../../shared/api/refs.ts";
import { isAlreadyExists, isForbidden, isNotFound } from "../../shared/api/status.ts";
import type { Event, ObjectReference } from "../../shared/api/types.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import { EventCorrelator } from "../../shared/events/event-correlation.ts";
import { type Clock, printTime } from "./clock.ts";
import type { Log } from "./log.ts";

/** Events that may wait to be written; past it new ones are dropped (client-go: 1000). */
const MAX_QUEUED_EVENTS = 1000;
/** Events written at the same time. */
const WRITERS = 4;

export type EventType = "Normal" | "Warning";

/** core/v1 Events about objects. Recording never fails and never waits. */
export interface EventRecorder {
  event(about: KubeObject | ObjectReference, type: EventType, reason: string, message: string): void;
}

/** Writes through the API, in the order recorded for each writer; what cannot be written is logged and dropped. */
export class ApiEventRecorder implements EventRecorder {
  readonly #api: ApiClient;
  readonly #component: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #correlator = new EventCorrelator();
  readonly #queue: Event[] = [];
  #writers = 0;
  #sequence = 0n;

  /** @param options.component e.g. `deployment-controller`: source.component and reportingComponent */
  constructor(options: { api: ApiClient; component: string; clock: Clock; log: Log }) {
    this.#api = options.api;
    this.#component = options.component;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  event(about: KubeObject | ObjectReference, type: EventType, reason: string, message: string): void {
    if (this.#queue.length >= MAX_QUEUED_EVENTS) {
      this.#log.error("event dropped: queue is full", { reason });
      return;
    }
    const now = printTime(this.#clock.nowMs());
    const involvedObject = referenceTo(about);
    this.#queue.push({
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: this.#nameFor(involvedObject.name ?? ""), namespace: involvedObject.namespace || "default" },
      involvedObject,
      reason,
      message,
      source: { component: this.#component },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      type,
      reportingComponent: this.#component,
      reportingInstance: "",
    });
    if (this.#writers < WRITERS) {
      this.#writers += 1;
      void this.#drain();
    }
  }

  /** `<object>.<nanoseconds in hex>`; the clock has milliseconds only, a counter keeps names apart. */
  #nameFor(objectName: string): string {
    this.#sequence = (this.#sequence + 1n) % 1_000_000n;
    const nanos = BigInt(this.#clock.nowMs()) * 1_000_000n + this.#sequence;
    return `${objectName}.${nanos.toString(16)}`;
  }

  async #drain(): Promise<void> {
    await undefined;
    for (let event = this.#queue.shift(); event; event = this.#queue.shift()) await this.#write(event);
    this.#writers -= 1;
  }

  async #write(event: Event): Promise<void> {
    const result = this.#correlator.correlate(event, this.#clock.nowMs(), () =>
      this.#nameFor(event.involvedObject.name ?? ""),
    );
    if (result.action === "drop") return;
    try {
      if (result.action === "count" && (await this.#countUp(result.event))) return;
      await this.#api.create(EVENTS, { ...result.event, count: result.event.count });
    } catch (error) {
      this.#correlator.forget(result.key);
      // A namespace that is going away takes no new events; a name that exists was written by a try whose answer was lost.
      if (!isForbidden(error) && !isAlreadyExists(error))
        this.#log.error("event not written", { reason: event.reason, error: String(error) });
    }
  }

  /** @returns false when the event to count up has expired */
  async #countUp(event: Event): Promise<boolean> {
    const { name, namespace } = event.metadata;
    const patch = { count: event.count, lastTimestamp: event.lastTimestamp, message: event.message };
    try {
      await this.#api.patch(EVENTS, { name, namespace }, "strategic", patch);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }
}

/** What `involvedObject` says of an object. */
export function referenceTo(about: KubeObject | ObjectReference): ObjectReference {
  if (!isObject(about)) return about;
  const { name, namespace, uid, resourceVersion } = about.metadata;
  return { kind: about.kind, namespace, name, uid, apiVersion: about.apiVersion, resourceVersion };
}

const isObject = (about: KubeObject | ObjectReference): about is KubeObject => "metadata" in about;
