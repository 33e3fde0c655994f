import { decode } from "dns-packet";
import { HEADER_BYTES, type Query, skipName } from "./message.ts";
import type { DnsRecord } from "./record.ts";

const TC = 0x0200;
const OPT = 41;
const SOA = 6;

/** Another server's answer, kept as it came: of types that we know nothing of, too. */
export interface RawAnswer {
  bytes: Buffer;
  isTruncated: boolean;
  rcode: number;
  /** Where the times to live stand that grow less while it is kept. */
  ttlOffsets: number[];
  /** For how long it may be kept; 0 if it must not be. */
  keepSeconds: number;
}

/**
 * Reads what is needed to pass an answer on, and to keep it.
 * @throws RangeError for bytes that end too early, or are no answer
 */
export function parseAnswer(bytes: Buffer): RawAnswer {
  const flags = bytes.readUInt16BE(2);
  const [questions, answers, authorities, additionals] = [4, 6, 8, 10].map((at) => bytes.readUInt16BE(at));
  if (!(flags & 0x8000) || questions !== 1) throw new RangeError("no answer to one question");
  const ttlOffsets: number[] = [];
  let minTtl = Number.POSITIVE_INFINITY;
  let negativeTtl = 0;
  let at = skipName(bytes, HEADER_BYTES) + 4;
  for (let index = 0; index < answers! + authorities! + additionals!; index++) {
    at = skipName(bytes, at);
    const type = bytes.readUInt16BE(at);
    const end = at + 10 + bytes.readUInt16BE(at + 8);
    if (end > bytes.length) throw new RangeError("a record ends too early");
    if (type !== OPT) {
      const ttl = bytes.readUInt32BE(at + 4);
      ttlOffsets.push(at + 4);
      minTtl = Math.min(minTtl, ttl);
      const isAuthority = index >= answers! && index < answers! + authorities!;
      // RFC 2308 5: the SOA's last number, or its own time to live.
      if (type === SOA && isAuthority && end - at > 30) negativeTtl = Math.min(ttl, bytes.readUInt32BE(end - 4));
    }
    at = end;
  }
  const rcode = flags & 15;
  const isTruncated = (flags & TC) !== 0;
  const canKeep = !isTruncated && (rcode === 0 || rcode === 3) && at <= bytes.length;
  const seconds = rcode === 0 && answers! > 0 ? minTtl : negativeTtl;
  return { bytes, isTruncated, rcode, ttlOffsets, keepSeconds: canKeep && Number.isFinite(seconds) ? seconds : 0 };
}

/** Whether an answer is one to the question that was asked, in whatever case it repeats it. */
export function isAnswerTo(id: number, rawQuestion: Buffer, bytes: Buffer): boolean {
  if (bytes.length < HEADER_BYTES + rawQuestion.length || bytes.readUInt16BE(0) !== id) return false;
  if (!(bytes.readUInt16BE(2) & 0x8000)) return false;
  const repeated = bytes.subarray(HEADER_BYTES, HEADER_BYTES + rawQuestion.length);
  return repeated.toString("latin1").toLowerCase() === rawQuestion.toString("latin1").toLowerCase();
}

/**
 * The answer as the asker gets it: with its own id and question, and what is left of the times to live.
 * @param agedSeconds since it came
 * @param limit bytes; of what is longer only that it was cut
 */
export function renderAnswer(
  query: Query,
  { bytes, ttlOffsets }: Pick<RawAnswer, "bytes" | "ttlOffsets">,
  { maxTtlSeconds, agedSeconds, limit }: { maxTtlSeconds: number; agedSeconds: number; limit: number },
): Buffer {
  const isCut = bytes.length > limit;
  const answer = Buffer.from(isCut ? bytes.subarray(0, HEADER_BYTES + query.rawQuestion.length) : bytes);
  answer.writeUInt16BE(query.id, 0);
  query.rawQuestion.copy(answer, HEADER_BYTES);
  if (isCut) {
    answer.writeUInt16BE(answer.readUInt16BE(2) | TC, 2);
    answer.fill(0, 6, HEADER_BYTES);
    return answer;
  }
  for (const at of ttlOffsets) {
    const ttl = Math.min(answer.readUInt32BE(at), maxTtlSeconds);
    answer.writeUInt32BE(Math.max(0, ttl - agedSeconds), at);
  }
  return answer;
}

/** The addresses and other names in an answer, for one of our own that leads there. Empty if there are none. */
export function addressesIn(bytes: Buffer): DnsRecord[] {
  try {
    return (decode(bytes).answers ?? []).flatMap((record): DnsRecord[] =>
      record.type === "A" || record.type === "AAAA" || record.type === "CNAME"
        ? [{ name: record.name, ttl: record.ttl ?? 0, type: record.type, data: record.data }]
        : [],
    );
  } catch {
    // The library's errors tell of the bytes alone.
    return [];
  }
}
