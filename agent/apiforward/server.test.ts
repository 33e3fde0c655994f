import { readFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { request as httpsRequest } from "node:https";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import WebSocket from "ws";
import {
  answerStream,
  decodeSocketEvent,
  encodeMessage,
  encodeSocketEvent,
  MessageDecoder,
  Multiplexer,
  TunnelError,
  type TunnelStream,
} from "../../shared/tunnel/index.ts";
import { Places } from "./places.ts";
import { type ApiServer, openApiServer } from "./server.ts";

// The node's server in front of a control plane that shows what it got: the two ends of a tunnel, without the network.

const pem = (name: string) => readFileSync(join(import.meta.dirname, "../../cli/embedded/testdata", name), "utf8");
const CA = pem("ca.crt");
const LARGE_BYTES = 4 * 1024 * 1024;

let agent: Multiplexer;
let gateway: Multiplexer;
let answer: (stream: TunnelStream) => void;
let isAway = false;
let server: ApiServer;

function connectTunnel(): void {
  agent = new Multiplexer({
    side: "agent",
    send: (bytes) => queueMicrotask(() => gateway.receive(bytes)),
    onStream: () => {},
  });
  gateway = new Multiplexer({
    side: "gateway",
    send: (bytes) => queueMicrotask(() => agent.receive(bytes)),
    onStream: (stream) => answer(stream),
  });
}

beforeAll(async () => {
  server = await openApiServer({
    host: "127.0.0.1",
    port: 0,
    pair: { keyPem: pem("server.key"), certificatePem: pem("server.crt") },
    places: new Places({ most: 6, mostPerSource: 4 }),
    mux: () => {
      if (isAway) throw new TunnelError("disconnected", "away");
      return agent;
    },
  });
});
afterAll(() => server.close());
beforeEach(() => {
  connectTunnel();
  isAway = false;
  answer = echo;
});

/** Answers with what it got. */
const echo = async (stream: TunnelStream) => {
  let bytes = 0;
  for await (const chunk of stream.readable as unknown as AsyncIterable<Uint8Array>) bytes += chunk.byteLength;
  const body = JSON.stringify({ ...stream.meta, bytes });
  await answerStream(stream, { status: 200, headers: { "content-type": "application/json" }, body });
};

interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: Buffer | Buffer[];
}
interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

const sendHttp1 = ({ method = "GET", path = "/", headers, body }: Sent) =>
  new Promise<Answer>((resolve, reject) => {
    const call = httpsRequest({ host: "127.0.0.1", port: server.port, method, path, headers, ca: CA }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () =>
        resolve({ status: response.statusCode!, headers: response.headers, text: String(Buffer.concat(chunks)) }),
      );
    });
    call.once("error", reject);
    for (const chunk of [body ?? []].flat()) call.write(chunk);
    call.end();
  });

async function sendHttp2({ method = "GET", path = "/", headers, body }: Sent): Promise<Answer> {
  const session = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: CA });
  try {
    return await new Promise((resolve, reject) => {
      session.once("error", reject);
      const stream = session.request(
        { ...headers, ":method": method, ":path": path },
        { endStream: body === undefined },
      );
      let head: Record<string, unknown> = {};
      const chunks: Buffer[] = [];
      stream.once("response", (fields) => {
        head = fields;
      });
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.once("error", reject);
      stream.once("close", () =>
        stream.rstCode === 0
          ? resolve({ status: Number(head[":status"]), headers: head, text: String(Buffer.concat(chunks)) })
          : reject(new Error(`reset with code ${stream.rstCode}`)),
      );
      if (body === undefined) return;
      for (const chunk of [body].flat()) stream.write(chunk);
      stream.end();
    });
  } finally {
    session.close();
  }
}

