import { messageOf } from "../../../shared/message-of.ts";
import { type KubeletAnswer, type KubeletRequest, text } from "../answer.ts";
import { containerNames, findPod, type NodeState } from "../node-state.ts";
import { chooseInstance, NoLogError, openLog, parseLogQuery } from "./index.ts";

/** `GET /containerLogs/<namespace>/<pod>/<container>`, with the kubelet's texts and codes. */
export async function containerLogs(
  state: NodeState,
  { query, stream }: KubeletRequest,
  [namespace = "", name = "", container = ""]: string[],
): Promise<KubeletAnswer> {
  const pod = findPod(state, namespace, name);
  if (!pod) return text(404, `pod "${name}" does not exist`);
  if (!containerNames(pod).includes(container)) return text(404, `container "${container}" not found in pod "${name}"`);
  try {
    const options = parseLogQuery(query, Date.now());
    const id = chooseInstance({ name, status: pod.status ?? {} }, container, options.previous);
    const body = await openLog(state.runtime, id, options, stream.signal);
    return { status: 200, headers: { "content-type": "text/plain" }, body };
  } catch (error) {
    if (error instanceof NoLogError) return text(400, error.message);
    if (error instanceof RangeError) return text(422, '{"message": "Invalid request."}');
    return text(400, messageOf(error));
  }
}
