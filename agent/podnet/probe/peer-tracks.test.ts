import { describe, expect, it } from "vitest";
import { parseCidr, parseIp } from "../../../shared/api/ip.ts";
import { decidePaths } from "../decide-paths.ts";
import { peerOf } from "../peer.ts";
import type { ProbeWay } from "./message.ts";
import { PeerTracks } from "./peer-tracks.ts";
import { heartbeatMs } from "./track.ts";

const peer = (name: string, address: string, podCIDRs: string[]) =>
  peerOf({ metadata: { name }, spec: { podCIDRs }, status: { addresses: [{ type: "InternalIP", address }] } });
const self = peer("a", "192.168.1.10", ["10.244.0.0/24"]);
const other = peer("b", "192.168.1.11", ["10.244.1.0/24"]);
const links = [{ name: "eth0", mtu: 1500, isEthernet: true, addresses: [parseCidr("192.168.1.10/24")!] }];
const HEARTBEAT_MS = 15_000;

/** A peer on a network that carries what it is told to, with round trips of 5 ms; the paths follow what is found. */
function simulate({ remembered = [] as string[], isReady = true } = {}) {
  const tracks = new PeerTracks("b");
  let nowMs = 1_000_000;
  let nonces = 0;
  let carries: (way: ProbeWay) => boolean = () => true;
  let sent = 0;
  let failing = new Set<string>(remembered);
  const paths = () => decidePaths({ self, peers: [other], links, failing });
  const follow = (known: readonly string[]) =>
    tracks.setPaths(paths(), {
      ...{ nowMs, failing: new Set(known), address: parseIp("192.168.1.11")!, isReady },
    });
  const settle = () => {
    tracks.judge(nowMs);
    failing = new Set(tracks.failing);
    follow([]);
  };
  follow(remembered);
  const simulation = {
    tracks,
    get kind() {
      return paths()[0]!.kind;
    },
    carry(...ways: ProbeWay[]) {
      carries = (way) => ways.includes(way);
    },
    /** @returns requests that were sent */
    run(ms: number): number {
      const endMs = nowMs + ms;
      sent = 0;
      for (;;) {
        const asked = tracks.due(nowMs, () => String(nonces++));
        sent += asked.length;
        const answers = asked.filter(({ probed }) => carries(probed.way));
        if (answers.length > 0) nowMs += 5;
        for (const { probed, nonce } of answers) tracks.answered(probed.way, nonce, { nowMs, restMs: HEARTBEAT_MS });
        settle();
        const nextMs = tracks.nextMs(nowMs);
        if (nextMs > endMs) break;
        nowMs = Math.max(nowMs, nextMs);
      }
      nowMs = endMs;
      return sent;
    },
    /** How long until the peer is reached so, in ms; to the tenth of a second. */
    until(kind: string): number {
      let ms = 0;
      for (; simulation.kind !== kind && ms < 120_000; ms += 100) simulation.run(100);
      return ms;
    },
    now: () => nowMs,
  };
  return simulation;
}

describe("ways to a peer", () => {
  it("one that works is asked now and then, and nothing else", () => {
    const peer = simulate();
    expect(peer.run(1_000)).toBe(1);
    expect(peer.run(60_000)).toBe(4);
    expect([peer.kind, peer.tracks.needsRelay, peer.tracks.isSilent]).toEqual(["direct", false, false]);
  });

  it("a single loss changes nothing", () => {
    const peer = simulate();
    peer.run(14_000);
    peer.carry("relay", "address");
    peer.run(1_100);
    peer.carry("direct", "relay", "address");
    peer.run(30_000);
    expect([peer.kind, peer.tracks.needsRelay]).toEqual(["direct", false]);
  });

  it.each([
    { name: "VXLAN carries", carried: ["vxlan", "relay", "address"], want: "vxlan" },
    { name: "nothing but the relay", carried: ["relay"], want: "relayed" },
    { name: "nodes reach each other, their pods do not", carried: ["relay", "address"], want: "relayed" },
  ] as const)("routes carry nothing any more: $name", ({ carried, want }) => {
    const peer = simulate();
    peer.run(1_000);
    peer.carry(...carried);
    expect(peer.until(want)).toBeLessThan(HEARTBEAT_MS + 8_000);
    peer.run(120_000);
    expect(peer.kind).toBe(want);
    expect(peer.tracks.isSilent).toBe(false);
    expect(peer.run(60_000)).toBeLessThan(20);
    peer.carry("direct", "vxlan", "relay", "address");
    expect(peer.until("direct")).toBeLessThan(16_000);
    peer.run(2_000);
    expect(peer.tracks.needsRelay).toBe(false);
  });

  it("a way that is back after a moment is taken again in seconds", () => {
    const peer = simulate();
    peer.run(1_000);
    peer.carry("relay");
    peer.until("relayed");
    peer.run(1_000);
    peer.carry("direct", "relay");
    expect(peer.until("direct")).toBeLessThan(6_000);
  });

  it("a peer that is silent altogether keeps its way, and is said not to answer", () => {
    const peer = simulate();
    peer.run(1_000);
    peer.carry();
    peer.run(120_000);
    expect([peer.kind, peer.tracks.isSilent, peer.tracks.needsRelay]).toEqual(["direct", true, true]);
    peer.carry("direct");
    peer.run(16_000);
    expect([peer.kind, peer.tracks.isSilent, peer.tracks.needsRelay]).toEqual(["direct", false, false]);
  });

  it("the relay is not asked about a node that is not ready", () => {
    const peer = simulate({ isReady: false });
    peer.carry();
    peer.run(60_000);
    expect(peer.tracks.needsRelay).toBe(false);
  });

  it("what was found before a restart holds until it is found otherwise, twice", () => {
    const peer = simulate({ remembered: ["b/direct4", "b/vxlan4"] });
    expect(peer.kind).toBe("relayed");
    expect(peer.until("direct")).toBeLessThan(1_000);
  });

  it("a request of the peer by a way that was given up has it tried at once", () => {
    const peer = simulate();
    peer.run(1_000);
    peer.carry("relay");
    peer.run(100_000);
    peer.carry("direct", "relay");
    peer.tracks.asked("direct", peer.now());
    expect(peer.until("direct")).toBeLessThan(1_000);
  });

  it("answers to nothing that was asked are none", () => {
    const { tracks, now } = simulate();
    const [asked] = tracks.due(now(), () => "7");
    const at = { nowMs: now(), restMs: HEARTBEAT_MS };
    expect(tracks.answered("direct", "8", at)).toBe(false);
    expect(tracks.answered("vxlan", "7", at)).toBe(false);
    expect(tracks.answered(asked!.probed.way, "7", at)).toBe(true);
    expect(tracks.answered("direct", "7", at)).toBe(false);
  });
});

it.each([
  [1, 15_000],
  [15, 15_000],
  [60, 60_000],
  [5_000, 300_000],
])("of %i peers each is asked every %i ms", (peers, want) => expect(heartbeatMs(peers)).toBe(want));
