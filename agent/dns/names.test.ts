import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { type Answer, type DecodedPacket, decode, encode, type Packet, type RecordType } from "dns-packet";
import { afterEach, expect, it } from "vitest";
import { systemClock } from "../clock/index.ts";
import { silentLog } from "../log/index.ts";
import { createClusterNames } from "./cluster-names.ts";
import { DEFAULT_COREFILE, parseCorefile, type Server } from "./corefile.ts";
import { framed } from "./exchange.ts";
import { createForwarder } from "./forwarder.ts";
import { encodeReply } from "./message.ts";
import { failure } from "./record.ts";
import { resolve } from "./resolver.ts";
import { serveNames } from "./server.ts";
import { cluster, slice } from "./testing.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** Somebody's resolver: over TCP it says all, over UDP that it was cut when `isLong`. */
async function upstream(answers: (name: string) => Answer[], { isLong = false, isSilent = false } = {}) {
  const asked: string[] = [];
  const reply = (bytes: Buffer, isCut: boolean): Buffer => {
    const { id = 0, questions = [] } = decode(bytes);
    const name = questions[0]!.name;
    asked.push(name);
    const found = answers(name);
    const soa = {
      mname: "ns.example.com",
      rname: "root.example.com",
      serial: 1,
      refresh: 1,
      retry: 1,
      expire: 1,
      minimum: 60,
    };
    return encode({
      type: "response",
      id,
      flags: 0x0180 | (isCut ? 0x0200 : 0) | (found.length === 0 ? 3 : 0),
      questions,
      answers: isCut ? [] : found,
      authorities: found.length === 0 ? [{ type: "SOA", name: "example.com", ttl: 300, data: soa }] : [],
    });
  };
  const tcp = createServer((socket) =>
    socket.once("data", (chunk) => socket.end(framed(reply(chunk.subarray(2), false)))),
  );
  tcp.listen(0, "127.0.0.1");
  await once(tcp, "listening");
  const { port } = tcp.address() as { port: number };
  const udp = createSocket("udp4");
  udp.on("message", (bytes, from) => {
    if (!isSilent) udp.send(reply(bytes, isLong), from.port, from.address);
    else asked.push(decode(bytes).questions![0]!.name);
  });
  udp.bind(port, "127.0.0.1");
  await once(udp, "listening");
  cleanups.push(
    () => udp.close(),
    () => tcp.close(),
  );
  return { asked, server: { address: "127.0.0.1", port } };
}

async function names(nodeServers: Server[] = [], text = DEFAULT_COREFILE) {
  const given = cluster();
  const forwarder = createForwarder({ clock: systemClock, log: silentLog, timeoutMs: 200 });
  const corefile = parseCorefile(text);
  const deps = {
    names: createClusterNames(given.sources, () => 1),
    clusterDomain: "cluster.local",
    nameServer: () => "10.96.0.10",
    corefile: () => corefile,
    forwarder,
    nodeServers: () => nodeServers,
    random: () => 0,
  };
  const server = await serveNames({
    address: "127.0.0.1",
    port: 0,
    resolve: (query, limit) => resolve(query, limit, deps),
    fail: (query) => encodeReply(query, failure("SERVFAIL"), 512),
    log: silentLog,
  });
  cleanups.push(server.close);
  return { ...given, ...server };
}

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
const question = (name: string, type: RecordType = "A", packet: Packet = {}) =>
  encode({ type: "query", id: 77, flags: 0x0100, questions: [{ name, type }], ...packet });

async function sendUdp(port: number, bytes: Buffer): Promise<Buffer> {
  const socket = createSocket("udp4");
  try {
    socket.send(bytes, port, "127.0.0.1");
    const [reply] = await once(socket, "message");
    return reply as Buffer;
  } finally {
    socket.close();
  }
}

const overUdp = async (port: number, bytes: Buffer): Promise<DecodedPacket> => decode(await sendUdp(port, bytes));

async function overTcp(port: number, ...messages: Buffer[]): Promise<DecodedPacket[]> {
  const socket = connect(port, "127.0.0.1");
  socket.write(Buffer.concat(messages.map(framed)));
  const replies: DecodedPacket[] = [];
  let received = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      replies.push(decode(received.subarray(2, 2 + received.readUInt16BE(0))));
      received = received.subarray(2 + received.readUInt16BE(0));
    }
    if (replies.length === messages.length) break;
  }
  return replies;
}

