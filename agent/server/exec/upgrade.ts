import { request } from "node:http";
import type { Duplex } from "node:stream";

const HANDSHAKE_TIMEOUT_MS = 10_000;
const MAX_REFUSAL_BYTES = 16_384;

/**
 * Opens a connection to the runtime's streaming server, at a URL it gave out, and upgrades it to SPDY/3.1.
 * @param protocol the stream protocol, `v4.channel.k8s.io` or `portforward.k8s.io`
 * @returns the raw connection, positioned after the answer's head
 * @throws Error with the server's words if it refuses
 */
export function upgradeToSpdy(url: string, protocol: string, signal?: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const call = request(url, {
      method: "POST",
      headers: { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": protocol },
      agent: false,
      timeout: HANDSHAKE_TIMEOUT_MS,
      signal,
    });
    call.on("upgrade", (_response, socket, head) => {
      socket.setTimeout(0);
      socket.setNoDelay(true);
      if (head.byteLength > 0) socket.unshift(head);
      resolve(socket);
    });
    call.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text = (text + chunk).slice(0, MAX_REFUSAL_BYTES);
      });
      response.on("error", reject);
      response.on("end", () => reject(new Error(`unable to upgrade connection: ${text.trim()}`)));
    });
    call.on("timeout", () => call.destroy(new Error("the container runtime's streaming server does not answer")));
    call.on("error", reject);
    call.end();
  });
}
