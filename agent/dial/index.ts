import { messageOf } from "../../shared/message-of.ts";
import { TunnelError, type TunnelStream } from "../../shared/tunnel/index.ts";
import { hostPort } from "./failure.ts";
import { askTarget } from "./http.ts";
import { isDialable } from "./target.ts";
import { joinTarget } from "./websocket.ts";

/**
 * Dialling for the control plane, which stands in no network of the cluster: HTTP and WebSockets to pods and nodes, spoken
 * here because a Worker cannot speak TLS over a stream of bytes. Not the kubelet's own API (agent/server).
 */

/** Serves one stream that asks for another server. Never rejects. */
export async function serveDial(stream: TunnelStream): Promise<void> {
  const { meta } = stream;
  try {
    if (meta.kind !== "dial") throw new TunnelError("refused", "nothing is to be dialled");
    if (!isDialable(meta.target.address)) {
      throw new TunnelError("unreachable", `dial tcp ${hostPort(meta.target)}: address not allowed`);
    }
    await (meta.headers.upgrade === "websocket" ? joinTarget(stream, meta) : askTarget(stream, meta));
  } catch (error) {
    stream.reset(error instanceof TunnelError ? error.code : "internal", messageOf(error));
  }
}
