import { NODES } from "../../shared/api/refs.ts";
import type { Node } from "../../shared/api/types.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import type { Path } from "./decide-paths.ts";
import { worstPaths } from "./decide-paths.ts";

/** Where a node tells how it reaches the pods of the others: `{"node-2":"direct","node-3":"vxlan"}`. */
export const PATHS_ANNOTATION = "hearth.dev/paths";

/** An annotation is read by people; it is not to fill the Node of a cluster with thousands. */
const MAX_NAMED = 100;

/**
 * Those that are not reached come first, then those over the relay, each with the reason; then by name. What is over the
 * bound is counted under "others".
 */
export function renderPaths(paths: readonly Path[]): string {
  const worst = [...worstPaths(paths)].sort(([a, one], [b, other]) => rank(one) - rank(other) || (a < b ? -1 : 1));
  const named = worst.slice(0, MAX_NAMED).map(([name, path]): [string, string] => [name, wordsOf(path)]);
  const rest = worst.length - named.length;
  return JSON.stringify(Object.fromEntries(rest > 0 ? [...named, ["others", String(rest)]] : named));
}

const rank = ({ kind }: Path) => (kind === "none" ? 0 : kind === "relayed" ? 1 : 2);

const wordsOf = ({ kind, reason }: Path) => (kind === "none" || kind === "relayed" ? `${kind}: ${reason}` : kind);

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
  const now = new Date(nowMs).toISOString().replace(/\.\d+Z/, "Z");
  const condition = { ...AVAILABLE, lastHeartbeatTime: now, lastTransitionTime: now };
  await api.patch(NODES, { name, subresource: "status" }, "strategic", { status: { conditions: [condition] } });
}
