import { createServer as createHttp2Server, type Http2Session } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import type { Duplex } from "node:stream";
import type { SecureContextOptions, TLSSocket } from "node:tls";
import { certificateHeader } from "./client-certificate.ts";
import { proxyHttp1 } from "./http1.ts";
import { proxyHttp2 } from "./http2.ts";
import { NOT_ALLOWED } from "./unavailable.ts";
import { proxyUpgrade } from "./upgrade.ts";
import { Upstream } from "./upstream.ts";

/** client-go keeps idle connections for 90 s; a server that gives up later never closes under a new request. */
const CLIENT_IDLE_MS = 120_000;
/** kube-apiserver's default for streams on one connection. */
const MAX_HTTP2_STREAMS = 250;

export interface ServingKeyPair {
  keyPem: string;
  chainPem: string;
}

export interface FrontDoor {
  /** For new connections, at once. */
  setCertificate(certificate: ServingKeyPair): void;
  close(): Promise<void>;
}

/** To a method after which a connection is no longer Node's to answer on. */
function notAllowedToConnect(): string {
  const lines = Object.entries(NOT_ALLOWED.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${NOT_ALLOWED.code} Method Not Allowed\r\nconnection: close\r\n${lines.join("")}\r\n${NOT_ALLOWED.body}`;
}

/** See control-plane/gateway/tunnel-request.ts, which tells it to nodes. A socket of both families writes IPv4 mapped. */
const clientAddressHeader = (address = ""): string =>
  address && `X-Hearth-Client-Address: ${address.replace(/^::ffff:/, "")}\r\n`;

/** Terminates TLS on the port and passes every request on to workerd's socket, HTTP/1.1 and HTTP/2 alike. */
export async function openFrontDoor(options: {
  port: number;
  upstreamSocket: string;
  certificate: ServingKeyPair;
  /** Client certificates of this CA are vouched for, as users of its cluster. */
  caPem: string;
  cluster: string;
  rootSecret: string;
}): Promise<FrontDoor> {
  const upstream = new Upstream(options.upstreamSocket);
  /** Per connection or session: the header lines that we add to its requests. */
  const ownHeaders = new WeakMap<object, string>();
  const sessions = new Set<Http2Session>();
  /** Taken over by an upgrade: the server no longer counts them among its own. */
  const upgraded = new Set<Duplex>();
  const context = (certificate: ServingKeyPair): SecureContextOptions => ({
    key: certificate.keyPem,
    cert: certificate.chainPem,
    ca: options.caPem,
    minVersion: "TLSv1.2",
  });

  const server = createHttpsServer({
    ...context(options.certificate),
    ALPNProtocols: ["h2", "http/1.1"],
    requestCert: true,
    rejectUnauthorized: false, // most clients have none, and come with a token
    requestTimeout: 0, // an upload may take its time; heads have their own limit
    keepAliveTimeout: CLIENT_IDLE_MS,
  });
  const http2 = createHttp2Server({ settings: { maxConcurrentStreams: MAX_HTTP2_STREAMS } });
  // https.Server takes every TLS connection for HTTP/1.1; ALPN decides instead.
  const [serveHttp1] = server.listeners("secureConnection");
  server.removeAllListeners("secureConnection");
  // A session of HTTP/2 is made, and announced, while its connection is handed over.
  let arriving = "";
  server.on("secureConnection", (socket: TLSSocket) => {
    socket.setNoDelay(true);
    arriving = certificateHeader(socket, options.cluster, options.rootSecret);
    ownHeaders.set(socket, arriving);
    if (socket.alpnProtocol === "h2") http2.emit("connection", socket);
    else serveHttp1?.call(server, socket);
  });
  server.on("request", (req, res) => proxyHttp1(upstream, req, res, ownHeaders.get(req.socket) ?? ""));
  server.on("upgrade", (req, socket, head) => {
    upgraded.add(socket);
    socket.once("close", () => upgraded.delete(socket));
    const own = `${ownHeaders.get(socket) ?? ""}${clientAddressHeader(req.socket.remoteAddress)}`;
    proxyUpgrade(options.upstreamSocket, req, socket, head, own);
  });
  server.on("connect", (_req, socket) => socket.end(notAllowedToConnect())); // a tunnel for itself: there is none
  http2.on("session", (session) => {
    sessions.add(session);
    ownHeaders.set(session, arriving);
    session.on("close", () => sessions.delete(session));
    session.on("error", () => undefined); // "close" follows
  });
  http2.on("stream", (stream, _headers, _flags, raw) =>
    proxyHttp2(upstream, stream, raw as unknown as string[], ownHeaders.get(stream.session!) ?? ""),
  );
  server.on("tlsClientError", () => undefined); // a client that does not speak TLS, or does not trust us: its matter
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, () => resolve());
  });
  return {
    setCertificate: (certificate) => server.setSecureContext(context(certificate)),
    close: async () => {
      upstream.close();
      for (const session of sessions) session.destroy();
      for (const socket of upgraded) socket.destroy();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