const rcodeOf = ({ flags = 0 }: Packet) => flags & 15;
const dataOf = ({ answers = [] }: Packet) => answers.map((record) => ("data" in record ? record.data : undefined));
const address =
  (data: string, ttl = 300) =>
  (name: string): Answer[] => [{ type: "A", name, ttl, data }];

it("DNS-02 answers in the question's own case, with authority", async () => {
  const { udpPort } = await names();
  const reply = await overUdp(udpPort, question("Kube-DNS.kube-system.SVC.cluster.local"));
  expect(reply).toMatchObject({ id: 77, flag_aa: true, flag_rd: true, flag_ra: false });
  expect(reply.questions![0]!.name).toBe("Kube-DNS.kube-system.SVC.cluster.local");
  expect(reply.answers).toMatchObject([
    { name: "Kube-DNS.kube-system.SVC.cluster.local", ttl: 30, data: "10.96.0.10" },
  ]);
});

it("DNS-04 denies with authority, its SOA, and EDNS to who has it", async () => {
  const { udpPort } = await names();
  const reply = await overUdp(
    udpPort,
    question("api.example.com.default.svc.cluster.local", "A", { additionals: [OPT] }),
  );
  expect(rcodeOf(reply)).toBe(3);
  expect([reply.flag_aa, reply.flag_ra]).toEqual([true, false]);
  expect([reply.answers, reply.authorities, reply.additionals].map((list) => list!.length)).toEqual([0, 1, 1]);
  expect(reply.additionals![0]).toMatchObject({ type: "OPT", udpPayloadSize: 4096, ednsVersion: 0 });
});

it.each<{ name: string; bytes: Buffer; rcode: number }>([
  {
    name: "another class",
    bytes: question("x.", "A", { questions: [{ name: "x", type: "A", class: "CH" }] }),
    rcode: 5,
  },
  {
    name: "two questions",
    bytes: question("x.", "A", {
      questions: [
        { name: "x", type: "A" },
        { name: "y", type: "A" },
      ],
    }),
    rcode: 1,
  },
  { name: "scraps of a question", bytes: question("example.com").subarray(0, 20), rcode: 1 },
  { name: "a name that points to itself", bytes: Buffer.from("004d01000001000000000000c00c00010001", "hex"), rcode: 1 },
  { name: "another operation", bytes: question("x.", "A", { flags: 0x2000 }), rcode: 4 },
])("refuses $name", async ({ bytes, rcode }) => {
  const { udpPort } = await names();
  expect((await sendUdp(udpPort, bytes)).readUInt16BE(2) & 15).toBe(rcode);
});

it("says that a later EDNS is not known", async () => {
  const { udpPort } = await names();
  const reply = await overUdp(udpPort, question("x.", "A", { additionals: [{ ...OPT, ednsVersion: 1 } as Answer] }));
  expect((reply.additionals![0] as { extendedRcode: number }).extendedRcode).toBe(1);
});

it("cuts what a datagram does not hold, and says all over TCP, to several questions", async () => {
  const { udpPort, tcpPort, slices } = await names();
  const many = Array.from({ length: 100 }, (_, n) => ({ addresses: [`10.244.9.${n}`], conditions: {} }));
  slices.put(slice("nats", many));
  const asked = question("nats.default.svc.cluster.local");
  const plain = await sendUdp(udpPort, asked);
  expect(plain.length).toBeLessThanOrEqual(512);
  expect(decode(plain).flag_tc).toBe(true);
  expect(decode(plain).answers!.length).toBeGreaterThan(25);
  const [first, second] = await overTcp(tcpPort, asked, question("kube-dns.kube-system.svc.cluster.local"));
  expect([first!.flag_tc, first!.answers!.length, dataOf(second!)]).toEqual([false, 100, ["10.96.0.10"]]);
});

it("DNS-08 gives addresses in changing order", async () => {
  const { udpPort } = await names();
  expect(dataOf(await overUdp(udpPort, question("nats.default.svc.cluster.local")))).toEqual([
    "10.244.1.6",
    "10.244.0.5",
  ]);
});

