import type { ApiContext } from "../../apiserver/attributes.ts";
import type { Env } from "../../env.ts";
import { NodeSession as RealNodeSession } from "../node-session.ts";
import { CLUSTER_HEADER, DIAL_ORIGIN, KUBELET_ORIGIN, NODE_HEADER, TUNNEL_HOST } from "../session-request.ts";

/** The real session, in front of a small API that shows what a request looks like on arrival. */
export class NodeSession extends RealNodeSession {
  protected override async serveApi(request: Request, context: ApiContext): Promise<Response> {
    const url = new URL(request.url);
    // Nodes n1 to n9 exist, each with a range.
    const number = /^\/api\/v1\/nodes\/n(\d)$/.exec(url.pathname)?.[1];
    if (number) return Response.json({ spec: { podCIDRs: [`10.244.${number}.0/24`] } });
    switch (url.pathname) {
      case "/api/v1/echo":
        return Response.json({
          method: request.method,
          query: url.search,
          user: context.user.username,
          cluster: context.cluster,
          authorization: request.headers.get("authorization"),
          body: await request.text(),
        });
      case "/api/v1/big":
        return new Response(bytesOf(Number(url.searchParams.get("bytes"))));
      case "/api/v1/watch":
        return new Response(ticks(Number(url.searchParams.get("everyMs")), () => this.#watchesEnded++));
      case "/api/v1/watches-ended":
        return Response.json(this.#watchesEnded);
      default:
        return new Response("not found", { status: 404 });
    }
  }

  protected override async serveCaller(request: Request, context: Omit<ApiContext, "user">): Promise<Response> {
    if (request.headers.get("upgrade") === "websocket") return echoSocket();
    return this.serveApi(request, { ...context, user: { username: "the caller", groups: [] } });
  }

  #watchesEnded = 0;

  /** Another one after an eviction: memory was lost, and the socket kept. */
  readonly #life = crypto.randomUUID();

  async life(): Promise<string> {
    return this.#life;
  }
}

/** Gives back what it gets, and closes as it is asked to. */
function echoSocket(): Response {
  const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
  server.accept();
  server.binaryType = "arraybuffer";
  server.addEventListener("message", ({ data }) => {
    if (data === "close") server.close(4001, "as you wish");
    else server.send(data);
  });
  return new Response(null, { status: 101, webSocket: client, headers: { "sec-websocket-protocol": "echo" } });
}

function bytesOf(total: number): ReadableStream<Uint8Array> {
  let left = total;
  return new ReadableStream({
    pull(controller) {
      const size = Math.min(left, 50_000);
      left -= size;
      if (size > 0) controller.enqueue(new Uint8Array(size).fill(7));
      else controller.close();
    },
  });
}

function ticks(everyMs: number, ended: () => void): ReadableStream<Uint8Array> {
  let count = 0;
  let timer: ReturnType<typeof setInterval>;
  return new ReadableStream({
    start(controller) {
      timer = setInterval(() => controller.enqueue(new TextEncoder().encode(`tick ${count++}\n`)), everyMs);
    },
    cancel() {
      clearInterval(timer);
      ended();
    },
  });
}

type StandInEnv = Omit<Env, "NODES"> & { NODES: DurableObjectNamespace<NodeSession> };

/** `/nodes/<name>/…` goes to the node's kubelet, `/dial/<name>/…` to the server that a header names; `/session/<name>/<method>` calls the session's RPC. */
export default {
  async fetch(request, env: StandInEnv) {
    const url = new URL(request.url);
    const [, area, node = "", ...rest] = url.pathname.split("/");
    if (url.pathname === "/hearth/v1/tunnel") {
      const name = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
      if (name === "wrong") return new Response(null, { status: 401 });
      const headers = new Headers(request.headers);
      headers.set(CLUSTER_HEADER, "test");
      headers.set(NODE_HEADER, name);
      return env.NODES.getByName(`test/${name}`).fetch(`http://${TUNNEL_HOST}/`, { headers });
    }
    const session = env.NODES.getByName(`test/${node}`);
    if (area === "dial") return session.fetch(new Request(`${DIAL_ORIGIN}/${rest.join("/")}${url.search}`, request));
    if (area === "nodes")
      return session.fetch(new Request(`${KUBELET_ORIGIN}/${rest.join("/")}${url.search}`, request));
    switch (rest[0]) {
      case "connected":
        return Response.json(await session.connected());
      case "life":
        return Response.json(await session.life());
      case "lastHeartbeatMs":
        return Response.json(await session.lastHeartbeatMs());
      default:
        return new Response(null, { status: 404 });
    }
  },
} satisfies ExportedHandler<StandInEnv>;
