import { failure, internalError } from "../../../shared/api/status.ts";
import { askNode } from "../../gateway/index.ts";
import type { ApiContext, RequestAttributes } from "../attributes.ts";
import { chooseProtocol } from "../web-socket/index.ts";
import { kubeletPath, nodeOf, readPod } from "./pod-container.ts";
import { refusalText } from "./remote-command.ts";

/** SPDY within WebSocket messages (KEP-4006): the node's runtime is the SPDY server, everything between passes bytes. */
const PROTOCOLS = ["SPDY/3.1+portforward.k8s.io"];

/** `pods/<name>/portforward`, as kubectl speaks it since 1.31. */
export async function podPortForward(
  context: ApiContext,
  attributes: RequestAttributes,
  request: Request,
): Promise<Response> {
  const pod = await readPod(context, attributes);
  const node = nodeOf(pod);
  const protocol = chooseProtocol(request, PROTOCOLS);
  const headers = { upgrade: "websocket", "sec-websocket-protocol": protocol };
  const address = { cluster: context.cluster, node };
  const answer = await askNode(context.env, address, kubeletPath("portForward", pod), { headers });
  if (answer.webSocket) return answer;
  const text = await refusalText(answer);
  throw answer.status === 404 ? failure(404, "NotFound", text) : internalError(text);
}
