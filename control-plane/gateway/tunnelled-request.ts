import { failure, type StatusReason } from "../../shared/api/status.ts";
import {
  type DialTarget,
  dialTargetSchema,
  type HeadMeta,
  type Multiplexer,
  type OpenMeta,
  requestThrough,
  TunnelError,
} from "../../shared/tunnel/index.ts";
import { headersOf } from "./agent-request.ts";
import { DIAL_ORIGIN, ENCODING_HEADER, TARGET_HEADER } from "./session-request.ts";

const METHODS: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const DIAL_HOST = new URL(DIAL_ORIGIN).hostname;

/** Hop-by-hop, and credentials for our API that are none of the kubelet's business. */
const DROPPED_FOR_KUBELET = ["authorization", "connection", "cookie", "host", "transfer-encoding", "upgrade"];
/**
 * Hop-by-hop, and the target itself: what else a dialled server may not see was taken away by who asks. By `upgrade` the
 * agent knows that it is to open a WebSocket.
 */
const DROPPED_FOR_TARGET = ["connection", "host", "transfer-encoding", TARGET_HEADER];
/** What a Response may not have in a body of. */
const BODILESS = [204, 205, 304];

/** A request for the kubelet, or with a target for a server that the node can reach. */
export interface TunnelledRequest {
  method: OpenMeta["method"];
  path: string;
  headers: Record<string, string>;
  target?: DialTarget;
}

/** The request as a stream carries it; undefined for a method that nobody serves. */
export function tunnelledRequest(request: Request): TunnelledRequest | undefined {
  if (!METHODS.includes(request.method)) return undefined;
  const url = new URL(request.url);
  const headers = headersOf(request.headers);
  const isDial = url.hostname === DIAL_HOST;
  const target = isDial ? dialTargetSchema.parse(JSON.parse(headers[TARGET_HEADER] ?? "")) : undefined;
  for (const name of isDial ? DROPPED_FOR_TARGET : DROPPED_FOR_KUBELET) delete headers[name];
  const method = request.method as OpenMeta["method"];
  return { method, path: url.pathname + url.search, headers, ...(target ? { target } : {}) };
}

/** One request for the node, its answer streamed. A broken tunnel gives 503, or breaks the body. */
export async function askThroughTunnel(mux: Multiplexer, request: Request): Promise<Response> {
  const asked = tunnelledRequest(request);
  if (!asked) return methodRefused();
  try {
    const { body, ...head } = await requestThrough(mux, {
      ...asked,
      body: (request.body as ReadableStream<Uint8Array> | null) ?? undefined,
      signal: request.signal,
    });
    return responseOf(head, body, asked);
  } catch (error) {
    if (error instanceof TunnelError) return unreachable(error, asked);
    throw error;
  }
}

/** A head of the node with its body, as the Worker gets it. */
export function responseOf(
  { status, headers }: HeadMeta,
  body: ReadableStream<Uint8Array>,
  { method, target }: Pick<TunnelledRequest, "method" | "target">,
): Response {
  const { "set-cookie": cookies, "content-encoding": encoding, ...rest } = headers;
  const lines = new Headers(rest);
  for (const cookie of cookies?.split("\n") ?? []) lines.append("set-cookie", cookie);
  if (encoding !== undefined) lines.set(target ? ENCODING_HEADER : "content-encoding", encoding);
  const hasBody = method !== "HEAD" && !BODILESS.includes(status);
  if (!hasBody) void body.cancel().catch(() => {});
  return new Response(hasBody ? body : null, { status, headers: lines });
}

export const methodRefused = () => statusResponse(405, "MethodNotAllowed", "the server does not allow this method");

/** Upstream words a kubelet that cannot be reached otherwise than a service. */
export function unreachable(
  { message }: Pick<TunnelError, "message">,
  { target }: Pick<TunnelledRequest, "target">,
): Response {
  const what = target ? "error trying to reach service" : "error dialing backend";
  return statusResponse(503, "ServiceUnavailable", `${what}: ${message}`);
}

export function statusResponse(code: number, reason: StatusReason, message: string): Response {
  return Response.json(failure(code, reason, message).status, { status: code });
}
