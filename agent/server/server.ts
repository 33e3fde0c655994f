import { messageOf } from "../../shared/message-of.ts";
import { answerStream, type TunnelStream } from "../../shared/tunnel/index.ts";
import { json, type KubeletAnswer, type KubeletRequest, text } from "./answer.ts";
import { portForward } from "./exec/port-forward.ts";
import { remoteCommand } from "./exec/route.ts";
import { containerLogs } from "./logs/route.ts";
import type { NodeState } from "./node-state.ts";
import { statsSummary } from "./stats.ts";

/** Undefined: the route has answered the stream itself. */
type Route = (
  state: NodeState,
  request: KubeletRequest,
  parts: string[],
) => Promise<KubeletAnswer | undefined> | KubeletAnswer;

/** By method and first part of the path; `parts` is what follows. */
const ROUTES: Record<string, Route> = {
  "GET healthz": () => text(200, "ok"),
  "GET pods": (state) => json({ kind: "PodList", apiVersion: "v1", metadata: {}, items: state.pods() }),
  "GET configz": (state) => json({ kubeletconfig: state.configuration }),
  "GET stats": (state, _request, [what]) => (what === "summary" ? statsSummary(state) : NOT_FOUND),
  "GET containerLogs": containerLogs,
  "GET exec": (state, request, parts) => remoteCommand("exec", state, request, parts),
  "POST exec": (state, request, parts) => remoteCommand("exec", state, request, parts),
  "GET attach": (state, request, parts) => remoteCommand("attach", state, request, parts),
  "POST attach": (state, request, parts) => remoteCommand("attach", state, request, parts),
  "GET portForward": portForward,
  "POST portForward": portForward,
};

const NOT_FOUND = text(404, "404 page not found\n");

/** Serves one request that came through the tunnel. Never rejects. */
export async function serveKubeletApi(state: NodeState, stream: TunnelStream): Promise<void> {
  try {
    if (stream.meta.kind !== "request") return stream.reset("refused", "a kubelet passes no requests on");
    const url = new URL(stream.meta.path, "http://kubelet");
    const [area = "", ...parts] = url.pathname.split("/").filter(Boolean).map(decodeURIComponent);
    const { method } = stream.meta;
    const route = ROUTES[`${method} ${area}`];
    const request: KubeletRequest = { method, path: url.pathname, query: url.searchParams, stream };
    const answer = route ? await route(state, request, parts) : NOT_FOUND;
    if (answer) await answerStream(stream, answer);
  } catch (error) {
    stream.reset("internal", messageOf(error));
  }
}
