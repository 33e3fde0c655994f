import { Agent, request } from "node:https";
import type { FuzzRequest } from "./random-request.ts";

export interface FuzzAnswer {
  code: number;
  contentType: string;
  text: string;
  ms: number;
}

/** Of an answer no more is kept: it is only looked at to tell what went wrong. */
const MAX_TEXT = 4 * 1024 * 1024;

/** An HTTP/1.1 client that sends what it is told to, byte for byte, over a few connections that it keeps. */
export class HttpExchange {
  readonly #agent: Agent;
  readonly #port: number;
  readonly #token: string;
  readonly #ca: string;

  constructor(options: { port: number; token: string; ca: string; connections: number }) {
    this.#port = options.port;
    this.#token = options.token;
    this.#ca = options.ca;
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.connections });
  }

  /** @throws Error when the connection ends without a whole answer, or none comes within `timeoutMs` */
  send({ method, path, headers, body }: FuzzRequest, timeoutMs: number): Promise<FuzzAnswer> {
    const startMs = Date.now();
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: "127.0.0.1",
          port: this.#port,
          ca: this.#ca,
          agent: this.#agent,
          method,
          path,
          headers: {
            authorization: `Bearer ${this.#token}`,
            ...headers,
            ...(body ? { "content-length": String(body.length) } : {}),
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          let length = 0;
          response.on("data", (chunk: Buffer) => {
            if (length < MAX_TEXT) chunks.push(chunk);
            length += chunk.length;
          });
          response.on("error", finish);
          response.on("end", () => {
            const text = Buffer.concat(chunks).toString();
            const contentType = String(response.headers["content-type"] ?? "");
            clearTimeout(timer);
            resolve({ code: response.statusCode ?? 0, contentType, text, ms: Date.now() - startMs });
          });
        },
      );
      const timer = setTimeout(() => sent.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
      const finish = (error: Error) => {
        clearTimeout(timer);
        reject(error);
      };
      sent.on("error", finish);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
