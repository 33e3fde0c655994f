import { ApiError, badRequest, forbidden, unauthorized } from "../../shared/api/status.ts";
import { SEEN_ADDRESS_HEADER } from "../../shared/tunnel/index.ts";
import { authenticate } from "../apiserver/authn/index.ts";
import type { Env } from "../env.ts";
import { AGENT_VERSION_HEADER, CLUSTER_HEADER, NODE_HEADER, TUNNEL_HOST } from "./session-request.ts";

/** Whom a request came from: of Cloudflare's edge, or of our own front door, which lets nobody else say it. */
const CLIENT_ADDRESS_HEADERS = ["x-hearth-client-address", "cf-connecting-ip"];

/** Where an agent dials, under the cluster's address. */
export const TUNNEL_PATH = "/hearth/v1/tunnel";

const NODE_USER = /^system:node:(.+)$/;
const MAX_VERSION_CHARS = 64;

/**
 * Lets an agent in: a WebSocket handshake with a node credential as bearer token, handed to that node's session. Who is
 * no node of this cluster gets a Status and no socket. An agent is told its address as it is seen here, which it is free to
 * lie about to itself. Never throws.
 */
export async function handleTunnelRequest(request: Request, env: Env, cluster: string): Promise<Response> {
  try {
    if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") throw badRequest("Upgrade request required");
    const user = await authenticate(request, env, cluster);
    if (!user) throw unauthorized();
    const node = NODE_USER.exec(user.username)?.[1];
    if (!node || !user.groups.includes("system:nodes")) {
      throw forbidden({ group: "", resource: "nodes" }, "", `User "${user.username}" is not a node`);
    }
    const headers = new Headers({
      upgrade: "websocket",
      [CLUSTER_HEADER]: cluster,
      [NODE_HEADER]: node,
      [AGENT_VERSION_HEADER]: (request.headers.get(AGENT_VERSION_HEADER) ?? "").slice(0, MAX_VERSION_CHARS),
    });
    const response = await env.NODES.getByName(`${cluster}/${node}`).fetch(`http://${TUNNEL_HOST}/`, { headers });
    const seen = CLIENT_ADDRESS_HEADERS.map((name) => request.headers.get(name)).find((address) => address !== null);
    if (!response.webSocket || seen === undefined) return response;
    return new Response(null, { status: 101, webSocket: response.webSocket, headers: { [SEEN_ADDRESS_HEADER]: seen } });
  } catch (error) {
    if (error instanceof ApiError) return Response.json(error.status, { status: error.status.code });
    console.error("an agent could not be let in", error);
    return new Response(null, { status: 500 });
  }
}
