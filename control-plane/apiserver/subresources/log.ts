import { badRequest, failure, internalError } from "../../../shared/api/status.ts";
import { askNode } from "../../gateway/index.ts";
import type { ApiContext, RequestAttributes } from "../attributes.ts";
import { chooseProtocol, isWebSocketHandshake, LOG_PROTOCOLS, logMessages, sendMessages } from "../web-socket/index.ts";
import { parseLogOptions, renderLogQuery } from "./log-options.ts";
import { chooseContainer, kubeletPath, readPod } from "./pod-container.ts";

/** What is read of a kubelet's refusal. */
const MAX_ERROR_CHARS = 50_000;

/** `GET pods/<name>/log`: the kubelet's answer, streamed, over a WebSocket as messages. A pod without a node has no log: 204. */
export async function podLog(context: ApiContext, attributes: RequestAttributes, request: Request): Promise<Response> {
  const options = parseLogOptions(attributes.name ?? "", new URL(request.url).searchParams);
  const pod = await readPod(context, attributes);
  const container = chooseContainer(pod, options.container);
  const node = pod.spec.nodeName;
  if (!node) return new Response(null, { status: 204 });
  const path = `${kubeletPath("containerLogs", pod, container)}?${renderLogQuery(options)}`;
  const answer = await askNode(context.env, { cluster: context.cluster, node }, path, { signal: request.signal });
  if (!answer.ok) throw refusal(answer.status, (await answer.text()).slice(0, MAX_ERROR_CHARS), pod.metadata.name);
  if (isWebSocketHandshake(request.headers) && answer.body) {
    const protocol = chooseProtocol(request, LOG_PROTOCOLS);
    const { messages, first } = logMessages(protocol);
    return sendMessages(answer.body, messages, { protocol, first });
  }
  return new Response(answer.body, { headers: { "content-type": "text/plain" } });
}

/** How the API server passes on what a kubelet refused with (upstream: GenericHttpResponseChecker). */
function refusal(status: number, text: string, podName: string) {
  const message = text.replace(/\n$/, "");
  if (status === 400) return badRequest(message);
  if (status === 404) {
    return failure(404, "NotFound", `the server could not find the requested resource ( pods/log ${podName})`, {
      name: podName,
      kind: "pods/log",
    });
  }
  return internalError(message);
}