it("DNS-06 asks the node's servers, and remembers for half a minute", async () => {
  const { asked, server } = await upstream(address("192.0.2.1"));
  const { udpPort } = await names([server]);
  for (const name of ["www.example.com", "WWW.example.com"]) {
    const reply = await overUdp(udpPort, question(name));
    expect([dataOf(reply), reply.answers![0]!.name.toLowerCase()]).toEqual([["192.0.2.1"], "www.example.com"]);
    expect((reply.answers![0] as { ttl: number }).ttl).toBeLessThanOrEqual(30);
    expect([reply.questions![0]!.name, reply.flag_ra, reply.flag_aa]).toEqual([name, true, false]);
  }
  expect(asked).toEqual(["www.example.com"]);
});

it("remembers a denial", async () => {
  const { asked, server } = await upstream(() => []);
  const { udpPort } = await names([server]);
  for (let i = 0; i < 2; i++) expect(rcodeOf(await overUdp(udpPort, question("no.example.com")))).toBe(3);
  expect(asked).toHaveLength(1);
});

it("asks the next server when one says nothing, and that one last from then on", async () => {
  const silent = await upstream(() => [], { isSilent: true });
  const { server } = await upstream(address("192.0.2.1"));
  const { udpPort } = await names([silent.server, server]);
  for (const name of ["a.example.com", "b.example.com"])
    expect(dataOf(await overUdp(udpPort, question(name)))).toEqual(["192.0.2.1"]);
  expect(silent.asked).toEqual(["a.example.com"]);
});

it("fails when no server answers, and without any", async () => {
  const silent = await upstream(() => [], { isSilent: true });
  for (const servers of [[silent.server], []]) {
    const { udpPort } = await names(servers);
    expect(rcodeOf(await overUdp(udpPort, question("example.com")))).toBe(2);
  }
});

it("fetches over TCP what was cut", async () => {
  const { server } = await upstream((name) => Array.from({ length: 60 }, (_, n) => address(`192.0.2.${n}`)(name)[0]!), {
    isLong: true,
  });
  const { udpPort, tcpPort } = await names([server]);
  expect((await overTcp(tcpPort, question("long.example.com")))[0]!.answers).toHaveLength(60);
  expect(await overUdp(udpPort, question("long.example.com"))).toMatchObject({ flag_tc: true, answers: [] });
});

it("follows another's name, in the cluster and outside, and no circle", async () => {
  const { server } = await upstream(address("192.0.2.1"));
  const { udpPort } = await names([server]);
  const of = async (name: string) => dataOf(await overUdp(udpPort, question(`${name}.default.svc.cluster.local`)));
  expect(await of("out")).toEqual(["db.example.com", "192.0.2.1"]);
  expect(await of("in")).toEqual(["dual.default.svc.cluster.local", "10.96.0.20"]);
  expect((await of("round")).length).toBeLessThan(12);
});

it("does as it is configured: stub zones, hosts, other names", async () => {
  const node = await upstream(address("192.0.2.1"));
  const corp = await upstream(address("192.0.2.2"));
  const { udpPort } = await names(
    [node.server],
    `.:53 {
      rewrite name exact old.example.com dual.default.svc.cluster.local
      hosts { # of our own
        198.51.100.7 db.corp
        fallthrough
      }
      kubernetes cluster.local { 
        ttl 7
      }
      forward . /etc/resolv.conf
    }
    corp.example:53 {
      forward . 127.0.0.1:${corp.server.port}
    }`,
  );
  const of = async (name: string) => dataOf(await overUdp(udpPort, question(name)));
  expect(await of("www.example.com")).toEqual(["192.0.2.1"]);
  expect(await of("www.corp.example")).toEqual(["192.0.2.2"]);
  expect(await of("db.corp")).toEqual(["198.51.100.7"]);
  const renamed = await overUdp(udpPort, question("old.example.com"));
  expect(renamed.answers).toMatchObject([{ name: "old.example.com", ttl: 7, data: "10.96.0.20" }]);
});

it("says what it does not understand, and refuses braces that do not match", () => {
  const { notUnderstood } = parseCorefile(
    ".:53 {\n template IN A\n forward . tls://1.1.1.1\n rewrite name regex a b\n}\n",
  );
  expect(notUnderstood).toEqual(["template IN A", "forward . tls://1.1.1.1", "rewrite name regex a b"]);
  for (const text of [".:53 {", "}", "{"]) expect(() => parseCorefile(text)).toThrow(SyntaxError);
});
