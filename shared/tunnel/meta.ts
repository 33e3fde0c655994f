import { z } from "zod";

/** HTTP header names in lower case; one value each (repeated headers are joined with ", "). */
const headersSchema = z.record(z.string().max(256), z.string().max(16_384));

/** On an agent's request: which part of the agent asks. Absent: the kubelet; `network`: what looks after the node's network. */
export const COMPONENT_HEADER = "x-hearth-component";

/** What an OPEN frame asks for. A discriminated union, so that dialling in-cluster addresses can join it. */
export const openMetaSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("request"),
    method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]),
    /** Path and query: `/api/v1/pods?watch=true`. */
    path: z.string().startsWith("/").max(32_768),
    headers: headersSchema,
  }),
]);
export type OpenMeta = z.infer<typeof openMetaSchema>;

/** The answer's status line and headers. */
export const headMetaSchema = z.object({
  status: z.int().min(200).max(599),
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
