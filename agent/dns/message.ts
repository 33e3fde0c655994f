import { decode } from "dns-packet";
import { parseIp } from "../../shared/api/ip.ts";
import { type DnsRecord, type Question, RCODES, type Rcode, type Reply } from "./record.ts";

/** No question of a resolver comes near it, cookies and padding included. */
export const MAX_QUERY_BYTES = 4096;
export const HEADER_BYTES = 12;
/** What a datagram may have without EDNS (RFC 1035 2.3.4). */
const PLAIN_UDP_BYTES = 512;
/** Beyond it datagrams may be cut on their way (RFC 9715). */
const MAX_UDP_BYTES = 1232;
const MAX_MESSAGE_BYTES = 65_535;
const OPT_BYTES = 11;

const QR = 0x8000;
const OPCODE = 0x7800;
const AA = 0x0400;
const TC = 0x0200;
const RD = 0x0100;
export const CD = 0x0010;
const DO = 0x8000;
const TYPES = { A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, TXT: 16, AAAA: 28, SRV: 33 } as const;
const OPT = 41;
const IN = 1;

export interface Query extends Question {
  id: number;
  flags: number;
  class: string;
  /** The question as it came, in its own case: answers repeat it byte for byte. */
  rawQuestion: Buffer;
  edns?: { udpBytes: number; version: number; isDnssecOk: boolean };
}

/** A question to answer, or what is wrong with it; undefined for what must not be answered at all: answers, scraps. */
export type Incoming = { query: Query } | { refusal: Buffer } | undefined;

/** Reads a datagram or the message of a stream. Never throws. */
export function parseQuery(bytes: Buffer): Incoming {
  if (bytes.length < HEADER_BYTES) return undefined;
  const flags = bytes.readUInt16BE(2);
  if (flags & QR) return undefined;
  if (flags & OPCODE) return { refusal: refuse(bytes, "NOTIMP") };
  const [questions, answers, authorities, additionals] = [4, 6, 8, 10].map((at) => bytes.readUInt16BE(at));
  const isUsual = questions === 1 && answers === 0 && authorities === 0 && additionals! <= 2;
  if (!isUsual || bytes.length > MAX_QUERY_BYTES) return { refusal: refuse(bytes, "FORMERR") };
  try {
    const { id = 0, questions: [question] = [], additionals: extra = [] } = decode(bytes);
    const end = skipName(bytes, HEADER_BYTES) + 4;
    // A pointer in the only name there is points nowhere.
    if (!question || bytes.subarray(HEADER_BYTES, end).length !== end - HEADER_BYTES || hasPointer(bytes)) {
      return { refusal: refuse(bytes, "FORMERR") };
    }
    const options = extra.filter((record) => record.type === "OPT");
    if (options.length > 1) return { refusal: refuse(bytes, "FORMERR") };
    const name = question.name === "." ? "" : question.name.toLowerCase();
    const query: Query = {
      id,
      flags,
      name,
      type: question.type,
      class: question.class ?? "IN",
      rawQuestion: Buffer.from(bytes.subarray(HEADER_BYTES, end)),
    };
    const [opt] = options;
    if (opt) query.edns = { udpBytes: opt.udpPayloadSize, version: opt.ednsVersion, isDnssecOk: opt.flag_do };
    return { query };
  } catch {
    // The library's errors tell of the bytes alone.
    return { refusal: refuse(bytes, "FORMERR") };
  }
}

function refuse(bytes: Buffer, rcode: Rcode): Buffer {
  const answer = Buffer.alloc(HEADER_BYTES);
  answer.writeUInt16BE(bytes.readUInt16BE(0), 0);
  answer.writeUInt16BE(QR | (bytes.readUInt16BE(2) & (OPCODE | RD)) | RCODES[rcode], 2);
  return answer;
}

function hasPointer(bytes: Buffer): boolean {
  let at = HEADER_BYTES;
  for (let length = bytes[at]!; length > 0; length = bytes[at]!) {
    if (length > 63) return true;
    at += length + 1;
  }
  return false;
}

/**
 * Where a name in a message ends.
 * @throws RangeError beyond the message's end, or for a label of an unknown kind
 */
export function skipName(bytes: Buffer, offset: number): number {
  let at = offset;
  for (;;) {
    const length = bytes.readUInt8(at);
    if (length === 0) return at + 1;
    if (length >= 0xc0) return at + 2;
    if (length > 63) throw new RangeError("a label of an unknown kind");
    at += length + 1;
  }
}

/** What an answer to a query may have. */
export const limitBytes = (query: Query, transport: "udp" | "tcp"): number => {
  if (transport === "tcp") return MAX_MESSAGE_BYTES;
  return Math.min(Math.max(query.edns?.udpBytes ?? 0, PLAIN_UDP_BYTES), MAX_UDP_BYTES);
};

/** All answers are encoded into it, one after the other. */
const scratch = Buffer.alloc(2 * MAX_MESSAGE_BYTES);

/**
 * An answer in bytes, its owners' names compressed (RFC 1035 4.1.4), which the library does not do: a headless Service of
 * twenty pods fits into a plain datagram with it. What does not fit is left out: of answers and authorities with the flag
 * that sends the asker to TCP.
 * @throws RangeError for a name that DNS cannot have
 */
