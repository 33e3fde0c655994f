import type { HeadMeta, TunnelStream } from "../../shared/tunnel/index.ts";

/** What a route answers: a plain text or JSON body, or bytes as they come. */
export interface KubeletAnswer extends HeadMeta {
  body: string | ReadableStream<Uint8Array>;
}

export interface KubeletRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  /** For sessions that answer in both directions at once. */
  stream: TunnelStream;
}

export const text = (status: number, body: string): KubeletAnswer => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body,
});

export const json = (value: unknown): KubeletAnswer => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value),
});
