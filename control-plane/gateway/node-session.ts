import { DurableObject } from "cloudflare:workers";
import { RELAY_PATH } from "../../shared/relay/index.ts";
import {
  CLOSE_DEAD_PEER,
  CLOSE_PROTOCOL_ERROR,
  CLOSE_REPLACED,
  COMPONENT_HEADER,
  Multiplexer,
  NODE_API_CERTIFICATE_PATH,
  PING_INTERVAL_MS,
  PING_TEXT,
  PONG_TEXT,
  TunnelError,
  type TunnelStream,
} from "../../shared/tunnel/index.ts";
import type { ApiContext } from "../apiserver/attributes.ts";
import { certifyNodeApi, serveApi, serveCaller } from "../apiserver/index.ts";
import type { Env } from "../env.ts";
import { answerAgent, askAs } from "./agent-request.ts";
import { joinClientSocket } from "./client-socket.ts";
import { answerForwarded } from "./forwarded-request.ts";
import { isDead, lastSignOfLifeMs, type SignsOfLife } from "./liveness.ts";
import { SessionRelay } from "./session-relay.ts";
import {
  AGENT_VERSION_HEADER,
  CLUSTER_HEADER,
  NODE_HEADER,
  type SocketAttachment,
  socketAttachmentSchema,
  TUNNEL_HOST,
} from "./session-request.ts";
import { askThroughTunnel, statusResponse, tunnelledRequest, unreachable } from "./tunnelled-request.ts";

/** Storage key: when a connection was last made or lost (epoch ms). Two rows written per connection, none per heartbeat. */
const LAST_SEEN_KEY = "lastSeenMs";

/**
 * The control plane's end of the tunnel to one node's agent; named `<cluster>/<node>`.
 *
 * The socket hibernates: while no stream is open this object may lose its memory at any time, and only the socket with
 * its attachment stays. See docs/decisions/tunnel-and-hibernation.md for what that means for streams.
 */
