import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import WebSocket, { type RawData } from "ws";
import {
  ACCEPTED_HEADER,
  answerStream,
  decodeSocketEvent,
  encodeMessage,
  encodeSocketEvent,
  MAX_MESSAGE_BYTES,
  MessageDecoder,
  type SocketEvent,
  TunnelError,
  type TunnelStream,
} from "../../shared/tunnel/index.ts";
import { explainDialFailure, hostPort } from "./failure.ts";
import { type DialMeta, headersOf, hostHeader, tlsOptions } from "./http.ts";

const HANDSHAKE_TIMEOUT_MS = 30_000;
/** What the target may not have taken yet before its client is read no further. */
const MAX_UNSENT_BYTES = 256 * 1024;
const PROTOCOL_HEADER = "sec-websocket-protocol";
const NO_CODE = 1005;
/** Events that begin with a byte of their own must fit a message. */
const MAX_PAYLOAD_BYTES = MAX_MESSAGE_BYTES - 1;

/**
 * Opens a WebSocket to the target and joins it to the stream, whose bodies carry what happens on it (socket-events.ts).
 * What a target answers in the place of a handshake is passed on.
 * @throws TunnelError "unreachable" if there is no answer
 */
export async function joinTarget(stream: TunnelStream, meta: DialMeta): Promise<void> {
  const opened = await open(meta, stream.signal);
  if (!(opened instanceof WebSocket)) {
    const body = Readable.toWeb(opened) as ReadableStream<Uint8Array>;
    return answerStream(stream, { status: opened.statusCode ?? 502, headers: headersOf(opened), body });
  }
  const protocol = opened.protocol;
  stream.respond({
    status: 200,
    headers: { [ACCEPTED_HEADER]: "websocket", ...(protocol ? { [PROTOCOL_HEADER]: protocol } : {}) },
  });
  stream.signal.addEventListener("abort", () => opened.terminate(), { once: true });
  void fromClient(stream.readable, opened);
  await toClient(opened, stream.writable);
}

/** The open socket, paused, or what the target said instead. */
function open({ target, path, headers }: DialMeta, signal: AbortSignal): Promise<WebSocket | IncomingMessage> {
  const { [PROTOCOL_HEADER]: protocols = "", ...rest } = headers;
  // The handshake's own headers are those of our connection to the target.
  const kept = Object.entries(rest).filter(([name]) => name !== "upgrade" && !name.startsWith("sec-websocket-"));
  const url = `${target.scheme === "https" ? "wss" : "ws"}://${hostPort(target)}${path}`;
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, protocols === "" ? [] : protocols.split(",").map((each) => each.trim()), {
      headers: { ...Object.fromEntries(kept), host: hostHeader(target) },
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxPayload: MAX_PAYLOAD_BYTES,
      perMessageDeflate: false,
      ...tlsOptions(target),
    });
    signal.addEventListener("abort", () => socket.terminate(), { once: true });
    socket.once("open", () => {
      socket.pause();
      resolve(socket);
    });
    socket.once("unexpected-response", (_request, response) => resolve(response));
    socket.on("error", (error) =>
      reject(new TunnelError("unreachable", explainDialFailure(error, target, !("syscall" in error)))),
    );
  });
}

async function fromClient(events: ReadableStream<Uint8Array>, socket: WebSocket): Promise<void> {
  const decoder = new MessageDecoder();
  try {
    for await (const chunk of events as unknown as AsyncIterable<Uint8Array>) {
      for (const message of decoder.push(chunk)) {
        const event = decodeSocketEvent(message);
        if (event.type === "close") return closeWith(socket, event.code, event.reason);
        await sent(socket, event.data);
      }
    }
    socket.close();
  } catch {
    // The client is gone, or breaks the rules: either ends both.
    socket.terminate();
  }
}

/** Settles at once while the target keeps up. */
function sent(socket: WebSocket, data: string | Uint8Array): Promise<void> | undefined {
  if (socket.bufferedAmount < MAX_UNSENT_BYTES) {
    socket.send(data, () => {});
    return undefined;
  }
  return new Promise((resolve, reject) => socket.send(data, (error) => (error ? reject(error) : resolve())));
}

function closeWith(socket: WebSocket, code: number, reason: string): void {
  if (code === NO_CODE) socket.close();
  else socket.close(code, reason);
}

async function toClient(socket: WebSocket, output: WritableStream<Uint8Array>): Promise<void> {
  const writer = output.getWriter();
  writer.closed.catch(() => {});
  let last = Promise.resolve();
  // One event at a time: what the client has not taken holds the target back.
  const send = (event: SocketEvent) => {
    last = last.then(() => writer.write(encodeMessage(encodeSocketEvent(event))));
    return last;
  };
  socket.on("message", (data: RawData, isBinary: boolean) => {
    socket.pause();
    const bytes = data as Buffer;
    const event: SocketEvent = isBinary ? { type: "binary", data: bytes } : { type: "text", data: bytes.toString() };
    send(event).then(
      () => socket.resume(),
      () => socket.terminate(),
    );
  });
  const closed = new Promise<SocketEvent>((resolve) => {
    socket.once("close", (code, reason) => resolve({ type: "close", code, reason: reason.toString() }));
  });
  socket.resume();
  try {
    await send(await closed);
    await writer.close();
  } catch {
    // The exchange is over: nobody is left to tell.
  }
}
