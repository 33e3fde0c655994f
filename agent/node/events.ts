import { EVENTS } from "../../shared/api/refs.ts";
import { printTime } from "../../shared/api/timestamp.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";

export interface NodeEvent {
  type: "Normal" | "Warning";
  reason: string;
  message: string;
}

/** Sends an event about the node, as a kubelet names it: in namespace default, the node's name in place of a uid. */
export async function sendNodeEvent(
  api: ApiClient,
  nodeName: string,
  { type, reason, message }: NodeEvent,
  nowMs: number,
): Promise<void> {
  const time = printTime(nowMs);
  await api.create(EVENTS, {
    metadata: {
      name: `${nodeName}.${(BigInt(Math.trunc(nowMs)) * 1_000_000n).toString(16)}${suffix(reason)}`,
      namespace: "default",
    },
    involvedObject: { apiVersion: "v1", kind: "Node", name: nodeName, uid: nodeName },
    type,
    reason,
    message,
    source: { component: "kubelet", host: nodeName },
    reportingComponent: "kubelet",
    reportingInstance: nodeName,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  });
}

/** Events of one moment differ in their reason. */
const suffix = (reason: string) => `-${reason.toLowerCase()}`;