describe.each([
  { protocol: "HTTP/1.1", send: sendHttp1 },
  { protocol: "HTTP/2", send: sendHttp2 },
])("$protocol", ({ send }) => {
  const sendEcho = async (sent: Sent) =>
    JSON.parse((await send(sent)).text) as { kind: string; headers: Record<string, string>; bytes: number };

  it("passes a request on as its caller's", async () => {
    const got = await sendEcho({ path: "/api/v1/pods?watch=1&x=%20", headers: { authorization: "Bearer t" } });
    expect(got).toMatchObject({ kind: "forward", method: "GET", path: "/api/v1/pods?watch=1&x=%20", bytes: 0 });
    expect(got.headers).toMatchObject({ authorization: "Bearer t", host: `127.0.0.1:${server.port}` });
  });

  it("passes impersonation on, and nothing that only a front may say or that is of one hop", async () => {
    const { headers } = await sendEcho({
      headers: {
        "impersonate-user": "jane",
        "x-hearth-component": "network",
        "x-hearth-client-certificate": "a.b",
        "X-Remote-User": "root",
        "x-remote-group": "system:masters",
      },
    });
    expect(headers["impersonate-user"]).toBe("jane");
    expect(Object.keys(headers).filter((name) => /^(x-|connection|keep-alive|:)/.test(name))).toEqual([]);
  });

  it.each<{ name: string; headers: Record<string, string>; body: Buffer | Buffer[]; bytes: number }>([
    { name: "with a length", headers: { "content-length": "10" }, body: Buffer.alloc(10), bytes: 10 },
    { name: "in chunks", headers: {}, body: [Buffer.alloc(3), Buffer.alloc(5)], bytes: 8 },
    { name: "large", headers: {}, body: Buffer.alloc(LARGE_BYTES), bytes: LARGE_BYTES },
  ])("passes a body on: $name", async ({ headers, body, bytes }) =>
    expect(await sendEcho({ method: "POST", headers, body })).toMatchObject({ method: "POST", bytes }),
  );

  it("passes a large answer back whole, compressed as it is", async () => {
    const body = () => new Blob([new Uint8Array(LARGE_BYTES).fill(120)]).stream() as ReadableStream<Uint8Array>;
    answer = (stream) =>
      void answerStream(stream, { status: 200, headers: { "content-encoding": "gzip" }, body: body() });
    const { text, headers } = await send({ headers: { "accept-encoding": "gzip" } });
    expect(text.length).toBe(LARGE_BYTES);
    expect(headers["content-encoding"]).toBe("gzip");
  });

  it("gives an answer that comes before the body was read", async () => {
    answer = (stream) => void answerStream(stream, { status: 413, headers: {}, body: "too large" });
    const sent = { method: "POST", body: Buffer.alloc(LARGE_BYTES) };
    expect(await send(sent)).toMatchObject({ status: 413, text: "too large" });
  });

  it("passes an answer without a body back", async () => {
    answer = (stream) => void answerStream(stream, { status: 204, headers: {}, body: null });
    expect(await send({ method: "DELETE" })).toMatchObject({ status: 204, text: "" });
    answer = (stream) => void answerStream(stream, { status: 200, headers: { etag: "x" }, body: null });
    expect(await send({ method: "HEAD" })).toMatchObject({ status: 200, text: "" });
  });

  it("says 503 at once while the control plane is away, with when to try again", async () => {
    isAway = true;
    const { status, headers, text } = await send({ method: "POST", body: Buffer.from("{}") });
    expect([status, headers["retry-after"]]).toEqual([503, "1"]);
    expect(JSON.parse(text)).toMatchObject({ kind: "Status", reason: "ServiceUnavailable", code: 503 });
  });

  it.each([
    { method: "GET", status: 503, retryAfter: "1" },
    { method: "POST", status: 500, retryAfter: undefined },
  ])("a $method whose connection is lost under way is $status", async ({ method, status, retryAfter }) => {
    answer = () => agent.close("gone");
    const { headers, ...got } = await send({ method });
    expect([got.status, headers["retry-after"]]).toEqual([status, retryAfter]);
  });

  it("breaks an answer off that breaks in the middle", async () => {
    answer = (stream) => {
      stream.respond({ status: 200, headers: {} });
      const writer = stream.writable.getWriter();
      void writer.write(Buffer.from("half")).then(() => stream.reset("internal", "broken"));
    };
    await expect(send({})).rejects.toThrow();
  });

  it("refuses methods that the API does not have", async () =>
    expect(await send({ method: "PROPFIND" })).toMatchObject({ status: 405 }));

  it("refuses a head that the tunnel would not take, and the tunnel goes on", async () => {
    const path = `/${"a".repeat(15_000)}`;
    expect((await send({ path })).status).toBe(200);
    await expect(send({ headers: { authorization: "x".repeat(17_000) } }).then(({ status }) => status)).resolves.toBe(
      431,
    );
    expect((await send({})).status).toBe(200);
  });

  it("says 429 when one source has too many open, and serves again when they have ended", async () => {
    const held: TunnelStream[] = [];
    answer = (stream) => void held.push(stream);
    const waiting = Array.from({ length: 4 }, () => send({}));
    await expect.poll(() => held.length).toBe(4);
    const { status, headers, text } = await send({});
    expect([status, headers["retry-after"]]).toEqual([429, "1"]);
    expect(JSON.parse(text)).toMatchObject({ reason: "TooManyRequests" });
    for (const stream of held) void echo(stream);
    for (const each of await Promise.all(waiting)) expect(each.status).toBe(200);
    answer = echo;
    expect((await send({})).status).toBe(200);
  });
});

