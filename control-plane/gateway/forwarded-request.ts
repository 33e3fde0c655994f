import { escapeTarget } from "../../shared/http-target.ts";
import type { OpenMeta, TunnelStream } from "../../shared/tunnel/index.ts";
import { answerWith, requestOf } from "./agent-request.ts";
import { joinForwardedSocket } from "./forwarded-socket.ts";

/** By which address the caller named the API; what the API says of its own address has it. */
const HOST = /^[a-z0-9.-]{1,253}(:\d{1,5})?$|^\[[0-9a-f:.]{2,45}\](:\d{1,5})?$/i;
const DEFAULT_HOST = "kubernetes.default.svc";

/**
 * What only fronts may send, and what is of one connection. No length: whoever is told one believes it, and the body's own
 * end is what bounds it here.
 */
const DROPPED_HEADERS = /^(connection|content-length|host|keep-alive|transfer-encoding|x-hearth-.*|x-remote-.*)$/;

/**
 * Serves one stream that an agent opened for somebody on its node: the API as that caller has it, by the caller's own
 * credential (shared/tunnel, `forward`). Nothing of the node's identity is in it. Never rejects.
 */
export const answerForwarded = (stream: TunnelStream, serve: (request: Request) => Promise<Response>): Promise<void> =>
  answerWith(
    stream,
    () => serve(requestOf(stream, { url: urlOf(stream.meta), dropped: DROPPED_HEADERS })),
    (socket, headers) => joinForwardedSocket(socket, stream, headers),
  );

function urlOf({ path, headers }: OpenMeta): string {
  const host = headers["host"] ?? "";
  return `https://${HOST.test(host) ? host : DEFAULT_HOST}${escapeTarget(path)}`;
}
