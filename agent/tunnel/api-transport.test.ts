import { expect, it } from "vitest";
import { Multiplexer } from "../../shared/tunnel/index.ts";
import { apiTransport } from "./api-transport.ts";

/** A control plane that takes every request, answers what `respond` says, and then nothing. */
function silentPeer(respond: boolean) {
  const mux: Multiplexer = new Multiplexer({
    side: "agent",
    send: (message) => peer.receive(message),
    onStream: () => {},
  });
  const peer: Multiplexer = new Multiplexer({
    side: "gateway",
    send: (message) => queueMicrotask(() => mux.receive(message)),
    onStream: (stream) => respond && stream.respond({ status: 200, headers: {} }),
  });
  return mux;
}

const request = { method: "GET", path: "/api/v1/pods", headers: {} } as const;

it("gives up on an API that does not answer, as one that is away", async () => {
  const mux = silentPeer(false);
  const failure = await apiTransport({ mux }, { headTimeoutMs: 20 })(request).catch((error: unknown) => error);
  expect(failure).toMatchObject({ message: "the control plane did not answer within 0.02 s", status: { code: 503 } });
  expect(mux.streamCount).toBe(0);
});

it("lets an answer that has begun take its time: a watch is silent for long", async () => {
  const mux = silentPeer(true);
  const { status } = await apiTransport({ mux }, { headTimeoutMs: 20 })(request);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect([status, mux.streamCount]).toEqual([200, 1]);
});
