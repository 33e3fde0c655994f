import { badRequest, internalError } from "../../../shared/api/status.ts";
import { askNode } from "../../gateway/index.ts";
import type { ApiContext, RequestAttributes } from "../attributes.ts";
import { chooseProtocol } from "../web-socket/index.ts";
import { formOf, NODE_PROTOCOLS, OLDER_PROTOCOLS } from "./channel-form.ts";
import { relayChannels } from "./channel-relay.ts";
import { refuseOnChannel } from "./channel-status.ts";
import { chooseContainer, kubeletPath, nodeOf, readPod } from "./pod-container.ts";
import { booleanOf } from "./query-values.ts";

/** v5 adds closing one channel (stdin's end). kubectl speaks v5, the Python client v4, JavaScript in browsers base64. */
const PROTOCOLS = [...NODE_PROTOCOLS, ...OLDER_PROTOCOLS];

/** A session with a container, over a WebSocket of channels that reaches to the node (see agent/server/exec). */
export async function remoteCommand(
  area: "exec" | "attach",
  context: ApiContext,
  attributes: RequestAttributes,
  request: Request,
): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const pod = await readPod(context, attributes);
  const container = chooseContainer(pod, query.get("container") ?? "");
  const node = nodeOf(pod);
  const protocol = chooseProtocol(request, PROTOCOLS);
  const path = `${kubeletPath(area, pod, container)}?${renderKubeletQuery(query)}`;
  const isOlder = (OLDER_PROTOCOLS as readonly string[]).includes(protocol);
  const headers = { upgrade: "websocket", "sec-websocket-protocol": isOlder ? NODE_PROTOCOLS[1] : protocol };
  const answer = await askNode(context.env, { cluster: context.cluster, node }, path, { headers });
  if (answer.webSocket && isOlder) return relayChannels(answer.webSocket, formOf(protocol), protocol);
  if (answer.webSocket) return answer;
  return refuseOnChannel(protocol, internalError(await refusalText(answer)).status);
}

/** The kubelet's names for PodExecOptions and PodAttachOptions. @throws ApiError 400 when no stream is asked for */
export function renderKubeletQuery(query: URLSearchParams): URLSearchParams {
  const tty = booleanOf(query, "tty");
  // With a terminal there is one output.
  const asked = {
    input: booleanOf(query, "stdin"),
    output: booleanOf(query, "stdout"),
    error: booleanOf(query, "stderr") && !tty,
    tty,
  };
  if (!asked.input && !asked.output && !asked.error) {
    throw badRequest("you must specify at least 1 of stdin, stdout, stderr");
  }
  const rendered = new URLSearchParams();
  for (const [name, on] of Object.entries(asked)) if (on) rendered.set(name, "1");
  for (const part of query.getAll("command")) rendered.append("command", part);
  return rendered;
}

/** The kubelet answers in plain text; the gateway, when there is no kubelet to ask, with a Status. */
export async function refusalText(answer: Response): Promise<string> {
  const text = await answer.text();
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    if (typeof message === "string") return message;
  } catch {
    // Plain text it is.
  }
  return text;
}