export class NodeSession extends DurableObject<Env> {
  readonly #muxes = new WeakMap<WebSocket, Multiplexer>();
  #openStreams = 0;
  #watchdog: ReturnType<typeof setInterval> | undefined;
  #relay: SessionRelay | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING_TEXT, PONG_TEXT));
    // A socket older than this object's memory: the agent may wait on streams that are no longer known here.
    for (const socket of ctx.getWebSockets()) this.#muxOf(socket).queryStreams();
  }

  /**
   * The agent's tunnel (host TUNNEL_HOST, with Upgrade), or a request for the node's kubelet (KUBELET_ORIGIN; with Upgrade
   * for exec, attach and port-forward), or for a server that the node can reach (DIAL_ORIGIN).
   */
  override async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).hostname === TUNNEL_HOST) return this.#acceptAgent(request);
    const mux = this.#liveMux();
    if (!mux) {
      const message = "the node's agent is not connected";
      const target = tunnelledRequest(request)?.target;
      return target ? unreachable({ message }, { target }) : statusResponse(503, "ServiceUnavailable", message);
    }
    if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") return askThroughTunnel(mux, request);
    return joinClientSocket(mux, request);
  }

  /** Whether the agent is there: it has a socket and pinged within DEAD_PEER_MS. */
  async connected(): Promise<boolean> {
    return this.#liveMux() !== undefined;
  }

  /**
   * When the agent last showed life (epoch ms), connected or not; null if it never did. Answers after an eviction too;
   * after a crash of the machine the last connection's start is all that is known.
   */
  async lastHeartbeatMs(): Promise<number | null> {
    const seen = this.ctx.getWebSockets().map((socket) => lastSignOfLifeMs(this.#signsOf(socket)));
    const stored = await this.ctx.storage.get<number>(LAST_SEEN_KEY);
    if (stored !== undefined) seen.push(stored);
    return seen.length > 0 ? Math.max(...seen) : null;
  }

  /** Datagrams of another node's session for this node; lost unless its agent relays at present. */
  async relay(datagrams: Uint8Array): Promise<void> {
    this.#relay?.receive(datagrams);
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    try {
      if (typeof message === "string") throw new TunnelError("protocol", "unexpected text message");
      this.#muxOf(socket).receive(new Uint8Array(message));
    } catch (error) {
      if (!(error instanceof TunnelError)) throw error;
      this.#closeAgent(socket, CLOSE_PROTOCOL_ERROR, error.message);
    }
  }

  override async webSocketClose(socket: WebSocket, code: number, reason: string): Promise<void> {
    await this.#agentGone(socket, `the agent's connection was closed (${code} ${reason})`);
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    await this.#agentGone(socket, "the agent's connection broke");
  }

  /** Serves a request that the node's agent sent. Tests put an API of their own here. */
  protected serveApi(request: Request, context: ApiContext): Promise<Response> {
    return serveApi(request, context);
  }

  /** Serves a request that somebody on the node sent, who is in its headers. Tests put an API of their own here. */
  protected serveCaller(request: Request, context: Omit<ApiContext, "user">): Promise<Response> {
    return serveCaller(request, context);
  }

  async #acceptAgent(request: Request): Promise<Response> {
    const attachment: SocketAttachment = socketAttachmentSchema.parse({
      cluster: request.headers.get(CLUSTER_HEADER),
      node: request.headers.get(NODE_HEADER),
      agentVersion: request.headers.get(AGENT_VERSION_HEADER) ?? "",
      connectedMs: Date.now(),
    });
    for (const older of this.ctx.getWebSockets()) {
      this.#closeAgent(older, CLOSE_REPLACED, "replaced by a newer connection of this node");
    }
    const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
    this.ctx.acceptWebSocket(server);
    server.serializeAttachment(attachment);
    await this.ctx.storage.put(LAST_SEEN_KEY, attachment.connectedMs);
    return new Response(null, { status: 101, webSocket: client });
  }

  #muxOf(socket: WebSocket): Multiplexer {
    const known = this.#muxes.get(socket);
    if (known) return known;
    const mux = new Multiplexer({
      side: "gateway",
      // Random: the agent may remember streams of a life of this object that this one does not.
      firstId: crypto.getRandomValues(new Uint32Array(1))[0],
      send: (bytes) => sendQuietly(socket, bytes),
      onStream: (stream) => this.#serveAgent(socket, stream),
      onOpen: (stream) => this.#keepAwake(stream),
    });
    this.#muxes.set(socket, mux);
    return mux;
  }

  #serveAgent(socket: WebSocket, stream: TunnelStream): void {
    // The control plane stands in no pod network; and whose servers it could reach is nothing for nodes.
    if (stream.meta.kind === "dial") {
      stream.reset("refused", "the control plane dials nobody");
      return;
    }
    const { cluster, node } = socketAttachmentSchema.parse(socket.deserializeAttachment());
    const context = {
      env: this.env,
      cluster,
      waitUntil: (promise: Promise<unknown>) => this.ctx.waitUntil(promise),
    };
    this.ctx.waitUntil(this.#answer(stream, context, node));
  }

  #answer(stream: TunnelStream, context: Omit<ApiContext, "user">, node: string): Promise<void> {
    const { kind, path, headers } = stream.meta;
    if (kind === "forward") return answerForwarded(stream, (request) => this.serveCaller(request, context));
    if (path === NODE_API_CERTIFICATE_PATH) {
      return answerAgent(stream, (request) => certifyNodeApi(request, this.env, { cluster: context.cluster, node }));
    }
    if (path === RELAY_PATH) return this.#relayFor(context, node).serve(stream);
    const user = userOf(node, headers[COMPONENT_HEADER]);
    return answerAgent(stream, (request) => this.serveApi(request, { ...context, user }));
  }

  #relayFor(context: Omit<ApiContext, "user">, node: string): SessionRelay {
    const user = userOf(node, "network");
    this.#relay ??= new SessionRelay({
      node,
      getNode: (name) =>
        askAs((request) => this.serveApi(request, { ...context, user }), `/api/v1/nodes/${encodeURIComponent(name)}`),
      pass: (to, datagrams) => this.env.NODES.getByName(`${context.cluster}/${to}`).relay(datagrams),
    });
    return this.#relay;
  }

  /** An open stream lives in memory only, so the object must not hibernate under it. */
  #keepAwake(stream: TunnelStream): void {
    this.#openStreams++;
    this.#watchdog ??= setInterval(() => this.#dropDeadPeers(), PING_INTERVAL_MS);
    this.ctx.waitUntil(
      stream.closed.then(() => {
        this.#openStreams--;
        if (this.#openStreams > 0) return;
        clearInterval(this.#watchdog);
        this.#watchdog = undefined;
      }),
    );
  }

  #dropDeadPeers(): void {
    for (const socket of this.ctx.getWebSockets()) {
      if (isDead(this.#signsOf(socket), Date.now())) {
        this.#closeAgent(socket, CLOSE_DEAD_PEER, "the agent does not answer");
      }
    }
  }

  #liveMux(): Multiplexer | undefined {
    const socket = this.ctx
      .getWebSockets()
      .find((each) => each.readyState === WebSocket.OPEN && !isDead(this.#signsOf(each), Date.now()));
    const mux = socket && this.#muxOf(socket);
    return mux?.isClosed ? undefined : mux;
  }

  #signsOf(socket: WebSocket): SignsOfLife {
    const { connectedMs } = socketAttachmentSchema.parse(socket.deserializeAttachment());
    return { connectedMs, lastPingMs: this.ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? null };
  }

  #closeAgent(socket: WebSocket, code: number, reason: string): void {
    this.#muxOf(socket).close(reason);
    try {
      socket.close(code, reason.slice(0, 120));
    } catch {
      // It was closed already, which is what was wanted.
    }
  }

  async #agentGone(socket: WebSocket, message: string): Promise<void> {
    this.#closeAgent(socket, 1000, message);
    const seenMs = lastSignOfLifeMs(this.#signsOf(socket));
    const stored = (await this.ctx.storage.get<number>(LAST_SEEN_KEY)) ?? 0;
    if (seenMs > stored) await this.ctx.storage.put(LAST_SEEN_KEY, seenMs);
  }
}

/** As whom a request of an agent is carried out: its kubelet, or what looks after the node's network. */
const userOf = (node: string, component: string | undefined): ApiContext["user"] =>
  component === "network"
    ? { username: `system:node-network:${node}`, groups: ["system:node-networks", "system:authenticated"] }
    : { username: `system:node:${node}`, groups: ["system:nodes", "system:authenticated"] };

function sendQuietly(socket: WebSocket, bytes: Uint8Array<ArrayBuffer>): void {
  try {
    socket.send(bytes);
  } catch {
    // The socket is closing; its close event, which ends all streams, is on the way.
  }
}
