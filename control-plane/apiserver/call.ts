import type { ApiContext, RequestAttributes } from "./attributes.ts";
import type { CallHeaders, CallUrl } from "./request-head.ts";

/** One request to the API, wherever it comes from: over HTTP, from a Durable Object's own isolate, or over a tunnel. */
export interface ApiCall {
  method: string;
  url: CallUrl;
  headers: CallHeaders;
  /**
   * The body's text, at most MAX_BODY_BYTES; read once. A body in protobuf is given as JSON.
   * @param kind what the body should be, for messages about one in protobuf that cannot be read
   */
  body(kind?: string): Promise<string>;
  /** Nobody looks at the answer's body, save at an error's. */
  answersNobody?: boolean;
  /** The request itself, where there is one: an upgrade to a WebSocket needs it. */
  request?: Request;
}

/** What goes back. A stream is sent as it comes; cancelling it ends the work behind it (a watch). */
export interface Answer {
  code: number;
  headers: Record<string, string>;
  body: string | ReadableStream<Uint8Array> | null;
}

/** A subresource that is a connection (log, exec, attach, port-forward, proxy); authorized before it is called. */
export type ConnectHandler = (
  context: ApiContext,
  attributes: RequestAttributes,
  request: Request,
) => Promise<Response>;
