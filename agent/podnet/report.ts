import { NODES } from "../../shared/api/refs.ts";
import { printTime } from "../../shared/api/timestamp.ts";
import type { Node } from "../../shared/api/types.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import { PATHS_ANNOTATION } from "./paths-annotation.ts";

/** Upstream's, of a route controller that has done its work. */
const AVAILABLE = {
  type: "NetworkUnavailable",
  status: "False",
  reason: "RouteCreated",
  message: "RouteController created a route",
};

/** What a node says of its network, by annotation; undefined: nothing. */
export type NetworkReport = Record<typeof PATHS_ANNOTATION, string | undefined> & Record<string, string | undefined>;

/**
 * Writes what has changed into the node's own object, nothing otherwise.
 * @param report without paths somebody else's network is used, which says of itself what it will
 */
export async function reportNetwork(api: ApiClient, node: Node, report: NetworkReport, nowMs: number): Promise<void> {
  const name = node.metadata?.name ?? "";
  const changed = Object.entries(report).filter(([key, text]) => node.metadata?.annotations?.[key] !== text);
  if (changed.length > 0) {
    const annotations = Object.fromEntries(changed.map(([key, text]) => [key, text ?? null]));
    await api.patch(NODES, { name }, "merge", { metadata: { annotations } });
  }
  if (report[PATHS_ANNOTATION] === undefined) return;
  const known = node.status?.conditions?.find(({ type }) => type === AVAILABLE.type);
  if (known?.status === AVAILABLE.status) return;
  const now = printTime(nowMs);
  const condition = { ...AVAILABLE, lastHeartbeatTime: now, lastTransitionTime: now };
  await api.patch(NODES, { name, subresource: "status" }, "strategic", { status: { conditions: [condition] } });
}