it("passes on each event of a watch at once, and ends it when its client goes", async () => {
  let watched: TunnelStream | undefined;
  answer = (stream) => {
    watched = stream;
    stream.respond({ status: 200, headers: { "content-type": "application/json" } });
  };
  const got: string[] = [];
  const session = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: CA });
  const client = session.request({ ":path": "/watch" });
  client.on("response", () => got.push("head"));
  client.on("data", (chunk: Buffer) => got.push(String(chunk)));
  client.on("error", () => {});
  await expect.poll(() => got).toEqual(["head"]);
  const writer = watched!.writable.getWriter();
  for (const event of ["one\n", "two\n"]) {
    await writer.write(Buffer.from(event));
    await expect.poll(() => got.at(-1)).toBe(event);
  }
  client.close();
  await watched!.closed;
  expect(agent.streamCount).toBe(0);
  session.close();
});

it("serves many streams of one HTTP/2 connection side by side", async () => {
  const session = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: CA });
  for (let round = 0; round < 10; round++) {
    const statuses = await Promise.all(
      Array.from({ length: 4 }, () => {
        const stream = session.request({ ":path": "/" });
        stream.resume();
        return new Promise((resolve) => stream.once("response", (fields) => resolve(fields[":status"])));
      }),
    );
    expect(statuses).toEqual([200, 200, 200, 200]);
    await expect.poll(() => agent.streamCount).toBe(0);
  }
  session.close();
});

