import type { Tunnel } from "./tunnel.ts";

/**
 * The system's clock for those who wait before they try the API again: their sleep ends as soon as the tunnel has a new
 * connection, so that a back-off grown during an outage does not outlast it.
 */
export function retryClock(tunnel: Pick<Tunnel, "onConnected">) {
  return {
    nowMs: () => Date.now(),
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal?.aborted) return resolve();
        let isListening = false;
        const timer = setTimeout(done, ms);
        // Called at once if there is a connection: that is the one which just failed.
        const stopListening = tunnel.onConnected(() => isListening && done());
        isListening = true;
        signal?.addEventListener("abort", done, { once: true });
        function done() {
          clearTimeout(timer);
          stopListening();
          signal?.removeEventListener("abort", done);
          resolve();
        }
      }),
  };
}
