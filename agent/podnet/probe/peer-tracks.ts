import type { IpAddress } from "../../../shared/api/ip.ts";
import { type Path, type Way, wayKey } from "../decide-paths.ts";
import type { ProbeWay } from "./message.ts";
import { afterAnswer, afterRequest, hurried, isGivenUp, isSilent, newTrack, type Track } from "./track.ts";

/** Something to ask a peer by. */
export interface Probed {
  way: ProbeWay;
  /** Of the ranges whose packets go this way; of `relay` and `address` it says nothing. */
  family: 4 | 6;
  /** Of a way: the node's address; absent if `wireguard` or `relay`. */
  via?: IpAddress;
}

/** Answers to late requests count as well: so many are remembered. */
const MAX_NONCES = 8;
/** Until it is looked again whether there is a socket to ask from. */
const NO_SOCKET_MS = 2_000;

interface Entry {
  probed: Probed;
  track: Track;
  nonces: string[];
}

/** What helps to tell a peer that has ended from a way that carries nothing; asked only while that is in question. */
const WITNESSES = ["address", "relay"] as const;
const isWitness = ({ way }: Probed) => way === "address" || way === "relay";

/** What is known of all ways to one peer. Knows no clock and sends nothing: it says what is to be asked. */
export class PeerTracks {
  readonly peer: string;
  /** By `wayKey`. */
  readonly #entries = new Map<string, Entry>();
  /** Which ways are in use, or would be if they worked. */
  #ways: { key: string; probed: Probed; isUsed: boolean }[] = [];
  #isRelayed = false;
  #address: IpAddress | undefined;
  /** Whether there is anybody to answer by the relay, as far as the control plane knows. */
  #isReady = true;

  constructor(peer: string) {
    this.peer = peer;
  }

