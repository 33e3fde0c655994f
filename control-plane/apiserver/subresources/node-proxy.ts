import { notFound } from "../../../shared/api/status.ts";
import { askNode } from "../../gateway/index.ts";
import type { ApiContext, RequestAttributes } from "../attributes.ts";
import { clusterReader } from "../cluster-reader.ts";

const NODES = { group: "", resource: "nodes" };

/** Before the path on the kubelet: `…/nodes/<name>/proxy` (a node may be named with a port, `<name>:10250`). */
const PROXY_PATH = /^.*?\/nodes\/[^/]+\/proxy/;

/** `nodes/<name>/proxy/…`: the kubelet's own API (configz, pods, stats), through the tunnel. */
export async function nodeProxy(
  context: ApiContext,
  attributes: RequestAttributes,
  request: Request,
): Promise<Response> {
  const node = (attributes.name ?? "").replace(/^https?:/, "").replace(/:\d*$/, "");
  if (!(await clusterReader(context.env, context.cluster).get(NODES, node))) throw notFound(NODES, node);
  const url = new URL(request.url);
  const path = url.pathname.replace(PROXY_PATH, "") || "/";
  return askNode(context.env, { cluster: context.cluster, node }, path + url.search, {
    method: request.method,
    headers: request.headers,
    body: request.body,
    signal: request.signal,
  });
}
