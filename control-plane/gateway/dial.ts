import type { Env } from "../env.ts";
import { KUBELET_ORIGIN } from "./session-request.ts";

export interface NodeAddress {
  cluster: string;
  node: string;
}

/**
 * Sends a request to a node's kubelet through its tunnel.
 *
 * With `upgrade: websocket` among the headers the answer is a 101 with a socket, or what the kubelet refused with. A node
 * that is not connected gives 503 with a Status; this never throws for the node's sake.
 * @param pathAndQuery as the kubelet serves it: `/containerLogs/default/web-0/web?follow=true`
 */
export async function askNode(
  env: Env,
  { cluster, node }: NodeAddress,
  pathAndQuery: string,
  init: RequestInit = {},
): Promise<Response> {
  return env.NODES.getByName(`${cluster}/${node}`).fetch(KUBELET_ORIGIN + pathAndQuery, init);
}
