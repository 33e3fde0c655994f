import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { Multiplexer } from "../../shared/tunnel/index.ts";
import type { ServingPair } from "./certificate.ts";
import { forward, type Reply, refuse } from "./forward.ts";
import { NOT_ALLOWED, TOO_MANY } from "./own-answer.ts";
import { Places } from "./places.ts";
import { forwardedHead } from "./request-head.ts";
import { forwardWebSocket } from "./web-socket.ts";

/** client-go keeps idle connections for 90 s; a server that gives up later never closes under a new request. */
const CLIENT_IDLE_MS = 120_000;
/** For TLS's handshake, and for each request's head. */
const HANDSHAKE_MS = 10_000;
const HEAD_MS = 10_000;
/** How long what is left of a body may take after its answer has ended. */
const REST_OF_BODY_MS = 10_000;
/** A peer that is gone without a word: a pod's network that was taken away. */
const KEEP_ALIVE_MS = 30_000;
/** kube-apiserver's default for streams on one connection. */
const MAX_HTTP2_STREAMS = 250;
/** Node.js' own for HTTP/1.1, and enough for any token. */
const MAX_HEAD_BYTES = 16_384;
const MAX_CONNECTIONS = 1024;
const MAX_CONNECTIONS_PER_SOURCE = 256;

export interface ApiServer {
  port: number;
  /** For new connections, at once. */
  setCertificate(pair: ServingPair): void;
  close(): Promise<void>;
}

/**
 * Terminates TLS and passes every request on, HTTP/1.1, HTTP/2 and WebSockets. Client certificates are not asked for:
 * nobody here could vouch for them.
 * @param options.mux the live connection; it throws a TunnelError when there is none
 * @throws Error of `listen`
 */
export async function openApiServer(options: {
  host: string;
  /** 0: any that is free. */
  port: number;
  pair: ServingPair;
  mux(): Multiplexer;
  places?: Places;
}): Promise<ApiServer> {
  const places = options.places ?? new Places();
  const connections = new Places({ most: MAX_CONNECTIONS, mostPerSource: MAX_CONNECTIONS_PER_SOURCE });
  const sockets = new Set<Socket>();
  const secrets = ({ keyPem, certificatePem }: ServingPair) => ({ key: keyPem, cert: certificatePem });

  const server = createHttpsServer({
    ...secrets(options.pair),
    minVersion: "TLSv1.2",
    ALPNProtocols: ["h2", "http/1.1"],
    handshakeTimeout: HANDSHAKE_MS,
    headersTimeout: HEAD_MS,
    requestTimeout: 0, // bodies have a limit of their own
    keepAliveTimeout: CLIENT_IDLE_MS,
    maxHeaderSize: MAX_HEAD_BYTES,
    // Another protocol (SPDY) is for the API to refuse, with its own words.
    shouldUpgradeCallback: (request: IncomingMessage) => request.headers.upgrade?.toLowerCase() === "websocket",
  });
  const http2 = createHttp2Server({
    settings: { maxConcurrentStreams: MAX_HTTP2_STREAMS, maxHeaderListSize: MAX_HEAD_BYTES },
  });
  // https.Server takes every TLS connection for HTTP/1.1; ALPN decides instead.
  const [serveHttp1] = server.listeners("secureConnection");
  server.removeAllListeners("secureConnection");
  server.on("connection", (socket: Socket) => {
    const leave = connections.take(socket.remoteAddress ?? "");
    if (!leave) return void socket.destroy();
    sockets.add(socket);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.once("close", () => {
      leave();
      sockets.delete(socket);
    });
  });
  server.on("secureConnection", (socket: TLSSocket) => {
    socket.setNoDelay(true);
    if (socket.alpnProtocol === "h2") http2.emit("connection", socket);
    else serveHttp1?.call(server, socket);
  });
  server.on("tlsClientError", () => undefined); // a client that does not speak TLS, or does not trust us: its matter

  /** What is the same of every request: a place, a head that can be passed on. */
  async function serve(
    request: IncomingMessage | Http2ServerRequest,
    { reply, hasBody, cut }: { reply: Reply; hasBody: boolean; cut(): void },
  ): Promise<void> {
    reply.on("error", () => undefined); // "close" follows
    const head = forwardedHead(request.method ?? "", request.url ?? "", request.headers);
    const leave = head && places.take(request.socket.remoteAddress ?? "");
    // Of a read there is no body that anybody wants.
    const body = hasBody && head && head.method !== "GET" && head.method !== "HEAD" ? request : undefined;
    if (!leave || !body) request.resume();
    if (!head) return refuse(reply, NOT_ALLOWED);
    if (!leave) return refuse(reply, TOO_MANY);
    await forward(options.mux, { head, body, reply, cut }).finally(leave);
  }
  server.on("request", (request: IncomingMessage, reply: ServerResponse) => {
    const { headers } = request;
    const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
    void serve(request, { reply, hasBody, cut: () => reply.destroy() }).then(() => dropRest(request));
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, firstBytes: Buffer) => {
    const head = forwardedHead(request.method ?? "", request.url ?? "", request.headers);
    const leave = places.take(request.socket.remoteAddress ?? "");
    if (!head || !leave) {
      leave?.();
      return void socket.end("HTTP/1.1 429 Too Many Requests\r\nretry-after: 1\r\nconnection: close\r\n\r\n");
    }
    void forwardWebSocket(options.mux, { head, request, socket, firstBytes }).finally(leave);
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => void socket.destroy());
  http2.on("request", (request: Http2ServerRequest, reply: Http2ServerResponse) => {
    const cut = () => void reply.stream.destroy(new Error("the answer broke off"));
    void serve(request, { reply: reply as unknown as Reply, hasBody: !request.stream.endAfterHeaders, cut });
  });
  http2.on("session", closeWhenIdle);

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: options.host, port: options.port }, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    setCertificate: (pair) => server.setSecureContext({ ...secrets(pair), minVersion: "TLSv1.2" }),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A client that was answered early may go on with its body, but not for ever. */
function dropRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  const timer = setTimeout(() => request.destroy(), REST_OF_BODY_MS);
  request.once("close", () => clearTimeout(timer));
}

/** Of a session of HTTP/2 nobody sees but its streams whether it is used: a watch may be silent for long. */
function closeWhenIdle(session: ServerHttp2Session): void {
  let open = 0;
  session.on("error", () => undefined); // "close" follows
  session.on("stream", (stream) => {
    open++;
    stream.once("close", () => {
      open--;
      session.setTimeout(CLIENT_IDLE_MS);
    });
  });
  session.setTimeout(CLIENT_IDLE_MS, () => {
    if (open === 0) session.close();
  });
}
