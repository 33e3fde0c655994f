import { failure, type StatusReason } from "../../shared/api/status.ts";
import { type Multiplexer, type OpenMeta, requestThrough, TunnelError } from "../../shared/tunnel/index.ts";
import { headersOf } from "./agent-request.ts";

const METHODS: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Hop-by-hop, and credentials for our API that are none of the node's business. */
const DROPPED_HEADERS = ["authorization", "connection", "cookie", "host", "transfer-encoding", "upgrade"];

/** One request for the node's kubelet, its answer streamed. A broken tunnel gives 503, or breaks the body. */
export async function askKubelet(mux: Multiplexer, request: Request): Promise<Response> {
  const meta = kubeletMeta(request);
  if (!meta) return statusResponse(405, "MethodNotAllowed", "the server does not allow this method");
  try {
    const { status, headers, body } = await requestThrough(mux, {
      ...meta,
      body: (request.body as ReadableStream<Uint8Array> | null) ?? undefined,
      signal: request.signal,
    });
    return new Response(isBodiless(status) ? null : body, { status, headers });
  } catch (error) {
    if (error instanceof TunnelError) return unreachable(error);
    throw error;
  }
}

/** The request as a stream carries it; undefined for a method that no kubelet serves. */
export function kubeletMeta(request: Request): Omit<OpenMeta, "kind"> | undefined {
  if (!METHODS.includes(request.method)) return undefined;
  const url = new URL(request.url);
  const headers = headersOf(request.headers);
  for (const name of DROPPED_HEADERS) delete headers[name];
  return { method: request.method as OpenMeta["method"], path: url.pathname + url.search, headers };
}

export function unreachable(error: TunnelError): Response {
  return statusResponse(503, "ServiceUnavailable", `error dialing backend: ${error.message}`);
}

export function statusResponse(code: number, reason: StatusReason, message: string): Response {
  return Response.json(failure(code, reason, message).status, { status: code });
}

const isBodiless = (status: number) => status === 204 || status === 304;
