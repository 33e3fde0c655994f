import { randomInt } from "node:crypto";
import type { Clock } from "../clock/index.ts";
import type { Log } from "../log/index.ts";
import type { Server } from "./corefile.ts";
import { exchangeTcp, exchangeUdp } from "./exchange.ts";
import { CD, HEADER_BYTES, type Query } from "./message.ts";
import { isAnswerTo, parseAnswer, type RawAnswer } from "./raw-answer.ts";
import type { Rcode } from "./record.ts";

/** As many as CoreDNS is installed with (`max_concurrent`). */
const MAX_CONCURRENT = 1000;
const TIMEOUT_MS = 2000;
const DEADLINE_MS = 5000;
/** For how long a server that said nothing is asked last. */
const REST_MS = 10_000;
const MAX_KEPT = 9984;
const MAX_KEPT_BYTES = 16 << 20;
const MAX_SERVERS_KNOWN = 1000;
const RD = 0x0100;
const UDP_BYTES = 1232;

export type Forwarded = { answer: RawAnswer; maxTtlSeconds: number; agedSeconds: number } | Rcode;

export interface Forwarder {
  /**
   * Asks servers one after the other until one answers, unless the answer is known already. Equal questions that are
   * asked at one time are asked once.
   * @param cacheSeconds for how long answers are kept at most; 0 for not at all
   */
  ask(query: Query, servers: readonly Server[], cacheSeconds: number): Promise<Forwarded>;
  /** Forgets what was kept: the servers are others. */
  forget(): void;
}

export interface ForwarderDeps {
  clock: Pick<Clock, "nowMs">;
  log: Log;
  timeoutMs?: number;
}

export function createForwarder({ clock, log, timeoutMs = TIMEOUT_MS }: ForwarderDeps): Forwarder {
  const kept = new Map<string, { answer: RawAnswer; sinceMs: number; untilMs: number; maxTtlSeconds: number }>();
  let keptBytes = 0;
  const asked = new Map<string, Promise<RawAnswer | Rcode>>();
  const restingUntilMs = new Map<string, number>();

  const drop = (key: string) => {
    keptBytes -= kept.get(key)?.answer.bytes.length ?? 0;
    kept.delete(key);
  };
  const keep = (key: string, answer: RawAnswer, maxTtlSeconds: number) => {
    const sinceMs = clock.nowMs();
    const seconds = Math.min(answer.keepSeconds, maxTtlSeconds);
    if (seconds === 0) return;
    drop(key);
    kept.set(key, { answer, sinceMs, untilMs: sinceMs + seconds * 1000, maxTtlSeconds });
    keptBytes += answer.bytes.length;
    // The oldest goes first: what is asked often comes back by itself.
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_KEPT && keptBytes <= MAX_KEPT_BYTES) break;
      drop(oldest);
    }
  };

  async function askServers(query: Query, servers: readonly Server[]): Promise<RawAnswer | Rcode> {
    const deadlineMs = clock.nowMs() + DEADLINE_MS;
    const isResting = (server: Server) => (restingUntilMs.get(nameOf(server)) ?? 0) > clock.nowMs();
    const order = [...servers.filter((each) => !isResting(each)), ...servers.filter(isResting)];
    for (const server of order) {
      const leftMs = Math.min(timeoutMs, deadlineMs - clock.nowMs());
      if (leftMs <= 0) break;
      try {
        const answer = await askServer(query, server, leftMs);
        restingUntilMs.delete(nameOf(server));
        return answer;
      } catch (error) {
        if (!restingUntilMs.has(nameOf(server))) {
          log("warn", "a name server does not answer", { server: nameOf(server), error: String(error) });
        }
        if (restingUntilMs.size >= MAX_SERVERS_KNOWN) restingUntilMs.clear();
        restingUntilMs.set(nameOf(server), clock.nowMs() + REST_MS);
      }
    }
    return "SERVFAIL";
  }

  return {
    async ask(query, servers, cacheSeconds) {
      const { name, type, edns, flags } = query;
      const where = servers.map(nameOf).join();
      const key = `${where} ${type} ${query.class} ${edns?.isDnssecOk ?? "plain"} ${flags & CD} ${name}`;
      const known = kept.get(key);
      if (known && known.untilMs > clock.nowMs()) {
        const agedSeconds = Math.floor((clock.nowMs() - known.sinceMs) / 1000);
        return { answer: known.answer, maxTtlSeconds: known.maxTtlSeconds, agedSeconds };
      }
      drop(key);
      let asking = asked.get(key);
      if (!asking) {
        if (asked.size >= MAX_CONCURRENT) return "REFUSED";
        asking = askServers(query, servers).finally(() => asked.delete(key));
        asked.set(key, asking);
      }
      const answer = await asking;
      if (typeof answer === "string") return answer;
      if (cacheSeconds > 0 && !kept.has(key)) keep(key, answer, cacheSeconds);
      return { answer, maxTtlSeconds: cacheSeconds || 0xffffffff, agedSeconds: 0 };
    },
    forget() {
      kept.clear();
      keptBytes = 0;
      restingUntilMs.clear();
    },
  };
}

export const nameOf = ({ address, port }: Server): string =>
  address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;

async function askServer(query: Query, server: Server, timeoutMs: number): Promise<RawAnswer> {
  const id = randomInt(0x10000);
  const message = renderQuestion(query, id);
  const isAnswer = (bytes: Buffer) => isAnswerTo(id, query.rawQuestion, bytes);
  const answer = parseAnswer(await exchangeUdp(server, message, isAnswer, timeoutMs));
  if (!answer.isTruncated) return answer;
  return parseAnswer(await exchangeTcp(server, message, isAnswer, timeoutMs));
}

/** The asker's question, with EDNS if it has that: what it gets back it then understands. */
function renderQuestion({ rawQuestion, edns, flags }: Query, id: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(RD | (flags & CD), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(edns ? 1 : 0, 10);
  const opt = [0, 0, 41, UDP_BYTES >> 8, UDP_BYTES & 255, 0, 0, edns?.isDnssecOk ? 0x80 : 0, 0, 0, 0];
  return Buffer.concat([header, rawQuestion, ...(edns ? [Buffer.from(opt)] : [])]);
}
