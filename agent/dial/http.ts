import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import type { DialTarget, OpenMeta, TunnelStream } from "../../shared/tunnel/index.ts";
import { answerStream, TunnelError } from "../../shared/tunnel/index.ts";
import { explainDialFailure, hostPort } from "./failure.ts";

/** Go's net.Dialer and http.Transport, as the API server upstream uses them. */
const CONNECT_TIMEOUT_MS = 30_000;
const TLS_HANDSHAKE_TIMEOUT_MS = 10_000;
/** Of the answer's head, in all: what fits the tunnel's HEAD frame. */
const MAX_HEAD_BYTES = 48 * 1024;

const HOP_BY_HOP = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "trailer"];
const SELDOM_WITH_BODY = ["GET", "HEAD", "OPTIONS", "DELETE"];

export type DialMeta = Extract<OpenMeta, { kind: "dial" }>;

/**
 * Asks the target what the stream asks, and answers the stream with what it says; both bodies flow as they come.
 * @throws TunnelError "unreachable" if there is no answer
 */
export async function askTarget(stream: TunnelStream, meta: DialMeta): Promise<void> {
  const call = openRequest(meta, stream.signal);
  const answered = responseTo(call, meta.target);
  // A failing body ends the call, which `answered` reports.
  void sendRequestBody(stream, meta, call).catch((error: Error) => call.destroy(error));
  const response = await answered;
  const body = Readable.toWeb(response) as ReadableStream<Uint8Array>;
  await answerStream(stream, { status: response.statusCode ?? 502, headers: headersOf(response), body });
  call.destroy();
}

/** The target's TLS, as `node:tls` takes it: unverified as upstream's default is for pods and services. */
export const tlsOptions = ({ tls }: DialTarget) =>
  tls ? { ca: tls.ca, servername: tls.serverName } : { rejectUnauthorized: false };

export const hostHeader = (target: DialTarget): string => target.host ?? hostPort(target);

function openRequest({ target, method, path, headers }: DialMeta, signal: AbortSignal): ClientRequest {
  const options = {
    host: target.address,
    port: target.port,
    method,
    path,
    headers: { ...headers, host: hostHeader(target) },
    agent: false as const,
    maxHeaderSize: MAX_HEAD_BYTES,
    signal,
  };
  const call = target.scheme === "https" ? requestHttps({ ...options, ...tlsOptions(target) }) : requestHttp(options);
  call.setNoDelay(true);
  return call;
}

function responseTo(call: ClientRequest, target: DialTarget): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let isConnected = false;
    const fail = (message: string) => reject(new TunnelError("unreachable", message));
    const give = (afterMs: number, message: string) =>
      setTimeout(() => {
        fail(message);
        call.destroy();
      }, afterMs);
    let timer = give(CONNECT_TIMEOUT_MS, `dial tcp ${hostPort(target)}: i/o timeout`);
    call.once("socket", (socket) => {
      socket.once("connect", () => {
        isConnected = true;
        clearTimeout(timer);
        if (target.scheme !== "https") return;
        timer = give(TLS_HANDSHAKE_TIMEOUT_MS, "net/http: TLS handshake timeout");
        socket.once("secureConnect", () => clearTimeout(timer));
      });
    });
    call.once("response", resolve);
    call.once("error", (error) => {
      clearTimeout(timer);
      fail(explainDialFailure(error, target, isConnected));
    });
    call.once("close", () => clearTimeout(timer));
    // After the head a failure shows in the body; this listener only keeps it from being unhandled.
    call.on("error", () => {});
  });
}

async function sendRequestBody(
  stream: TunnelStream,
  { method, headers }: DialMeta,
  call: ClientRequest,
): Promise<void> {
  const reader = stream.readable.getReader();
  const { done, value } = await reader.read();
  reader.releaseLock();
  if (done) return void call.end();
  // Node frames no body of a method that seldom has one: its bytes would be taken for another request.
  if (SELDOM_WITH_BODY.includes(method) && headers["content-length"] === undefined) {
    call.setHeader("transfer-encoding", "chunked");
  }
  call.write(value);
  await pipeline(Readable.fromWeb(stream.readable as NodeReadableStream), call);
}

/** As a stream carries them: hop-by-hop ones end here. */
export function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || HOP_BY_HOP.includes(name) || named.includes(name)) continue;
    kept[name] = typeof value === "string" ? value : value.join(name === "set-cookie" ? "\n" : ", ");
  }
  return kept;
}
