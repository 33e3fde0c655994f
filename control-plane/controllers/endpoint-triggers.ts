import { readyCondition } from "../../shared/api/conditions.ts";
import { TRIGGER_TIME } from "../../shared/api/endpoint-slice.ts";
import type { ObjectMeta } from "../../shared/api/object.ts";
import type { Pod, Service } from "../../shared/api/types.ts";
import { keyOf, parseTime, printTime } from "../runtime/index.ts";

interface Seen {
  serviceMs: number;
  /** By name of the pod. */
  podMs: Map<string, number>;
}

/** Finds the change that the endpoints of a Service follow: of those since the last look, the first. */
export class EndpointTriggers {
  readonly #seen = new Map<string, Seen>();

  /** @returns RFC 3339; undefined when nothing happened that has a time */
  next(service: Service, pods: Pod[]): string | undefined {
    const key = keyOf(service);
    const before = this.#seen.get(key);
    const serviceMs = parseTime(service.metadata.creationTimestamp);
    const podMs = new Map<string, number>();
    for (const pod of pods) {
      const since = readyCondition(pod)?.lastTransitionTime;
      if (since) podMs.set(pod.metadata.name, parseTime(since));
    }
    this.#seen.set(key, { serviceMs, podMs });
    if (!before) return printTime(serviceMs);
    const changes = [...podMs].filter(([name, ms]) => ms > (before.podMs.get(name) ?? -Infinity)).map(([, ms]) => ms);
    if (serviceMs > before.serviceMs) changes.push(serviceMs);
    return changes.length > 0 ? printTime(Math.min(...changes)) : undefined;
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }
}

/** The annotation is of this write: without a time it goes. */
export function withTriggerTime<T extends ObjectMeta>(metadata: T, time: string | undefined): T {
  const { [TRIGGER_TIME]: _last, ...others } = metadata.annotations ?? {};
  const annotations = time === undefined ? others : { ...others, [TRIGGER_TIME]: time };
  return metadata.annotations || time !== undefined ? { ...metadata, annotations } : metadata;
}