export function encodeReply(query: Query, reply: Reply, limit: number): Buffer {
  const end = limit - (query.edns ? OPT_BYTES : 0);
  const names = new Map<string, number>();
  let at = HEADER_BYTES + query.rawQuestion.copy(scratch, HEADER_BYTES);
  rememberQuestion(query.name, names);
  let isTruncated = false;
  const write = (records: readonly DnsRecord[]): number => {
    let count = 0;
    for (const record of isTruncated ? [] : records) {
      const next = writeRecord(record, at, names);
      if (next > end) {
        isTruncated = true;
        break;
      }
      at = next;
      count++;
    }
    return count;
  };
  const counts = [1, write(reply.answers), write(reply.authorities)];
  const isCut = isTruncated;
  counts.push(write(reply.additionals) + (query.edns ? 1 : 0));
  const rcode = RCODES[reply.rcode];
  if (query.edns) at = writeOpt(at, query.edns, rcode >> 4);
  scratch.writeUInt16BE(query.id, 0);
  const flags = QR | (query.flags & (RD | CD)) | (reply.isAuthoritative ? AA : 0) | (isCut ? TC : 0) | (rcode & 15);
  scratch.writeUInt16BE(flags, 2);
  for (const [index, count] of counts.entries()) scratch.writeUInt16BE(count, 4 + index * 2);
  return Buffer.from(scratch.subarray(0, at));
}

function writeOpt(at: number, { udpBytes, isDnssecOk }: NonNullable<Query["edns"]>, extendedRcode: number): number {
  scratch[at] = 0;
  scratch.writeUInt16BE(OPT, at + 1);
  scratch.writeUInt16BE(udpBytes, at + 3);
  scratch.writeUInt32BE(((extendedRcode << 24) | (isDnssecOk ? DO : 0)) >>> 0, at + 5);
  scratch.writeUInt16BE(0, at + 9);
  return at + OPT_BYTES;
}

/** Of a name of bytes that are no text (it says so by its length) only the whole is known. */
function rememberQuestion(name: string, names: Map<string, number>): void {
  let at = HEADER_BYTES;
  for (let rest = name; rest !== ""; ) {
    names.set(rest, at);
    const dot = rest.indexOf(".");
    if (dot < 0 || scratch[at] !== dot) return;
    at += dot + 1;
    rest = rest.slice(dot + 1);
  }
}

function writeRecord(record: DnsRecord, offset: number, names: Map<string, number>): number {
  let at = writeName(record.name, offset, names);
  at = scratch.writeUInt16BE(TYPES[record.type], at);
  at = scratch.writeUInt16BE(IN, at);
  at = scratch.writeUInt32BE(record.ttl, at);
  const end = writeData(record, at + 2);
  scratch.writeUInt16BE(end - at - 2, at);
  return end;
}

function writeData(record: DnsRecord, offset: number): number {
  switch (record.type) {
    case "A":
    case "AAAA":
      return writeAddress(record.data, record.type === "A" ? 4 : 16, offset);
    case "TXT":
      return scratch.writeUInt8(Buffer.byteLength(record.data), offset) + scratch.write(record.data, offset + 1);
    case "SRV": {
      const { priority, weight, port, target } = record.data;
      let at = offset;
      for (const number of [priority, weight, port]) at = scratch.writeUInt16BE(number, at);
      return writeName(target, at);
    }
    case "SOA": {
      const { mname, rname, serial, refresh, retry, expire, minimum } = record.data;
      let at = writeName(rname, writeName(mname, offset));
      for (const number of [serial, refresh, retry, expire, minimum]) at = scratch.writeUInt32BE(number, at);
      return at;
    }
    default:
      return writeName(record.data, offset);
  }
}

function writeAddress(text: string, size: number, offset: number): number {
  const address = parseIp(text);
  if (!address) throw new RangeError(`not an address: ${text}`);
  for (let index = 0; index < size; index++) {
    scratch[offset + index] = Number((address.value >> BigInt(8 * (size - 1 - index))) & 0xffn);
  }
  return offset + size;
}

/** @param names where suffixes stand already; without it the name is written out, as SRV's must be (RFC 2782) */
function writeName(name: string, offset: number, names?: Map<string, number>): number {
  if (name.length > 253) throw new RangeError(`too long for a name: ${name}`);
  let at = offset;
  for (let rest = name; rest !== ""; ) {
    const known = names?.get(rest.toLowerCase());
    if (known !== undefined) return scratch.writeUInt16BE(0xc000 | known, at);
    // Pointers have 14 bits.
    if (at < 0x4000) names?.set(rest.toLowerCase(), at);
    const dot = rest.indexOf(".");
    const label = dot < 0 ? rest : rest.slice(0, dot);
    const length = Buffer.byteLength(label);
    if (length === 0 || length > 63) throw new RangeError(`no label of a name: "${label}"`);
    at = scratch.writeUInt8(length, at);
    at += scratch.write(label, at);
    rest = dot < 0 ? "" : rest.slice(dot + 1);
  }
  return scratch.writeUInt8(0, at);
}
