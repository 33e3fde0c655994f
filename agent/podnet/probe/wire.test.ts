import { spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseIp } from "../../../shared/api/ip.ts";
import { unwrap, wrap } from "../relay/frame.ts";
import { encodeProbe, type ProbeMessage, parseProbe } from "./message.ts";
import { renderUdpPacket } from "./udp-packet.ts";

describe("messages", () => {
  const message: ProbeMessage = { type: "answer", way: "vxlan", cluster: 0xabcdef, nonce: "00ff000000000001" };
  it("come out as they went in", () => expect(parseProbe(encodeProbe(message))).toEqual(message));
  it.each([
    { name: "longer", bytes: Uint8Array.of(...encodeProbe(message), 0) },
    { name: "shorter", bytes: encodeProbe(message).subarray(1) },
    { name: "of another program", bytes: encodeProbe(message).fill(0, 0, 1) },
    { name: "of an unknown type", bytes: encodeProbe(message).fill(9, 4, 5) },
    { name: "by an unknown way", bytes: encodeProbe(message).fill(9, 5, 6) },
  ])("one is none that is $name", ({ bytes }) => expect(parseProbe(bytes)).toBeUndefined());
});

const ip = (text: string) => parseIp(text)!;
const PACKETS = [
  { family: "IPv4", source: ip("10.99.1.0"), destination: ip("10.99.2.0") },
  { family: "IPv6", source: ip("fd99:1::"), destination: ip("fd99:2::") },
];

describe("frames", () => {
  const ends = { id: 0x123456, to: "02:00:00:00:00:0a", from: "02:00:00:00:00:0b" };
  it.each(PACKETS)("of $family come out as they went in", (packet) => {
    const bytes = renderUdpPacket({ ...packet, port: 9, payload: Uint8Array.of(1, 2, 3) });
    const frame = wrap(bytes, ends);
    expect(frame.subarray(0, 8)).toEqual(Uint8Array.of(8, 0, 0, 0, 0x12, 0x34, 0x56, 0));
    expect(unwrap(frame)).toEqual({ to: ends.to, packet: bytes });
  });
  it.each([
    { name: "what has no packet", frame: wrap(new Uint8Array(0), ends) },
    { name: "ARP", frame: wrap(new Uint8Array(28), ends).fill(8, 20, 21).fill(6, 21, 22) },
    { name: "no VXLAN", frame: new Uint8Array(60) },
  ])("$name is none", ({ frame }) => expect(unwrap(frame)).toBeUndefined());
});

/** The kernel's own VXLAN device is the judge: checksums, lengths, addresses. */
describe.skipIf(process.getuid?.() !== 0)("what is encapsulated here (as root)", { timeout: 60_000 }, () => {
  const DEVICE = `hpw${process.pid}`.slice(0, 15);
  /** Of this run alone: several may go on at one time. */
  const PORT = 40_000 + 2 * (process.pid % 5_000);
  const VXLAN = PORT + 1;
  const MAC = "02:00:00:00:00:01";
  const run = (...args: string[]) => {
    const { status, stderr } = spawnSync("ip", args, { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  };
  beforeAll(() => {
    const kind = ["type", "vxlan", "id", "4711", "local", "127.0.0.1", "dstport", String(VXLAN), "nolearning"];
    run("link", "add", "name", DEVICE, "address", MAC, ...kind);
    run("link", "set", DEVICE, "up");
    run("address", "add", "10.99.2.0/32", "dev", DEVICE);
    run("address", "add", "fd99:2::/128", "dev", DEVICE, "nodad");
    run("route", "add", "10.99.1.0/24", "dev", DEVICE);
  });
  afterAll(() => void spawnSync("ip", ["link", "delete", DEVICE]));

  it.each(PACKETS)("is taken by the kernel: $family", async ({ family, source, destination }) => {
    const receiver = createSocket(family === "IPv4" ? "udp4" : "udp6").bind(
      PORT,
      family === "IPv4" ? "10.99.2.0" : "fd99:2::",
    );
    await once(receiver, "listening");
    const heard = once(receiver, "message");
    const packet = renderUdpPacket({ source, destination, port: PORT, payload: Buffer.from("odd") });
    const sender = createSocket("udp4");
    sender.send(wrap(packet, { id: 4711, to: MAC, from: "02:00:00:00:00:02" }), VXLAN, "127.0.0.1");
    const [bytes, from] = (await heard) as [Buffer, { address: string; port: number }];
    expect([bytes.toString(), from.address, from.port]).toEqual([
      "odd",
      family === "IPv4" ? "10.99.1.0" : "fd99:1::",
      PORT,
    ]);
    sender.close();
    receiver.close();
  });
});
