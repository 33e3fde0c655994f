import type { KubeObject } from "../../shared/api/object.ts";
import { EVENTS } from "../../shared/api/refs.ts";
import { ApiError } from "../../shared/api/status.ts";
import { printTime } from "../../shared/api/timestamp.ts";
import type { Event } from "../../shared/api/types.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import { countUp } from "../../shared/events/count-up.ts";
import { type Correlated, EventCorrelator } from "../../shared/events/event-correlation.ts";
import type { Container, Pod } from "../api/index.ts";
import type { Clock } from "../clock/index.ts";

export type EventType = "Normal" | "Warning";
export type Note = (
  type: EventType,
  reason: string,
  message: string,
  annotations?: Readonly<Record<string, string>>,
) => void;

/** Never throws and never waits: events are a courtesy, pods come first. */
export interface EventRecorder {
  forPod(pod: Pod): Note;
  forContainer(pod: Pod, container: Container): Note;
  readonly forNode: Note;
}

interface InvolvedObject {
  apiVersion?: "v1";
  kind: "Pod" | "Node";
  /** A node has none, and its events are in `default`. */
  namespace?: string;
  name: string;
  uid: string;
  resourceVersion?: string;
  fieldPath?: string;
}

/** Events waiting to be sent: past it the oldest go. */
const MAX_QUEUED = 1000;
const RETRY_MS = 10_000;
/** Events that are sent at the same time, so that many pods that start together are told of soon. */
const MAX_SENDING = 4;

/** Sends events; the same event again only raises the count of the first, once that is there (EventCorrelator). */
export function createEventRecorder({
  api,
  nodeName,
  clock,
  signal,
}: {
  api: ApiClient;
  nodeName: string;
  clock: Clock;
  signal: AbortSignal;
}): EventRecorder {
  const correlator = new EventCorrelator();
  const queue: Exclude<Correlated, { action: "drop" }>[] = [];
  /** Keys of what is being sent. */
  const sending = new Set<string>();

  async function send({ action, event }: (typeof queue)[number]): Promise<void> {
    const { metadata, count, lastTimestamp, message } = event;
    if (action === "count" && (await countUp(api, EVENTS, metadata, { count, lastTimestamp, message }))) return;
    await api.create(EVENTS, event as KubeObject);
  }

  async function drain(): Promise<void> {
    while (sending.size < MAX_SENDING && !signal.aborted) {
      const index = queue.findIndex(({ key }) => !sending.has(key));
      const next = queue[index];
      if (!next) return;
      queue.splice(index, 1);
      sending.add(next.key);
      try {
        await send(next);
      } catch (error) {
        // The server does not want this one (its namespace is going away, say): trying again would not help.
        if (isRefusal(error)) correlator.forget(next.key);
        else {
          queue.unshift(next);
          await clock.sleep(RETRY_MS, signal);
        }
      }
      sending.delete(next.key);
    }
  }

  const note =
    (involvedObject: InvolvedObject): Note =>
    (type, reason, message, annotations) => {
      const { namespace = "default" } = involvedObject;
      const now = printTime(clock.nowMs());
      const metadata = { name: nameFor(involvedObject.name), namespace, ...(annotations && { annotations }) };
      const event: Event = {
        apiVersion: "v1",
        kind: "Event",
        metadata,
        involvedObject,
        type,
        reason,
        message,
        source: { component: "kubelet", host: nodeName },
        firstTimestamp: now,
        lastTimestamp: now,
        count: 1,
        reportingComponent: "kubelet",
        reportingInstance: nodeName,
      };
      const correlated = correlator.correlate(event, clock.nowMs(), () => nameFor(involvedObject.name));
      if (correlated.action === "drop") return;
      if (queue.length >= MAX_QUEUED) queue.shift();
      queue.push(correlated);
      void drain();
    };

  /** Events of one millisecond get different names, in order. */
  let lastMs = 0;
  const nameFor = (object: string) => {
    lastMs = Math.max(clock.nowMs(), lastMs + 0.001);
    return `${object}.${BigInt(Math.round(lastMs * 1e6)).toString(16)}`;
  };

  return {
    forPod: (pod) => note(involvedPod(pod)),
    // With the name in place of a uid, which `kubectl describe node` looks for.
    forNode: note({ apiVersion: "v1", kind: "Node", name: nodeName, uid: nodeName }),
    forContainer: (pod, container) => note({ ...involvedPod(pod), fieldPath: fieldPath(pod, container) }),
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status.code >= 400 && error.status.code < 500 && error.status.code !== 429;
}

function involvedPod({ metadata }: Pod): InvolvedObject {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion: "v1", kind: "Pod", namespace, name, uid, resourceVersion };
}

function fieldPath({ spec }: Pod, { name }: Container): string {
  const isIn = (list: { name: string }[] | undefined) => list?.some((container) => container.name === name);
  const field = isIn(spec.initContainers)
    ? "initContainers"
    : isIn(spec.ephemeralContainers)
      ? "ephemeralContainers"
      : "containers";
  return `spec.${field}{${name}}`;
}
