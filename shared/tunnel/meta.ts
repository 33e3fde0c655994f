import { z } from "zod";

/**
 * HTTP header names in lower case; one value each: repeated headers are joined with ", ", save `set-cookie`, which may
 * hold commas and is joined with line feeds.
 */
const headersSchema = z.record(z.string().max(256), z.string().max(16_384));

/** On the answer to an agent that dials: the address that it was seen to come from, as of the last router on the way. */
export const SEEN_ADDRESS_HEADER = "x-hearth-seen-address";

/** On an agent's request: which part of the agent asks. Absent: the kubelet; `network`: what looks after the node's network. */
export const COMPONENT_HEADER = "x-hearth-component";

/** On the head of a WebSocket that a dialled server has accepted: 200 alone it may answer to a handshake as well. */
export const ACCEPTED_HEADER = "x-hearth-accepted";

/** The subject of the control plane's own serving certificates; a certificate that a node serves its pods with has another. */
export const API_COMMON_NAME = "kube-apiserver";

/**
 * Where a node asks (POST, as itself) for the certificate with which it serves the API to its pods: `{publicKeyPem}` of a
 * key on P-256, answered with `{certificatePem}`. No part of the API: only a tunnel leads there.
 */
export const NODE_API_CERTIFICATE_PATH = "/hearth/v1/node-api-certificate";

const requestFields = {
  method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]),
  /** Path and query: `/api/v1/pods?watch=true`. */
  path: z.string().startsWith("/").max(32_768),
  headers: headersSchema,
};

/** An HTTP server that the agent is asked to speak with. */
export const dialTargetSchema = z.object({
  scheme: z.enum(["http", "https"]),
  /** Never a name: whose it is was decided before. */
  address: z.union([z.ipv4(), z.ipv6()]),
  port: z.int().min(1).max(65_535),
  /** The Host header; absent: address and port. */
  host: z.string().max(1024).optional(),
  /** Of `https`: whom the server's certificate must be of, and who vouches for it. Absent: any certificate will do. */
  tls: z.object({ ca: z.string().max(32_768), serverName: z.string().max(253) }).optional(),
});
export type DialTarget = z.infer<typeof dialTargetSchema>;

/** What an OPEN frame asks for: the peer's own API, or (of an agent only) what another server answers. */
export const openMetaSchema = z.discriminatedUnion("kind", [
  /** Of the side that opens it: an agent's is the node's own, and its identity the tunnel's. */
  z.object({ kind: z.literal("request"), ...requestFields }),
  z.object({ kind: z.literal("dial"), target: dialTargetSchema, ...requestFields }),
  /**
   * Of somebody on the node, passed on by its agent: whose it is, its headers say, as they would at the front door. A kind
   * of its own and no flag, so that a side that does not know it cannot take it for the node's. With `upgrade: websocket`
   * the answer may be a 101, and the bodies are a socket's events (socket-events.ts).
   */
  z.object({ kind: z.literal("forward"), ...requestFields }),
]);
export type OpenMeta = z.infer<typeof openMetaSchema>;

/** The answer's status line and headers. */
export const headMetaSchema = z.object({
  /** 101 to a `forward` only. */
  status: z.union([z.literal(101), z.int().min(200).max(599)]),
  headers: headersSchema,
});
export type HeadMeta = z.infer<typeof headMetaSchema>;

export const resetMetaSchema = z.object({
  code: z.enum([
    /** The opener, or the reader of the body, no longer wants it. */
    "cancelled",
    /** Too many streams, or nobody serves such a request. */
    "refused",
    /** The peer does not know this stream: it lost its memory. */
    "lost",
    /** The peer broke the rules of the tunnel. */
    "protocol",
    /** The server to be dialled cannot be reached; the message says why, in the words that clients know from upstream. */
    "unreachable",
    /** The connection went away. Never sent: given to the streams that were open on it. */
    "disconnected",
    "internal",
  ]),
  message: z.string().max(4096),
});
export type ResetMeta = z.infer<typeof resetMetaSchema>;
export type ResetCode = ResetMeta["code"];

/** How a stream fails, on both sides. */
export class TunnelError extends Error {
  readonly code: ResetCode;

  constructor(code: ResetCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TunnelError";
    this.code = code;
  }
}
