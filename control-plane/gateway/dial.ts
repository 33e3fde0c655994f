import type { DialTarget } from "../../shared/tunnel/index.ts";
import type { Env } from "../env.ts";
import { DIAL_ORIGIN, ENCODING_HEADER, KUBELET_ORIGIN, TARGET_HEADER } from "./session-request.ts";

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

/**
 * Sends an HTTP request to a server that a node can reach (a pod, a Service), through the node's tunnel: its agent dials.
 * What may be dialled the agent decides (agent/dial/target.ts).
 *
 * With `upgrade: websocket` among the headers the answer is a 101 with a socket, or what the server refused with. A server
 * that cannot be reached, or a node that is not connected, gives 503 with a Status.
 * @param request its path is the server's; the headers go on as they are
 * @returns the answer as it came; `encoding` is its content-encoding, which is not undone and not among the headers
 */
export async function dialThroughNode(
  env: Env,
  { cluster, node }: NodeAddress,
  { target, path, ...init }: RequestInit & { target: DialTarget; path: string },
): Promise<{ answer: Response; encoding: string | null }> {
  const headers = new Headers(init.headers);
  headers.set(TARGET_HEADER, JSON.stringify(target));
  const session = env.NODES.getByName(`${cluster}/${node}`);
  // A redirect is for the client to follow: here it would lead to another server.
  const answer = await session.fetch(DIAL_ORIGIN + path, { ...init, headers, redirect: "manual" });
  return { answer, encoding: answer.headers.get(ENCODING_HEADER) };
}

/** Whether a node's agent is connected. */
export const isConnected = (env: Env, { cluster, node }: NodeAddress): Promise<boolean> =>
  env.NODES.getByName(`${cluster}/${node}`).connected();
