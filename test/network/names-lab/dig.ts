import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";
import {
  type Answer,
  type DecodedPacket,
  decode,
  encode,
  type Packet,
  type RecordType,
  streamDecode,
  streamEncode,
} from "dns-packet";

/*
 * `dig.ts SERVER [+tcp] NAME TYPE …` in a node's network: for each question what dig prints of an answer: a line with the
 * status and flags, then its records.
 */

const RCODES = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"];
const TIMEOUT_MS = 5000;
/** dig's own. */
const OPT: Answer = {
  type: "OPT",
  name: ".",
  udpPayloadSize: 4096,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

async function ask(server: string, transport: "udp" | "tcp", name: string, type: string): Promise<DecodedPacket> {
  const packet: Packet = {
    type: "query",
    id: randomInt(0x10000),
    flags: 0x0100,
    questions: [{ name, type: type as RecordType }],
    additionals: [OPT],
  };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  if (transport === "tcp") {
    const socket = connect(53, server);
    socket.write(streamEncode(packet));
    const [bytes] = await once(socket, "data", { signal });
    socket.destroy();
    return streamDecode(bytes as Buffer) as DecodedPacket;
  }
  const socket = createSocket("udp4");
  socket.send(encode(packet), 53, server);
  const [bytes] = await once(socket, "message", { signal });
  socket.close();
  return decode(bytes as Buffer);
}

function print(reply: DecodedPacket): string {
  const flags = (["qr", "aa", "tc", "rd", "ra"] as const).filter((flag) => reply[`flag_${flag}`]).join(" ");
  const counts = [reply.questions, reply.answers, reply.authorities, reply.additionals].map((list) => list!.length);
  const [questions, answers, authorities, additionals] = counts;
  return [
    `status: ${RCODES[(reply.flags ?? 0) & 15]}, flags: ${flags}; QUERY: ${questions}, ANSWER: ${answers}, AUTHORITY: ${authorities}, ADDITIONAL: ${additionals}`,
    ...(reply.answers ?? []).map(printRecord),
  ].join("\n");
}

function printRecord(record: Answer): string {
  if (record.type === "OPT") return "OPT";
  const { name, ttl, type, data } = record;
  const text = type === "SRV" ? `${data.priority} ${data.weight} ${data.port} ${data.target}.` : printData(type, data);
  return `${name}. ${ttl} IN ${type} ${text}`;
}

const printData = (type: string, data: unknown): string =>
  type === "PTR" || type === "CNAME" ? `${data}.` : Array.isArray(data) ? data.join("") : String(data);

const [server = "", ...rest] = process.argv.slice(2);
const transport = rest[0] === "+tcp" ? "tcp" : "udp";
const questions = rest.filter((word) => word !== "+tcp");
for (let at = 0; at < questions.length; at += 2) {
  console.log(print(await ask(server, transport, questions[at]!, questions[at + 1]!)));
}
