import { request } from "node:http";
import { text as readText } from "node:stream/consumers";

/** Calls the Worker's hosting routes over workerd's own socket, with the root secret. */
export interface HostingClient {
  post(path: string, body: object): Promise<Record<string, unknown>>;
}

const TIMEOUT_MS = 60_000;

export function createHostingClient(socketPath: string, rootSecret: string): HostingClient {
  return {
    post: (path, body) =>
      new Promise((resolve, reject) => {
        const text = JSON.stringify(body);
        const call = request(
          {
            socketPath,
            path,
            method: "POST",
            agent: false,
            timeout: TIMEOUT_MS,
            headers: {
              host: "localhost",
              authorization: `Bearer ${rootSecret}`,
              "content-type": "application/json",
              "content-length": Buffer.byteLength(text),
            },
          },
          (response) => {
            const { statusCode } = response;
            // Rejects when workerd dies in the middle of the answer.
            readText(response)
              .then((answer) => {
                if (statusCode === 200) return JSON.parse(answer) as Record<string, unknown>;
                throw new Error(`POST ${path}: HTTP ${statusCode}: ${answer.slice(0, 1000)}`);
              })
              .then(resolve, reject);
          },
        );
        call.once("timeout", () => call.destroy(new Error(`POST ${path}: no answer in ${TIMEOUT_MS} ms`)));
        call.once("error", reject);
        call.end(text);
      }),
  };
}