  /**
   * @param paths to this peer alone
   * @param options.failing what a way not known yet is taken for; `address` of the node; `isReady` its condition
   */
  setPaths(
    paths: readonly Path[],
    {
      nowMs,
      failing,
      address,
      isReady,
    }: { nowMs: number; failing: ReadonlySet<string>; address: IpAddress | undefined; isReady: boolean },
  ): void {
    this.#ways = paths.flatMap(({ kind, via, cidr, failing: worse = [] }) => {
      const used = kind === "direct" || kind === "vxlan" || kind === "wireguard" ? [{ kind, ...(via && { via }) }] : [];
      return [...used, ...worse].map((way: Way) => ({
        key: wayKey(this.peer, way),
        probed: { way: way.kind, family: cidr.family, ...(way.via && { via: way.via }) },
        isUsed: used.includes(way),
      }));
    });
    this.#isRelayed = paths.some(({ kind }) => kind === "relayed");
    this.#address = address;
    this.#isReady = isReady;
    const keys = new Set(this.#ways.map(({ key }) => key));
    for (const [key, { probed }] of this.#entries) if (!isWitness(probed) && !keys.has(key)) this.#entries.delete(key);
    for (const { key, probed } of this.#ways) {
      const known = this.#entries.get(key);
      if (known) known.probed = probed;
      else {
        const track = newTrack(nowMs, { fails: failing.has(key) });
        this.#entries.set(key, { probed, track, nonces: [] });
      }
    }
    this.#callWitnesses(nowMs);
  }

  /** When there is something to do next, epoch ms. */
  nextMs(nowMs: number): number {
    const times = [...this.#entries.values()].flatMap(({ track, probed }) => {
      const { untilMs } = this.#verdict(track, probed, nowMs);
      return untilMs === undefined ? [track.dueMs] : [track.dueMs, untilMs];
    });
    return Math.min(Number.POSITIVE_INFINITY, ...times);
  }

  /**
   * What is to be asked now, each with a nonce of its own; it counts as sent.
   * @param canAsk whether there is a way to ask so; if not it is left for later, and its silence says nothing
   */
  due(
    nowMs: number,
    createNonce: () => string,
    canAsk: (probed: Probed) => boolean = () => true,
  ): { probed: Probed; nonce: string }[] {
    const asked = [...this.#entries.values()].filter(({ track }) => track.dueMs <= nowMs);
    return asked.flatMap((entry) => {
      if (!canAsk(entry.probed)) {
        entry.track = { ...entry.track, dueMs: nowMs + NO_SOCKET_MS };
        return [];
      }
      const nonce = createNonce();
      entry.track = afterRequest(entry.track, nowMs);
      entry.nonces = [...entry.nonces.slice(1 - MAX_NONCES), nonce];
      return [{ probed: entry.probed, nonce }];
    });
  }

  /** @param restMs until a way that works is asked again. @returns false if nothing was asked so */
  answered(way: ProbeWay, nonce: string, { nowMs, restMs }: { nowMs: number; restMs: number }): boolean {
    for (const entry of this.#entries.values()) {
      if (entry.probed.way !== way || !entry.nonces.includes(nonce)) continue;
      entry.track = afterAnswer(entry.track, nowMs, restMs);
      entry.nonces = entry.nonces.filter((each) => each !== nonce);
      return true;
    }
    return false;
  }

  /** The peer has asked by this way: if it had been given up, it is tried at once. */
  asked(way: ProbeWay, nowMs: number): void {
    for (const entry of this.#entries.values()) {
      // By the relay it asks because it has doubts about all others.
      const isMeant = way === "relay" ? !isWitness(entry.probed) : entry.probed.way === way;
      const isInQuestion = way === "relay" || entry.track.fails || isSilent(entry.track);
      if (isMeant && isInQuestion) entry.track = hurried(entry.track, nowMs);
    }
  }

  /** Asks everything again, soon: the peer says that it does not reach this node, or the relay has opened. */
  hurry(nowMs: number, { way }: { way?: ProbeWay } = {}): void {
    for (const entry of this.#entries.values()) {
      if (way === undefined || entry.probed.way === way) entry.track = hurried(entry.track, nowMs);
    }
  }

  /** Gives up what is to be given up, and calls witnesses where there is doubt. */
  judge(nowMs: number): void {
    for (const entry of this.#entries.values()) {
      if (isWitness(entry.probed) || entry.track.fails) continue;
      if (this.#verdict(entry.track, entry.probed, nowMs).isSo) entry.track = { ...entry.track, fails: true };
    }
    this.#callWitnesses(nowMs);
  }

  /** Keys of ways that carry nothing. */
  get failing(): string[] {
    return [...this.#entries].filter(([, { track }]) => track.fails).map(([key]) => key);
  }

  /** Whether the relay may be needed: it is used, or there is doubt about what is used. */
  get needsRelay(): boolean {
    return this.#isRelayed || (this.#isReady && this.#doubtSinceMs() !== undefined);
  }

  /** Whether the peer does not answer by what is used, be it only because it has ended. */
  get isSilent(): boolean {
    const used = this.#ways.filter(({ isUsed }) => isUsed).map(({ key }) => key);
    if (this.#isRelayed) used.push(this.#keyOf("relay"));
    return used.some((key) => isSilent(this.#entries.get(key)?.track ?? newTrack(0)));
  }

  #verdict(track: Track, probed: Probed, nowMs: number): ReturnType<typeof isGivenUp> {
    if (track.fails || isWitness(probed)) return { isSo: false };
    const others = [...this.#entries.values()].map((each) => each.track).filter((each) => each !== track);
    return isGivenUp(track, others, nowMs);
  }

  /** Since when a way in use, which is not known to fail, has been silent for longer than an answer takes. */
  #doubtSinceMs(): number | undefined {
    const since = [...this.#entries.values()]
      .filter(({ probed, track }) => !isWitness(probed) && !track.fails && track.unanswered > 1)
      .map(({ track }) => track.silentSinceMs);
    return since.length > 0 ? Math.max(...since) : undefined;
  }

  #callWitnesses(nowMs: number): void {
    const doubtSinceMs = this.#doubtSinceMs();
    for (const way of WITNESSES) {
      const key = this.#keyOf(way);
      const isNeeded = way === "relay" ? this.needsRelay : doubtSinceMs !== undefined && this.#address !== undefined;
      const known = this.#entries.get(key);
      if (!isNeeded) {
        this.#entries.delete(key);
      } else if (!known) {
        const via = way === "address" && this.#address;
        const probed: Probed = { way, family: this.#address?.family ?? 4, ...(via && { via }) };
        this.#entries.set(key, { probed, track: newTrack(nowMs), nonces: [] });
      } else if (
        doubtSinceMs !== undefined &&
        known.track.lastAnswerMs < doubtSinceMs &&
        known.track.unanswered === 0
      ) {
        known.track = hurried(known.track, nowMs);
      }
    }
  }

  #keyOf = (way: (typeof WITNESSES)[number]) => `${this.peer}/${way}`;
}