describe("WebSockets", () => {
  const dial = () => new WebSocket(`wss://127.0.0.1:${server.port}/exec`, ["v5.channel.k8s.io"], { ca: CA });

  it("carry text, bytes and the close of both sides", async () => {
    answer = async (stream) => {
      expect(stream.meta.headers["upgrade"]).toBe("websocket");
      stream.respond({ status: 101, headers: { "sec-websocket-protocol": "v5.channel.k8s.io" } });
      const writer = stream.writable.getWriter();
      const decoder = new MessageDecoder();
      for await (const chunk of stream.readable as unknown as AsyncIterable<Uint8Array>) {
        for (const event of decoder.push(chunk).map(decodeSocketEvent)) {
          const back = event.type === "close" ? { type: "close" as const, code: 4001, reason: "bye" } : event;
          await writer.write(encodeMessage(encodeSocketEvent(back)));
        }
      }
    };
    const client = dial();
    const got: unknown[] = [];
    client.on("message", (data: Buffer, isBinary) => {
      got.push([String(data), isBinary]);
      if (got.length < 2) return;
      client.close(1000);
    });
    client.on("open", () => {
      client.send("text");
      client.send(Buffer.from("bytes"));
    });
    await new Promise((resolve) => client.on("close", resolve));
    expect(client.protocol).toBe("v5.channel.k8s.io");
    expect(got).toEqual([
      ["text", false],
      ["bytes", true],
    ]);
  });

  it("agree to the subprotocol of kubectl port-forward, which is no token", async () => {
    const protocol = "SPDY/3.1+portforward.k8s.io";
    answer = (stream) => {
      expect(stream.meta.headers["sec-websocket-protocol"]).toBe(protocol);
      stream.respond({ status: 101, headers: { "sec-websocket-protocol": protocol } });
    };
    const handshake = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
    const key = { "sec-websocket-key": Buffer.alloc(16).toString("base64"), "sec-websocket-protocol": protocol };
    const call = httpsRequest({
      ...{ host: "127.0.0.1", port: server.port, path: "/portforward", ca: CA },
      headers: { ...handshake, ...key },
    });
    call.end();
    const agreed = await new Promise((resolve, reject) => {
      call.once("error", reject);
      call.once("response", ({ statusCode }) => resolve(statusCode));
      call.once("upgrade", ({ headers }, socket) => {
        socket.destroy();
        resolve(headers["sec-websocket-protocol"]);
      });
    });
    expect(agreed).toBe(protocol);
  });

  it("end at the source when the client is gone without a word", async () => {
    const opened = Promise.withResolvers<TunnelStream>();
    answer = (stream) => {
      stream.respond({ status: 101, headers: { "sec-websocket-protocol": "v5.channel.k8s.io" } });
      opened.resolve(stream);
    };
    const client = dial();
    client.on("error", () => {});
    await new Promise((resolve) => client.on("open", resolve));
    client.terminate();
    await (await opened.promise).closed;
  });

  it.each([
    { name: "a Status", status: 403, body: '{"kind":"Status"}' },
    { name: "an ordinary answer", status: 200, body: "{}" },
  ])("that are answered with $name get it", async ({ status, body }) => {
    answer = (stream) => void answerStream(stream, { status, headers: {}, body });
    const client = dial();
    client.on("error", () => {});
    const text = await new Promise<string>((resolve) =>
      client.on("unexpected-response", (_call, response) => {
        let all = String(response.statusCode);
        response.on("data", (chunk) => {
          all += String(chunk);
        });
        response.on("end", () => resolve(all));
      }),
    );
    expect(text).toBe(`${status}${body}`);
    expect(agent.streamCount).toBe(0);
  });

  it("say 503 while the control plane is away", async () => {
    isAway = true;
    const client = dial();
    client.on("error", () => {});
    const status = await new Promise((resolve) =>
      client.on("unexpected-response", (_call, response) => resolve(response.statusCode)),
    );
    expect(status).toBe(503);
  });

  it("of other protocols are the API's to refuse", async () => {
    const { text } = await sendHttp1({ method: "POST", headers: { connection: "Upgrade", upgrade: "SPDY/3.1" } });
    expect(JSON.parse(text)).toMatchObject({ method: "POST", headers: { upgrade: "SPDY/3.1" } });
  });
});

it("lets nothing else through behind a request", async () => {
  const seen: string[] = [];
  answer = (stream) => {
    seen.push(stream.meta.path);
    void echo(stream);
  };
  const socket = connectTls({ port: server.port, host: "127.0.0.1", ca: CA });
  socket.write(
    "POST /a HTTP/1.1\r\nHost: k\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /b HTTP/1.1\r\n\r\n",
  );
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(seen).toEqual([]);
});
