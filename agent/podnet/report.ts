import { NODES } from "../../shared/api/refs.ts";
import { isForbidden } from "../../shared/api/status.ts";
import { printTime } from "../../shared/api/timestamp.ts";
import type { Node } from "../../shared/api/types.ts";
import { KEY_TAKEN, OFFER_ANNOTATION } from "../../shared/api/wireguard-offer.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import { messageOf } from "../../shared/message-of.ts";
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
 * @returns whether the key that the node offers is another's, as after a disk was copied: then all but that is written
 */
export async function reportNetwork(
  api: ApiClient,
  node: Node,
  report: NetworkReport,
  nowMs: number,
): Promise<{ isKeyTaken: boolean }> {
  const { [OFFER_ANNOTATION]: offer, ...rest } = report;
  await reportPaths(api, node, rest, nowMs);
  try {
    await annotate(api, node, { [OFFER_ANNOTATION]: offer });
    return { isKeyTaken: false };
  } catch (error) {
    if (isForbidden(error) && messageOf(error).includes(KEY_TAKEN)) return { isKeyTaken: true };
    throw error;
  }
}

async function annotate(api: ApiClient, node: Node, report: Record<string, string | undefined>): Promise<void> {
  const changed = Object.entries(report).filter(([key, text]) => node.metadata?.annotations?.[key] !== text);
  if (changed.length === 0) return;
  const annotations = Object.fromEntries(changed.map(([key, text]) => [key, text ?? null]));
  await api.patch(NODES, { name: node.metadata?.name ?? "" }, "merge", { metadata: { annotations } });
}

async function reportPaths(
  api: ApiClient,
  node: Node,
  report: Record<string, string | undefined>,
  nowMs: number,
): Promise<void> {
  const name = node.metadata?.name ?? "";
  await annotate(api, node, report);
  if (report[PATHS_ANNOTATION] === undefined) return;
  const known = node.status?.conditions?.find(({ type }) => type === AVAILABLE.type);
  if (known?.status === AVAILABLE.status) return;
  const now = printTime(nowMs);
  const condition = { ...AVAILABLE, lastHeartbeatTime: now, lastTransitionTime: now };
  await api.patch(NODES, { name, subresource: "status" }, "strategic", { status: { conditions: [condition] } });
}
