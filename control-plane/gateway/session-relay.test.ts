import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { encodeDatagram, MAX_BATCH_BYTES, MAX_SESSION_BYTES } from "../../shared/relay/index.ts";
import type { TunnelStream } from "../../shared/tunnel/index.ts";
import { type RelaySurroundings, SessionRelay } from "./session-relay.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const PACKET_BYTES = 8_192;
/** From a pod of node 0 to one of another. */
const datagramTo = (number: number) => {
  const bytes = new Uint8Array(PACKET_BYTES);
  bytes.set([0x45, ...Array(11).fill(0), 10, 244, 0, 5, 10, 244, number, 5]);
  return encodeDatagram({ kind: "packet", node: `n${number}`, bytes });
};
const rangeOf = (name: string) => ({ spec: { podCIDRs: [`10.244.${name.slice(1)}.0/24`] } });

/** What node 0 sends goes in by `send`. */
function relayOf(surroundings: Omit<RelaySurroundings, "node">) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const stream: Partial<TunnelStream> = {
    readable,
    writable: new WritableStream(),
    closed: new Promise(() => {}),
    respond() {},
    reset() {},
  };
  void new SessionRelay({ node: "n0", ...surroundings }).serve(stream as TunnelStream);
  return {
    async send(bytes: Uint8Array) {
      void writer.write(bytes);
      await vi.advanceTimersByTimeAsync(5);
    },
  };
}

it("keeps no more than its bound for peers whose sessions hang", async () => {
  const peers = 24;
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let passedBytes = 0;
  const relay = relayOf({
    getNode: async (name) => rangeOf(name),
    async pass(_to, datagrams) {
      await released;
      passedBytes += datagrams.byteLength;
    },
  });
  for (let each = 0; each < 32; each++) for (let n = 1; n <= peers; n++) await relay.send(datagramTo(n));
  release();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(passedBytes).toBeGreaterThan(MAX_SESSION_BYTES / 2);
  expect(passedBytes).toBeLessThanOrEqual(MAX_SESSION_BYTES + peers * MAX_BATCH_BYTES);
});

it("passes packets on soon after a node has got its range", async () => {
  const passed: string[] = [];
  let hasRange = false;
  const relay = relayOf({
    getNode: async (name) => (name === "n0" || hasRange ? rangeOf(name) : { spec: {} }),
    pass: async (to) => void passed.push(to),
  });
  await relay.send(datagramTo(1));
  hasRange = true;
  expect(passed).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  await relay.send(datagramTo(1));
  expect(passed).toEqual(["n1"]);
});
