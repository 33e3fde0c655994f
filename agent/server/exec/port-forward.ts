import type { Duplex } from "node:stream";
import { messageOf } from "../../../shared/message-of.ts";
import { encodeMessage, MessageDecoder } from "../../../shared/tunnel/index.ts";
import { type KubeletAnswer, type KubeletRequest, text } from "../answer.ts";
import { findPod, type NodeState } from "../node-state.ts";
import { drained } from "./drained.ts";
import { upgradeToSpdy } from "./upgrade.ts";

const RUNTIME_PROTOCOL = "portforward.k8s.io";

/**
 * `/portForward/<namespace>/<pod>[/<uid>]`: kubectl speaks SPDY with the runtime's streaming server, within WebSocket
 * messages; everything between the two passes bytes on (KEP-4006). Undefined: answered.
 */
export async function portForward(
  state: NodeState,
  { stream }: KubeletRequest,
  [namespace = "", name = ""]: string[],
): Promise<KubeletAnswer | undefined> {
  const pod = findPod(state, namespace, name);
  if (!pod) return text(404, "pod does not exist");
  const sandboxes = await state.runtime.listPodSandbox({
    state: "SANDBOX_READY",
    labelSelector: { "io.kubernetes.pod.uid": pod.metadata.uid },
  });
  const sandbox = sandboxes.sort((a, b) => b.createdAt - a.createdAt)[0];
  if (!sandbox) return text(500, `sandbox not found for pod ${namespace}/${name}`);
  let socket: Duplex;
  try {
    socket = await upgradeToSpdy(await state.runtime.portForward(sandbox.id, []), RUNTIME_PROTOCOL, stream.signal);
  } catch (error) {
    return text(500, messageOf(error));
  }
  socket.on("error", () => {});
  stream.signal.addEventListener("abort", () => socket.destroy(), { once: true });
  if (stream.signal.aborted) socket.destroy();
  const protocol = stream.meta.headers["sec-websocket-protocol"];
  stream.respond({ status: 200, headers: protocol ? { "sec-websocket-protocol": protocol } : {} });
  void fromClient(stream.readable, socket);
  await toClient(socket, stream.writable);
  return undefined;
}

async function fromClient(messages: ReadableStream<Uint8Array>, socket: Duplex): Promise<void> {
  const decoder = new MessageDecoder();
  try {
    for await (const chunk of messages as unknown as AsyncIterable<Uint8Array>) {
      for (const message of decoder.push(chunk)) {
        if (!socket.write(message)) await drained(socket);
        if (socket.destroyed) return;
      }
    }
    socket.end();
  } catch {
    // The client is gone, or the socket: either ends both.
    socket.destroy();
  }
}

async function toClient(socket: Duplex, output: WritableStream<Uint8Array>): Promise<void> {
  const writer = output.getWriter();
  writer.closed.catch(() => {});
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) await writer.write(encodeMessage(chunk));
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => {});
  } finally {
    socket.destroy();
  }
}
