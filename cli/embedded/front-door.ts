import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request, type ServerResponse } from "node:http";
import {
  constants,
  createServer as createHttp2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import type { SecureContextOptions, TLSSocket } from "node:tls";
import { UNAVAILABLE_BODY, UNAVAILABLE_HEADERS } from "./unavailable.ts";

/** Connections that speak of one hop only (RFC 9110 §7.6.1), and HTTP/2's own pseudo-headers, are not passed on. */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
]);
/** workerd closes a connection that idles for 5 s; giving it up earlier means never writing into a closing one. */
const UPSTREAM_IDLE_MS = 4000;

export interface FrontDoor {
  /** For new connections, at once. */
  setCertificate(certificate: { keyPem: string; chainPem: string }): void;
  close(): Promise<void>;
}

export async function openFrontDoor(options: {
  port: number;
  upstreamSocket: string;
  certificate: { keyPem: string; chainPem: string };
}): Promise<FrontDoor> {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 256, timeout: UPSTREAM_IDLE_MS });
  const upstream = { socketPath: options.upstreamSocket, agent };

  const server = createHttpsServer({ ...secureContext(options.certificate), ALPNProtocols: ["h2", "http/1.1"] });
  const http2 = createHttp2Server();
  // https.Server takes every TLS connection for HTTP/1.1; ALPN decides instead.
  const [serveHttp1] = server.listeners("secureConnection");
  server.removeAllListeners("secureConnection");
  server.on("secureConnection", (socket: TLSSocket) => {
    socket.setNoDelay(true);
    if (socket.alpnProtocol === "h2") http2.emit("connection", socket);
    else serveHttp1?.call(server, socket);
  });
  server.on("request", (req, res) => proxyHttp1(upstream, req, res));
  server.on("upgrade", (req, socket, head) => proxyUpgrade(options.upstreamSocket, req, socket, head));
  http2.on("stream", (stream, headers) => proxyHttp2(upstream, stream, headers));
  server.on("tlsClientError", () => undefined);
  server.requestTimeout = 0; // a watch's request is short, but an upload over a slow line may take its time
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, () => resolve());
  });
  return {
    setCertificate: (certificate) => server.setSecureContext(secureContext(certificate)),
    close: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface Upstream {
  socketPath: string;
  agent: Agent;
}

function proxyHttp1(upstream: Upstream, req: IncomingMessage, res: ServerResponse): void {
  const headers: OutgoingHttpHeaders = {};
  for (const name in req.headers) if (!HOP_BY_HOP.has(name)) headers[name] = req.headers[name];
  const call = request({ ...upstream, method: req.method, path: req.url, headers }, (answer) => {
    const back: OutgoingHttpHeaders = {};
    for (const name in answer.headers) if (!HOP_BY_HOP.has(name)) back[name] = answer.headers[name];
    res.writeHead(answer.statusCode ?? 502, back);
    res.flushHeaders();
    answer.on("error", () => res.destroy());
    answer.pipe(res);
  });
  call.on("error", () => {
    if (res.headersSent) res.destroy();
    else res.writeHead(503, UNAVAILABLE_HEADERS).end(UNAVAILABLE_BODY);
  });
  res.on("close", () => call.destroy());
  if (hasBody(req.headers)) req.pipe(call);
  else call.end();
}

function proxyHttp2(upstream: Upstream, stream: ServerHttp2Stream, incoming: IncomingHttpHeaders): void {
  const headers: OutgoingHttpHeaders = {};
  for (const name in incoming) if (!name.startsWith(":") && !HOP_BY_HOP.has(name)) headers[name] = incoming[name];
  headers["host"] = incoming[":authority"] ?? incoming["host"];
  const method = incoming[":method"];
  const call = request({ ...upstream, method, path: incoming[":path"], headers }, (answer) => {
    if (stream.destroyed) return void answer.destroy();
    const back: OutgoingHttpHeaders = { ":status": answer.statusCode };
    for (const name in answer.headers) if (!HOP_BY_HOP.has(name)) back[name] = answer.headers[name];
    stream.respond(back);
    answer.on("error", () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
    answer.pipe(stream);
  });
  stream.on("error", () => undefined); // "close" follows and ends the call
  call.on("error", () => {
    if (stream.destroyed) return;
    if (stream.headersSent) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    else {
      stream.respond({ ":status": 503, ...UNAVAILABLE_HEADERS });
      stream.end(UNAVAILABLE_BODY);
    }
  });
  stream.on("close", () => call.destroy());
  if (stream.endAfterHeaders) call.end();
  else stream.pipe(call);
}

/** A WebSocket (or another protocol) takes the connection over: the head is sent on, then bytes go both ways. */
function proxyUpgrade(upstreamSocket: string, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  const upstream = connect(upstreamSocket, () => {
    const lines = [`${req.method} ${req.url} HTTP/1.1`];
    for (let i = 0; i < req.rawHeaders.length; i += 2) lines.push(`${req.rawHeaders[i]}: ${req.rawHeaders[i + 1]}`);
    upstream.write(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
    if (head.length) upstream.write(head);
    upstream.pipe(socket).pipe(upstream);
  });
  upstream.on("error", () => {
    if (upstream.bytesRead > 0) return void socket.destroy();
    const headers = Object.entries(UNAVAILABLE_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 503 Service Unavailable\r\n${headers.join("")}connection: close\r\n\r\n${UNAVAILABLE_BODY}`);
  });
  upstream.on("close", () => socket.destroy());
  socket.on("error", () => upstream.destroy());
  socket.on("close", () => upstream.destroy());
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

function secureContext({ keyPem, chainPem }: { keyPem: string; chainPem: string }): SecureContextOptions {
  return { key: keyPem, cert: chainPem, minVersion: "TLSv1.2" };
}
