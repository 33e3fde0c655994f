import { randomBytes } from "node:crypto";
import { type IpAddress, printIp } from "../../../shared/api/ip.ts";
import { type Clock, createWake } from "../../clock/index.ts";
import type { Path } from "../decide-paths.ts";
import { VXLAN_PORT, vxlanId, vxlanMac } from "../names.ts";
import { bridgeAddress, type Peer } from "../peer.ts";
import { wrap } from "../relay/frame.ts";
import { encodeProbe, PROBE_PORT, type ProbeMessage, type ProbeWay, parseProbe } from "./message.ts";
import { PeerTracks, type Probed } from "./peer-tracks.ts";
import { ProbeSockets, type Received } from "./sockets.ts";
import { heartbeatMs } from "./track.ts";
import { renderUdpPacket } from "./udp-packet.ts";

/** What is answered in a second at most, whoever asks. */
const MAX_ANSWERS_PER_SECOND = 500;

/** What the ways to the other nodes are made of, after the kernel has them. */
export interface Neighbourhood {
  /** With addresses that are this machine's. */
  self: Peer;
  peers: readonly Peer[];
  paths: readonly Path[];
  clusterUid: string;
  /** Names of nodes that are Ready. */
  ready: ReadonlySet<string>;
  /** Names of nodes that say of themselves that they do not reach this one, but over the relay. */
  askedFor: ReadonlySet<string>;
}

export interface ProberOptions {
  /** By the relay; lost while it is not open. */
  sendByRelay(to: string, bytes: Uint8Array): void;
  /** What was found differs from before: `failing` or `silent`. */
  onChange(): void;
  clock: Clock;
  signal: AbortSignal;
}

/**
 * Tries the ways to all peers: small requests that the other agent answers, by the very way that packets of pods take, now
 * and then while all is well, and at once when something is amiss. Says which ways fail.
 */
export class Prober {
  readonly #options: ProberOptions;
  readonly #sockets: ProbeSockets;
  readonly #wake = createWake();
  readonly #tracks = new Map<string, PeerTracks>();
  #around: (Neighbourhood & { cluster: number; byName: Map<string, Peer>; bySource: Map<string, string> }) | undefined;
  /** Ways that failed before this agent started. */
  #remembered: ReadonlySet<string> = new Set();
  #found = "";
  #answers = { second: 0, count: 0 };

