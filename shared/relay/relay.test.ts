import { describe, expect, it } from "vitest";
import { printIp } from "../api/ip.ts";
import { MessageDecoder } from "../tunnel/index.ts";
import {
  addressesOf,
  type Datagram,
  DatagramQueue,
  decodeDatagram,
  encodeDatagram,
  MAX_PACKET_BYTES,
  Pace,
} from "./index.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);

describe("datagrams", () => {
  const sent: Datagram[] = [
    { kind: "packet", node: "node-1", bytes: bytes(1, 2, 3) },
    { kind: "probe", node: "x".repeat(253), bytes: bytes() },
    { kind: "packet", node: "b", bytes: new Uint8Array(MAX_PACKET_BYTES) },
  ];
  it("come out as they went in, however the body was cut", () => {
    const decoder = new MessageDecoder();
    const whole = Uint8Array.from(sent.flatMap((each) => [...encodeDatagram(each)]));
    const pieces = Array.from({ length: Math.ceil(whole.byteLength / 700) }, (_, i) =>
      whole.slice(i * 700, i * 700 + 700),
    );
    expect(pieces.flatMap((piece) => decoder.push(piece)).map(decodeDatagram)).toEqual(sent);
  });

  it.each([
    { name: "empty", message: bytes() },
    { name: "of an unknown kind", message: bytes(3, 1, 97) },
    { name: "without a name", message: bytes(1, 0, 97) },
    { name: "shorter than its name", message: bytes(1, 9, 97) },
    { name: "with a name that is no text", message: bytes(1, 1, 0xff) },
    { name: "too large", message: new Uint8Array(MAX_PACKET_BYTES + 4).fill(1, 0, 2).fill(97, 2, 3) },
  ])("one is refused that is $name", ({ message }) => expect(() => decodeDatagram(message)).toThrow(/datagram|name/));

  it("none that the other side would refuse is sent", () => {
    expect(() => encodeDatagram({ kind: "packet", node: "a", bytes: new Uint8Array(MAX_PACKET_BYTES + 1) })).toThrow();
    expect(() => encodeDatagram({ kind: "packet", node: "x".repeat(254), bytes: bytes() })).toThrow();
  });
});

it.each([
  {
    name: "IPv4",
    packet: bytes(0x45, ...Array(11).fill(0), 10, 244, 1, 2, 10, 244, 2, 3),
    want: "10.244.1.2 10.244.2.3",
  },
  {
    name: "IPv6",
    packet: bytes(0x60, ...Array(7).fill(0), 0xfd, ...Array(14).fill(0), 1, 0xfd, ...Array(14).fill(0), 2),
    want: "fd00::1 fd00::2",
  },
  { name: "half a header", packet: bytes(0x45, ...Array(18).fill(0)), want: undefined },
  { name: "half a header of IPv6", packet: bytes(0x60, ...Array(38).fill(0)), want: undefined },
  { name: "no IP", packet: new Uint8Array(60), want: undefined },
  { name: "nothing", packet: bytes(), want: undefined },
])("the addresses of a packet: $name", ({ packet, want }) => {
  const found = addressesOf(packet);
  expect(found && `${printIp(found.source)} ${printIp(found.destination)}`).toBe(want);
});

describe("the queue", () => {
  it("gives batches in order, and waits while it is empty", async () => {
    const queue = new DatagramQueue({ maxBytes: 100 });
    const waiting = queue.waitForSome();
    for (const value of [1, 2, 3]) queue.push(new Uint8Array(4).fill(value));
    await waiting;
    expect([queue.take(8), queue.take(3), queue.take()].map((batch) => batch && [...batch])).toEqual([
      [1, 1, 1, 1, 2, 2, 2, 2],
      [3, 3, 3, 3],
      undefined,
    ]);
  });

  it("loses the oldest", () => {
    const queue = new DatagramQueue({ maxBytes: 10 });
    for (const value of [1, 2, 3, 4]) queue.push(new Uint8Array(4).fill(value));
    expect([...(queue.take() ?? [])]).toEqual([3, 3, 3, 3, 4, 4, 4, 4]);
    expect(queue.bytes).toBe(0);
    queue.push(new Uint8Array(50));
    expect(queue.take()?.byteLength).toBe(50);
  });

  it("counts what waits in several of them together", () => {
    const together = { bytes: 0 };
    const [a, b] = [new DatagramQueue({ together, maxBytes: 10 }), new DatagramQueue({ together })];
    for (const queue of [a, a, a, b]) queue.push(new Uint8Array(4)); // the first of a is lost
    expect([a.bytes, b.bytes, together.bytes]).toEqual([8, 4, 12]);
    a.take(4);
    expect(together.bytes).toBe(8);
    a.end();
    b.take();
    expect([a.bytes, b.bytes, together.bytes]).toEqual([0, 0, 0]);
  });

  it("ends its waiting, and takes nothing more, when there is no use in it", async () => {
    const queue = new DatagramQueue();
    const waiting = queue.waitForSome();
    queue.end();
    await waiting;
    queue.push(new Uint8Array(4));
    await queue.waitForSome();
    expect(queue.take()).toBeUndefined();
  });
});

it("the pace lets a burst go, then what the rate allows, and rests fill it no further", () => {
  const pace = new Pace(1_000, 500);
  expect([
    pace.spend(500, 0),
    pace.spend(100, 0),
    pace.spend(0, 100),
    pace.spend(100, 100),
    pace.spend(500, 10_000),
    pace.spend(1, 10_000),
  ]).toEqual([0, 100, 0, 100, 0, 1]);
});
