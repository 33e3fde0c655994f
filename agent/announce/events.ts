import { EVENTS } from "../../shared/api/refs.ts";
import { printTime } from "../../shared/api/timestamp.ts";
import type { Event } from "../../shared/api/types.ts";
import { countUp } from "../../shared/events/count-up.ts";
import { EventCorrelator } from "../../shared/events/event-correlation.ts";
import type { NetworkContext } from "../network/index.ts";
import type { Announcement } from "./elect.ts";

const COMPONENT = "hearth-announce";

/** Says on a Service which node announces it. Never throws: `kubectl describe` tells less then. */
export function announcementEvents({ api, nodeName, clock, log }: NetworkContext) {
  const correlator = new EventCorrelator();
  return async ({ service }: Announcement): Promise<void> => {
    const nowMs = clock.nowMs();
    const time = printTime(nowMs);
    const name = `${service.name}.${(BigInt(Math.trunc(nowMs)) * 1_000_000n).toString(16)}`;
    const event: Event = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name, namespace: service.namespace },
      involvedObject: { apiVersion: "v1", kind: "Service", ...service },
      type: "Normal",
      reason: "nodeAssigned",
      message: `announcing from node ${JSON.stringify(nodeName)} with protocol "layer2"`,
      source: { component: COMPONENT, host: nodeName },
      reportingComponent: COMPONENT,
      reportingInstance: nodeName,
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
    const correlated = correlator.correlate(event, nowMs, () => name);
    if (correlated.action === "drop") return;
    const { metadata, count, lastTimestamp, message } = correlated.event;
    try {
      if (correlated.action === "count" && (await countUp(api, EVENTS, metadata, { count, lastTimestamp, message })))
        return;
      await api.create(EVENTS, correlated.event);
    } catch (error) {
      correlator.forget(correlated.key);
      log("warn", "an event about a load balancer was not written", { service, error: String(error) });
    }
  };
}
