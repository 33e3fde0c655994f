import type { KubeObject } from "../../shared/api/object.ts";
import { EVENTS } from "../../shared/api/refs.ts";
import { ApiError, isNotFound } from "../../shared/api/status.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import type { Container, Pod } from "../api/index.ts";
import type { Clock } from "./clock.ts";

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

/** Events waiting to be sent, and events remembered for counting: the oldest go first. */
const MAX_QUEUED = 1000;
const MAX_REMEMBERED = 4096;
/** client-go's spam filter: a burst for each object, then one in five minutes. */
const BURST = 25;
const REFILL_MS = 300_000;
const RETRY_MS = 10_000;

interface Remembered {
  name: string;
  namespace: string;
  count: number;
  firstTimestamp: string;
}

interface Queued {
  key: string;
  involved: InvolvedObject;
  type: EventType;
  reason: string;
  message: string;
  annotations?: Readonly<Record<string, string>>;
  atMs: number;
}

/** Sends events in order; the same event again only raises the count of the first. */
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
  const queue: Queued[] = [];
  const remembered = new Map<string, Remembered>();
  const buckets = new Map<string, { tokens: number; atMs: number }>();
  let sending = false;

  function isSpam(uid: string, atMs: number): boolean {
    const bucket = buckets.get(uid) ?? { tokens: BURST, atMs };
    bucket.tokens = Math.min(BURST, bucket.tokens + Math.max(0, atMs - bucket.atMs) / REFILL_MS);
    bucket.atMs = atMs;
    remember(buckets, uid, bucket);
    if (bucket.tokens < 1) return true;
    bucket.tokens -= 1;
    return false;
  }

  async function send({ key, involved, type, reason, message, annotations, atMs }: Queued): Promise<void> {
    const lastTimestamp = printTime(atMs);
    const earlier = remembered.get(key);
    if (earlier) {
      try {
        const { name, namespace } = earlier;
        const patch = { count: earlier.count + 1, lastTimestamp };
        await api.patch(EVENTS, { name, namespace }, "merge", patch);
        earlier.count += 1;
        return remember(remembered, key, earlier);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        remembered.delete(key);
      }
    }
    const { namespace = "default" } = involved;
    const name = `${involved.name}.${BigInt(Math.round(atMs * 1e6)).toString(16)}`;
    const event: KubeObject = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name, namespace, ...(annotations && { annotations: { ...annotations } }) },
      involvedObject: involved,
      type,
      reason,
      message,
      source: { component: "kubelet", host: nodeName },
      firstTimestamp: lastTimestamp,
      lastTimestamp,
      count: 1,
      reportingComponent: "kubelet",
      reportingInstance: nodeName,
    };
    await api.create(EVENTS, event);
    remember(remembered, key, { name, namespace, count: 1, firstTimestamp: lastTimestamp });
  }

  async function drain(): Promise<void> {
    if (sending) return;
    sending = true;
    while (queue.length > 0 && !signal.aborted) {
      const next = queue[0]!;
      try {
        await send(next);
      } catch (error) {
        // The server does not want this one (its namespace is going away, say): trying again would not help.
        if (!isRefusal(error)) {
          await clock.sleep(RETRY_MS, signal);
          continue;
        }
      }
      if (queue[0] === next) queue.shift();
    }
    sending = false;
  }

  const note =
    (involved: InvolvedObject): Note =>
    (type, reason, message, annotations) => {
      const atMs = clock.nowMs();
      if (isSpam(involved.uid, atMs)) return;
      if (queue.length >= MAX_QUEUED) queue.shift();
      const key = [involved.uid, involved.fieldPath, type, reason, message].join("\0");
      queue.push({ key, involved, type, reason, message, annotations, atMs: uniqueMs(atMs) });
      void drain();
    };

  /** Events of one millisecond get different names, in order. */
  let lastMs = 0;
  const uniqueMs = (atMs: number) => {
    lastMs = Math.max(atMs, lastMs + 0.001);
    return lastMs;
  };

  return {
    forPod: (pod) => note(involvedPod(pod)),
    // As a kubelet names its own node: its name in place of a uid.
    forNode: note({ kind: "Node", name: nodeName, uid: nodeName }),
    forContainer: (pod, container) => note({ ...involvedPod(pod), fieldPath: fieldPath(pod, container) }),
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status.code >= 400 && error.status.code < 500 && error.status.code !== 429;
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MAX_REMEMBERED) map.delete(map.keys().next().value!);
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

/** metav1.Time: whole seconds. */
export const printTime = (epochMs: number) =>
  new Date(Math.floor(epochMs / 1000) * 1000).toISOString().replace(".000Z", "Z");