  constructor(options: ProberOptions) {
    this.#options = options;
    this.#sockets = new ProbeSockets((received) => this.#receive(received));
    options.signal.addEventListener("abort", () => this.#sockets.close());
  }

  /** Keys of ways that carry nothing (`wayKey`), those of before a restart included until they are tried. */
  get failing(): Set<string> {
    const failing = new Set([...this.#tracks.values()].flatMap((tracks) => tracks.failing));
    for (const key of this.#remembered) if (!this.#tracks.has(key.slice(0, key.indexOf("/")))) failing.add(key);
    return failing;
  }

  /** Names of peers that answer by none of what is used. */
  get silent(): Set<string> {
    return new Set([...this.#tracks.values()].filter(({ isSilent }) => isSilent).map(({ peer }) => peer));
  }

  /** Whether the relay has to be open, for this node or for a peer that asks for it. */
  get needsRelay(): boolean {
    return (this.#around?.askedFor.size ?? 0) > 0 || [...this.#tracks.values()].some(({ needsRelay }) => needsRelay);
  }

  /** @param keys of ways, before the first neighbourhood is known */
  remember(keys: ReadonlySet<string>): void {
    this.#remembered = keys;
  }

  async follow(around: Neighbourhood): Promise<void> {
    const { self, peers, paths, clusterUid, ready, askedFor } = around;
    const nowMs = this.#options.clock.nowMs();
    const askedBefore = this.#around?.askedFor ?? new Set();
    const byName = new Map(peers.map((peer) => [peer.name, peer] as const));
    this.#around = { ...around, cluster: vxlanId(clusterUid), byName, bySource: sourcesOf(peers) };
    const byPeer = Map.groupBy(
      paths.filter(({ kind }) => kind !== "none" && kind !== "local"),
      ({ peer }) => peer,
    );
    for (const name of this.#tracks.keys()) if (!byPeer.has(name)) this.#tracks.delete(name);
    for (const [name, own] of byPeer) {
      const known = this.#tracks.get(name);
      const tracks = known ?? new PeerTracks(name);
      const address = byName.get(name)?.addresses.find(({ family }) => family === self.addresses[0]?.family);
      const failing = known ? new Set<string>() : this.#remembered;
      tracks.setPaths(own, { nowMs, failing, address, isReady: ready.has(name) });
      if (askedFor.has(name) && !askedBefore.has(name)) tracks.hurry(nowMs);
      this.#tracks.set(name, tracks);
    }
    // From now on it is known by itself.
    this.#remembered = new Set();
    await this.#sockets.follow(addressesOf(self));
    this.#wake.notify();
  }

  /** The pod network is somebody else's. */
  async clear(): Promise<void> {
    this.#around = undefined;
    this.#tracks.clear();
    await this.#sockets.follow([]);
  }

  /** The relay can be sent with. */
  relayOpened(): void {
    for (const tracks of this.#tracks.values()) tracks.hurry(this.#options.clock.nowMs(), { way: "relay" });
    this.#wake.notify();
  }

  /** What a peer's agent sends over the relay. */
  receiveByRelay(peer: string, bytes: Uint8Array): void {
    const message = this.#parse(bytes);
    if (message?.way !== "relay" || !this.#around?.byName.has(peer)) return;
    this.#take(peer, message, (answer) => this.#options.sendByRelay(peer, answer));
  }

  /** Asks what is due until the signal is aborted. */
  async run(): Promise<void> {
    const { clock, signal } = this.#options;
    while (!signal.aborted) {
      const nowMs = clock.nowMs();
      let nextMs = Number.POSITIVE_INFINITY;
      for (const tracks of this.#tracks.values()) {
        const canAsk = (probed: Probed) => this.#canAsk(tracks.peer, probed);
        for (const { probed, nonce } of tracks.due(nowMs, createNonce, canAsk)) this.#ask(tracks.peer, probed, nonce);
        tracks.judge(nowMs);
        nextMs = Math.min(nextMs, tracks.nextMs(nowMs));
      }
      this.#tellOfChange();
      const pauseMs = Number.isFinite(nextMs) ? Math.max(0, nextMs - clock.nowMs()) : undefined;
      await this.#wake.wait(pauseMs, clock, signal);
    }
  }

  #tellOfChange(): void {
    const found = JSON.stringify([[...this.failing].sort(), [...this.silent].sort(), this.needsRelay]);
    if (found === this.#found) return;
    this.#found = found;
    this.#options.onChange();
  }

  #ask(peer: string, probed: Probed, nonce: string): void {
    if (!this.#around) return;
    const message = encodeProbe({ type: "request", way: probed.way, cluster: this.#around.cluster, nonce });
    this.#send(peer, probed, message);
  }

  #send(peer: string, probed: Probed, message: Uint8Array): void {
    const other = this.#around?.byName.get(peer);
    if (probed.way === "relay") this.#options.sendByRelay(peer, message);
    else if (other && probed.way === "vxlan") this.#sendEncapsulated(other, message);
    else if (other) {
      const ends = this.#endsOf(other, probed);
      if (ends) this.#sockets.send(message, { local: printIp(ends.here), to: printIp(ends.there) });
    }
  }

  /** From and to which addresses; undefined: there are none of one family. */
  #endsOf(other: Peer, { way, family, via }: Probed): { here: IpAddress; there: IpAddress } | undefined {
    if (!this.#around) return undefined;
    const { self } = this.#around;
    if (way === "address") {
      const here = self.addresses.find((ip) => ip.family === via?.family);
      return here && via && { here, there: via };
    }
    // An overlay carries all families, by one address of the nodes; a route those of its own.
    for (const cidr of self.podCidrs) {
      const there = other.podCidrs.find((each) => each.family === cidr.family);
      if (!there || (way === "direct" && cidr.family !== family)) continue;
      const end = way === "direct" ? bridgeAddress : firstAddress;
      return { here: end(cidr), there: end(there) };
    }
    return undefined;
  }

  /** Whether there is a socket to ask from; without one silence says nothing. */
  #canAsk(peer: string, probed: Probed): boolean {
    const other = this.#around?.byName.get(peer);
    if (probed.way === "relay" || !other) return true;
    const ends = this.#endsOf(other, probed);
    if (ends === undefined) return false;
    if (this.#sockets.has(printIp(ends.here))) return true;
    if (this.#around) void this.#sockets.follow(addressesOf(this.#around.self)); // it may be there by now
    return false;
  }

  /** As the kernel would, whatever way it takes for the peer's pods at present; the peer's kernel unpacks it. */
  #sendEncapsulated(peer: Peer, payload: Uint8Array): void {
    const ends = this.#endsOf(peer, { way: "vxlan", family: 4 });
    if (!this.#around || !ends) return;
    const { self, clusterUid, cluster } = this.#around;
    const local = self.addresses[0];
    const to = peer.addresses.find(({ family }) => family === local?.family);
    if (!local || !to) return;
    const packet = renderUdpPacket({ source: ends.here, destination: ends.there, port: PROBE_PORT, payload });
    const macs = { to: vxlanMac(clusterUid, peer.name), from: vxlanMac(clusterUid, self.name) };
    const frame = wrap(packet, { id: cluster, ...macs });
    this.#sockets.sendFromAnyPort(frame, { local: printIp(local), to: printIp(to), port: VXLAN_PORT });
  }

  #receive({ bytes, local, from }: Received): void {
    const message = this.#parse(bytes);
    if (!message || from.port !== PROBE_PORT || !this.#around) return;
    const peer = this.#around.bySource.get(`${endOf(message.way)}/${from.address}`);
    if (peer === undefined) return;
    this.#take(peer, message, (answer) => {
      if (message.way === "vxlan") this.#send(peer, { way: "vxlan", family: 4 }, answer);
      else this.#sockets.send(answer, { local, to: from.address });
    });
  }

  #parse(bytes: Uint8Array): ProbeMessage | undefined {
    const message = parseProbe(bytes);
    return message?.cluster === this.#around?.cluster ? message : undefined;
  }

  #take(peer: string, message: ProbeMessage, reply: (answer: Uint8Array) => void): void {
    const nowMs = this.#options.clock.nowMs();
    const tracks = this.#tracks.get(peer);
    if (message.type === "answer") {
      const restMs = heartbeatMs(this.#tracks.size) * (0.9 + 0.2 * Math.random());
      if (!tracks?.answered(message.way, message.nonce, { nowMs, restMs })) return;
    } else {
      if (!this.#mayAnswer(nowMs)) return;
      reply(encodeProbe({ ...message, type: "answer" }));
      tracks?.asked(message.way, nowMs);
    }
    this.#wake.notify();
  }

  #mayAnswer(nowMs: number): boolean {
    const second = Math.floor(nowMs / 1_000);
    if (this.#answers.second !== second) this.#answers = { second, count: 0 };
    return ++this.#answers.count <= MAX_ANSWERS_PER_SECOND;
  }
}

const firstAddress = ({ family, first }: { family: 4 | 6; first: bigint }): IpAddress => ({
  family,
  value: first,
  mapped: false,
});

/** Where probes of this node come from. */
const addressesOf = ({ podCidrs, addresses }: Peer): string[] => {
  const inner = podCidrs.flatMap((cidr) => [bridgeAddress(cidr), firstAddress(cidr)]);
  return [...new Set([...inner, ...addresses].map(printIp))];
};

/** Which of a node's addresses a probe comes from. */
const endOf = (way: ProbeWay) => (way === "direct" ? "bridge" : way === "address" ? "node" : "first");

function sourcesOf(peers: readonly Peer[]): Map<string, string> {
  const sources = new Map<string, string>();
  for (const { name, podCidrs, addresses } of peers) {
    for (const cidr of podCidrs) {
      sources.set(`bridge/${printIp(bridgeAddress(cidr))}`, name);
      sources.set(`first/${printIp(firstAddress(cidr))}`, name);
    }
    for (const address of addresses) sources.set(`node/${printIp(address)}`, name);
  }
  return sources;
}

const createNonce = () => randomBytes(8).toString("hex");
