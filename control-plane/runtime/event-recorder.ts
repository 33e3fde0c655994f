import type { KubeObject } from "../../shared/api/object.ts";
import { EVENTS } from "../../shared/api/refs.ts";
import { isAlreadyExists, isForbidden } from "../../shared/api/status.ts";
import { printTime } from "../../shared/api/timestamp.ts";
import type { Event, ObjectReference } from "../../shared/api/types.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import { countUp } from "../../shared/events/count-up.ts";
import { EventCorrelator } from "../../shared/events/event-correlation.ts";
import type { Clock } from "./clock.ts";
import { EventNames, EventQueue } from "./event-queue.ts";
import type { Log } from "./log.ts";

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
  readonly #names = new EventNames();
  readonly #queue: EventQueue<Event>;

  /** @param options.component e.g. `deployment-controller`: source.component and reportingComponent */
  constructor(options: { api: ApiClient; component: string; clock: Clock; log: Log }) {
    this.#api = options.api;
    this.#component = options.component;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#queue = new EventQueue((event) => this.#write(event), options.log);
  }

  event(about: KubeObject | ObjectReference, type: EventType, reason: string, message: string): void {
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
  }

  #nameFor(objectName: string): string {
    return this.#names.next(objectName, this.#clock.nowMs());
  }

  async #write(event: Event): Promise<void> {
    const result = this.#correlator.correlate(event, this.#clock.nowMs(), () =>
      this.#nameFor(event.involvedObject.name ?? ""),
    );
    if (result.action === "drop") return;
    try {
      const { metadata, count, lastTimestamp, message } = result.event;
      if (result.action === "count" && (await countUp(this.#api, EVENTS, metadata, { count, lastTimestamp, message })))
        return;
      await this.#api.submit(EVENTS, { ...result.event, count: result.event.count });
    } catch (error) {
      this.#correlator.forget(result.key);
      // A namespace that is going away takes no new events; a name that exists was written by a try whose answer was lost.
      if (!isForbidden(error) && !isAlreadyExists(error))
        this.#log.error("event not written", { reason: event.reason, error: String(error) });
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
