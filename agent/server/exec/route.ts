import { messageOf } from "../../../shared/message-of.ts";
import type { CriClient } from "../../cri/index.ts";
import { type KubeletAnswer, type KubeletRequest, text } from "../answer.ts";
import { findPod, type NodeState } from "../node-state.ts";
import { joinChannels, type SessionStreams } from "./session.ts";
import { SpdySession } from "./spdy-session.ts";
import { upgradeToSpdy } from "./upgrade.ts";

/** Between the runtime's streaming server and us; what the client speaks differs only in its close message. */
const RUNTIME_PROTOCOL = "v4.channel.k8s.io";

const flag = (query: URLSearchParams, name: string) => ["1", "true"].includes(query.get(name) ?? "");

/**
 * `/exec/<namespace>/<pod>[/<uid>]/<container>` and `/attach/…`: answered with 200 and the channels' messages in both
 * bodies (the gateway makes them a WebSocket), or with a text when there is nothing to talk to. Undefined: answered.
 */
export async function remoteCommand(
  area: "exec" | "attach",
  state: NodeState,
  { query, stream }: KubeletRequest,
  parts: string[],
): Promise<KubeletAnswer | undefined> {
  const [namespace = "", name = ""] = parts;
  const container = parts.at(-1) ?? "";
  const pod = findPod(state, namespace, name);
  if (!pod) return text(404, "pod does not exist");
  const id = await runningContainer(state.runtime, pod.metadata.uid, container);
  if (!id) return text(500, `unable to upgrade connection: container not found ("${container}")`);
  const tty = flag(query, "tty");
  const streams: SessionStreams = {
    stdin: flag(query, "input"),
    stdout: flag(query, "output"),
    stderr: flag(query, "error") && !tty,
    tty,
  };
  if (!streams.stdin && !streams.stdout && !streams.stderr) {
    return text(400, "you must specify at least 1 of stdin, stdout, stderr");
  }
  let spdy: SpdySession;
  try {
    const options = { containerId: id, ...streams };
    const url =
      area === "exec"
        ? await state.runtime.exec({ ...options, cmd: query.getAll("command") })
        : await state.runtime.attach(options);
    spdy = new SpdySession(await upgradeToSpdy(url, RUNTIME_PROTOCOL, stream.signal));
  } catch (error) {
    return text(500, messageOf(error));
  }
  stream.signal.addEventListener("abort", () => spdy.close(), { once: true });
  if (stream.signal.aborted) spdy.close();
  const protocol = stream.meta.headers["sec-websocket-protocol"];
  stream.respond({ status: 200, headers: protocol ? { "sec-websocket-protocol": protocol } : {} });
  await joinChannels(spdy, streams, { messages: stream.readable, output: stream.writable });
  return undefined;
}

/** The newest running instance of a pod's container. */
async function runningContainer(runtime: CriClient, podUid: string, name: string): Promise<string | undefined> {
  const containers = await runtime.listContainers({
    state: "CONTAINER_RUNNING",
    labelSelector: { "io.kubernetes.pod.uid": podUid, "io.kubernetes.container.name": name },
  });
  return containers.sort((a, b) => b.createdAt - a.createdAt)[0]?.id;
}
