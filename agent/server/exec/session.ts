import { failure } from "../../../shared/api/status.ts";
import { messageOf } from "../../../shared/message-of.ts";
import { encodeMessage, MessageDecoder } from "../../../shared/tunnel/index.ts";
import { channelMessage, ERROR, parseClientMessage, RESIZE, STDERR, STDIN, STDOUT } from "./channels.ts";
import type { SpdySession } from "./spdy-session.ts";

export interface SessionStreams {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  tty: boolean;
}

/** The names by which the streaming server knows the streams (the header `streamtype`), in the order it wants them. */
const STREAM_TYPES: { channel: number; type: string; wanted(streams: SessionStreams): boolean }[] = [
  { channel: ERROR, type: "error", wanted: () => true },
  { channel: STDIN, type: "stdin", wanted: ({ stdin }) => stdin },
  { channel: STDOUT, type: "stdout", wanted: ({ stdout }) => stdout },
  { channel: STDERR, type: "stderr", wanted: ({ stderr, tty }) => stderr && !tty },
  { channel: RESIZE, type: "resize", wanted: ({ tty }) => tty },
];

/**
 * Joins a client's channels (messages in the request's body) to the runtime's streams, until the command has ended and
 * its status is delivered. Resolves then; a connection that breaks before it delivers a failure in the status's place,
 * so that no client takes it for success.
 */
export async function joinChannels(
  spdy: SpdySession,
  streams: SessionStreams,
  client: { messages: ReadableStream<Uint8Array>; output: WritableStream<Uint8Array> },
): Promise<void> {
  const idOf = new Map<number, number>();
  for (const { channel, type, wanted } of STREAM_TYPES) {
    if (wanted(streams)) idOf.set(channel, spdy.open({ streamtype: type }));
  }
  const channelOf = new Map([...idOf].map(([channel, id]) => [id, channel]));
  const writer = client.output.getWriter();
  writer.closed.catch(() => {});
  const send = (channel: number, bytes: Uint8Array) => writer.write(encodeMessage(channelMessage(channel, bytes)));

  const incoming = forwardInput(spdy, idOf, client.messages);
  let hasStatus = false;
  const open = new Set([...idOf.keys()].filter((channel) => channel !== STDIN && channel !== RESIZE));
  try {
    for await (const { streamId, bytes, fin } of spdy.input()) {
      const channel = channelOf.get(streamId);
      if (channel === undefined) continue;
      if (bytes.byteLength > 0) {
        if (channel === ERROR) hasStatus = true;
        await send(channel, bytes);
      }
      if (fin) open.delete(channel);
      // The runtime closes the connection some time after the last stream; there is nothing to wait for.
      if (open.size === 0) break;
    }
    if (!hasStatus) await send(ERROR, brokenStatus("the container runtime closed the session"));
    await writer.close();
  } catch (error) {
    const message = messageOf(error);
    if (!hasStatus) await send(ERROR, brokenStatus(message)).catch(() => {});
    await writer.close().catch(() => {});
  } finally {
    spdy.close();
    await incoming.cancel();
  }
}

/** Everything that the client sends, in order, held back when the command does not read. */
function forwardInput(
  spdy: SpdySession,
  idOf: Map<number, number>,
  messages: ReadableStream<Uint8Array>,
): { cancel(): Promise<void> } {
  const reader = messages.getReader();
  const decoder = new MessageDecoder();
  const run = async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      for (const message of decoder.push(value)) await forwardMessage(spdy, idOf, message);
    }
  };
  // The client went away or broke the rules: the session ends, as a lost terminal does.
  run().catch(() => spdy.close());
  return { cancel: () => reader.cancel().catch(() => {}) };
}

async function forwardMessage(spdy: SpdySession, idOf: Map<number, number>, message: Uint8Array): Promise<void> {
  const parsed = parseClientMessage(message);
  if (parsed.type === "ignored") return;
  const id = idOf.get(parsed.channel);
  // Closing an output channel is acknowledged by nothing; only what we write to can be ended.
  if (id === undefined || (parsed.channel !== STDIN && parsed.channel !== RESIZE)) return;
  if (parsed.type === "close") await spdy.write(id, new Uint8Array(0), true);
  else await spdy.write(id, parsed.bytes);
}

function brokenStatus(message: string): Uint8Array {
  const { status } = failure(500, "InternalError", `Internal error occurred: ${message}`);
  return Buffer.from(JSON.stringify(status));
}
