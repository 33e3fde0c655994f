import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../agent/clock/index.ts";
import { RelaySession } from "../../agent/podnet/relay/relay-session.ts";
import { apiTransport, Tunnel } from "../../agent/tunnel/index.ts";
import { type Datagram, RELAY_BYTES_PER_SECOND } from "../../shared/relay/index.ts";
import { type StandIn, startStandIn } from "./stand-in-control-plane.ts";

let controlPlane: StandIn;
let stopping = new AbortController();
const tunnels: Tunnel[] = [];

beforeAll(async () => {
  controlPlane = await startStandIn();
});
afterEach(async () => {
  stopping.abort();
  stopping = new AbortController();
  await Promise.all(tunnels.splice(0).map((tunnel) => tunnel.stop()));
});
afterAll(() => controlPlane.stop());

interface Relay {
  session: RelaySession;
  tunnel: Tunnel;
  received: Datagram[];
  /** Settles when so many were received. */
  count(wanted: number): Promise<void>;
}

async function relayOf(node: string): Promise<Relay> {
  const tunnel = new Tunnel({ endpoint: controlPlane.endpoint, credential: node, agentVersion: "test", onStream() {} });
  tunnels.push(tunnel);
  tunnel.start();
  const received: Datagram[] = [];
  let look = () => {};
  let opened = () => {};
  const isOpen = new Promise<void>((resolve) => (opened = resolve));
  const session = new RelaySession({
    ...{ tunnel, clock: systemClock, log() {}, signal: stopping.signal },
    onDatagram(datagram) {
      received.push({ ...datagram, bytes: datagram.bytes.slice() });
      look();
    },
    onChange: () => session.isOpen && opened(),
  });
  void session.run();
  session.setNeeded(true);
  await isOpen;
  const count = async (wanted: number) => {
    while (received.length < wanted) await new Promise<void>((resolve) => (look = resolve));
  };
  return { session, tunnel, received, count };
}

/** An IPv4 header, and nothing in it but two addresses and a mark. */
function packet(from: number[], to: number[], { mark = 0, bytes = 28 } = {}): Uint8Array {
  const whole = new Uint8Array(bytes);
  whole.set([0x45]);
  whole.set([...from, ...to, mark >> 8, mark & 255], 12);
  return whole;
}
const ONE = [10, 244, 1, 5];
const TWO = [10, 244, 2, 5];
const THREE = [10, 244, 3, 5];

describe("the relay", () => {
  it("passes packets from node to node, in order, and says from whom", async () => {
    const [one, two] = await Promise.all([relayOf("n1"), relayOf("n2")]);
    for (let mark = 0; mark < 300; mark++) {
      one.session.send({ kind: "packet", node: "n2", bytes: packet(ONE, TWO, { mark, bytes: 500 }) });
    }
    two.session.send({ kind: "probe", node: "n1", bytes: Uint8Array.of(7) });
    await Promise.all([two.count(300), one.count(1)]);
    expect(
      two.received.map(({ kind, node, bytes }) => [kind, node, bytes.byteLength, (bytes[20]! << 8) | bytes[21]!]),
    ).toEqual(Array.from({ length: 300 }, (_, mark) => ["packet", "n1", 500, mark]));
    expect(one.received).toEqual([{ kind: "probe", node: "n2", bytes: Uint8Array.of(7) }]);
  });

  it.each([
    { name: "from another node's pods", node: "n2", bytes: packet(THREE, TWO) },
    { name: "from an address of nobody", node: "n2", bytes: packet([192, 0, 2, 1], TWO) },
    { name: "to another node's pods", node: "n2", bytes: packet(ONE, THREE) },
    { name: "to no pod", node: "n2", bytes: packet(ONE, [192, 0, 2, 1]) },
    { name: "that is no packet", node: "n2", bytes: Uint8Array.of(1, 2, 3) },
    { name: "to a node that there is not", node: "nobody", bytes: packet(ONE, TWO) },
    { name: "to itself", node: "n1", bytes: packet(ONE, ONE) },
  ])("passes on nothing $name", async ({ node, bytes }) => {
    const [one, two] = await Promise.all([relayOf("n1"), relayOf("n2")]);
    one.session.send({ kind: "packet", node, bytes });
    one.session.send({ kind: "packet", node: "n2", bytes: packet(ONE, TWO, { mark: 1 }) });
    await two.count(1);
    expect(two.received.map(({ bytes }) => bytes[21])).toEqual([1]);
    expect(one.received).toEqual([]);
  });

  it("does not hold up what else is in the tunnel, however much is sent", async () => {
    const [one, two] = await Promise.all([relayOf("n1"), relayOf("n2")]);
    const big = packet(ONE, TWO, { bytes: 1_500 });
    const startMs = performance.now();
    const flood = setInterval(() => {
      for (let i = 0; i < 60; i++) one.session.send({ kind: "packet", node: "n2", bytes: big });
    }, 10);
    await two.count(500);
    const { body } = await apiTransport(one.tunnel)({ method: "GET", path: "/api/v1/big?bytes=2000000", headers: {} });
    expect((await new Response(body as ReadableStream).arrayBuffer()).byteLength).toBe(2_000_000);
    clearInterval(flood);
    // 9 MB/s were sent: what is over the pace is lost, at the first step.
    const seconds = (performance.now() - startMs) / 1_000;
    expect(two.received.length * 1_500).toBeLessThan((seconds + 1) * RELAY_BYTES_PER_SECOND);
  });

  it("loses what nobody takes, goes on with a connection that is made anew, and ends when it is not needed", async () => {
    const one = await relayOf("n1");
    one.session.send({ kind: "packet", node: "n2", bytes: packet(ONE, TWO) });
    const two = await relayOf("n2");
    await controlPlane.kill();
    while (one.session.isOpen || two.session.isOpen) await new Promise((resolve) => setTimeout(resolve, 20));
    await controlPlane.start();
    while (!one.session.isOpen || !two.session.isOpen) await new Promise((resolve) => setTimeout(resolve, 20));
    one.session.send({ kind: "packet", node: "n2", bytes: packet(ONE, TWO, { mark: 2 }) });
    await two.count(1);
    expect(two.received.map(({ bytes }) => bytes[21])).toEqual([2]);
  });
});
