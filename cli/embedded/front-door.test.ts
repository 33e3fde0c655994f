import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FrontDoor, openFrontDoor } from "./front-door.ts";

const pem = (name: string) => readFileSync(join(import.meta.dirname, "testdata", name), "utf8");
const CA = pem("ca.crt");
const LARGE_BYTES = 4 * 1024 * 1024;

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

let dir: string;
let socketPath: string;
let upstream: Server;
let handler: Handler;
let door: FrontDoor;
let port: number;

const listen = () => new Promise<void>((resolve) => upstream.listen(socketPath, resolve));

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "door-"));
  socketPath = join(dir, "up.sock");
  upstream = createServer((req, res) => handler(req, res));
  await listen();
  port = await freePort();
  door = await openFrontDoor({
    port,
    upstreamSocket: socketPath,
    certificate: { keyPem: pem("server.key"), chainPem: pem("server.crt") },
    caPem: CA,
    cluster: "home",
    rootSecret: "secret",
  });
});

afterAll(async () => {
  await door.close();
  upstream.closeAllConnections();
  upstream.close();
  rmSync(dir, { recursive: true, force: true });
});

beforeEach(() => {
  handler = echo;
});

/** Answers with what it got. */
const echo: Handler = async (req, res) => {
  let bytes = 0;
  for await (const chunk of req) bytes += (chunk as Buffer).length;
  const text = JSON.stringify({ method: req.method, url: req.url, headers: req.headers, bytes });
  res.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  res.end(req.method === "HEAD" ? undefined : text);
};

interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: Buffer | Buffer[];
  certificate?: boolean;
}

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

interface Echo {
  method: string;
  url: string;
  headers: Record<string, string>;
  bytes: number;
}

function sendHttp1({ method = "GET", path = "/", headers, body, certificate }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const identity = certificate ? { cert: pem("client.crt"), key: pem("client.key") } : {};
    const call = request({ host: "127.0.0.1", port, method, path, headers, ca: CA, ...identity }, (res) => {
      const chunks: Buffer[] = [];
      res.on("data", (chunk: Buffer) => chunks.push(chunk));
      res.once("error", reject);
      res.once("end", () =>
        resolve({ status: res.statusCode!, headers: res.headers, text: Buffer.concat(chunks).toString() }),
      );
    });
    call.once("error", reject);
    for (const chunk of [body ?? []].flat()) call.write(chunk);
    call.end();
  });
}

async function sendHttp2({ method = "GET", path = "/", headers, body, certificate }: Sent): Promise<Answer> {
  const session = openSession(certificate);
  try {
    return await new Promise((resolve, reject) => {
      session.once("error", reject);
      const hasBody = body !== undefined;
      const stream = session.request({ ...headers, ":method": method, ":path": path }, { endStream: !hasBody });
      let status = 0;
      let answered: Record<string, unknown> = {};
      const chunks: Buffer[] = [];
      stream.once("response", (fields) => {
        status = fields[":status"]!;
        answered = fields;
      });
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.once("close", () => {
        if (stream.rstCode === 0) resolve({ status, headers: answered, text: Buffer.concat(chunks).toString() });
        else reject(new Error(`reset with code ${stream.rstCode}`));
      });
      stream.once("error", reject);
      if (!hasBody) return;
      for (const chunk of [body].flat()) stream.write(chunk);
      stream.end();
    });
  } finally {
    session.close();
  }
}

function openSession(certificate = false): ClientHttp2Session {
  const identity = certificate ? { cert: pem("client.crt"), key: pem("client.key") } : {};
  return connectHttp2(`https://127.0.0.1:${port}`, { ca: CA, ...identity });
}

describe.each([
  { protocol: "HTTP/1.1", send: sendHttp1 },
  { protocol: "HTTP/2", send: sendHttp2 },
])("$protocol", ({ send }) => {
  const sendEcho = async (sent: Sent) => JSON.parse((await send(sent)).text) as Echo;

  it("passes method, path, query and headers on", async () => {
    const got = await sendEcho({ path: "/api/v1/pods?watch=true&x=%20", headers: { authorization: "Bearer t" } });
    expect(got).toMatchObject({ method: "GET", url: "/api/v1/pods?watch=true&x=%20", bytes: 0 });
    expect(got.headers).toMatchObject({ authorization: "Bearer t", host: `127.0.0.1:${port}` });
  });

  it("passes on escaped what workerd refuses in a target", async () => {
    const { url } = await sendEcho({ path: '/api/v1/x`y?labelSelector=a>1,b<"2"\\|{}^&c=%zz' });
    expect(url).toBe("/api/v1/x%60y?labelSelector=a%3E1,b%3C%222%22%5C%7C%7B%7D%5E&c=%zz");
  });

  it("refuses methods that the API does not have", async () => {
    const { status, text } = await send({ method: "PROPFIND" });
    expect(status).toBe(405);
    expect(JSON.parse(text)).toMatchObject({ kind: "Status", reason: "MethodNotAllowed", code: 405 });
  });

  it("leaves a connection that the other side closes after its answer", async () => {
    handler = (_req, res) => res.writeHead(400, { connection: "close" }).end();
    for (let i = 0; i < 20; i++) expect((await send({ method: "POST", body: Buffer.from("{}") })).status).toBe(400);
  });

  it("serves many requests on kept connections", async () => {
    for (let i = 0; i < 20; i++) expect((await sendEcho({ path: `/${i}` })).url).toBe(`/${i}`);
  });

  it.each<{ name: string; headers: Record<string, string>; body: Buffer | Buffer[]; bytes: number }>([
    { name: "with a length", headers: { "content-length": "10" }, body: Buffer.alloc(10), bytes: 10 },
    { name: "in chunks", headers: {}, body: [Buffer.alloc(3), Buffer.alloc(5)], bytes: 8 },
    { name: "large", headers: {}, body: Buffer.alloc(LARGE_BYTES), bytes: LARGE_BYTES },
  ])("passes a body on: $name", async ({ headers, body, bytes }) => {
    expect(await sendEcho({ method: "POST", headers, body })).toMatchObject({ method: "POST", bytes });
  });

  it("passes an answer on that comes before the body was read", async () => {
    handler = (_req, res) => res.writeHead(413).end("too large");
    const body = Buffer.alloc(LARGE_BYTES);
    expect(await send({ method: "POST", headers: { "content-length": String(LARGE_BYTES) }, body })).toMatchObject({
      status: 413,
      text: "too large",
    });
    handler = echo;
    expect((await sendEcho({})).method).toBe("GET");
  });

  it.each([
    { name: "in chunks", head: {} },
    { name: "with a length", head: { "content-length": LARGE_BYTES } },
  ])("passes a large answer back whole: $name", async ({ head }) => {
    handler = (_req, res) => res.writeHead(200, head).end(Buffer.alloc(LARGE_BYTES, "x"));
    const { text } = await send({});
    expect(text.length).toBe(LARGE_BYTES);
  });

  it.each([
    { name: "no content", method: "DELETE", status: 204 },
    { name: "not modified", method: "GET", status: 304 },
    { name: "the head alone", method: "HEAD", status: 200 },
  ])("passes an answer without a body back: $name", async ({ method, status }) => {
    handler = (_req, res) => res.writeHead(status, status === 200 ? { "content-length": 12 } : {}).end();
    expect(await send({ method })).toMatchObject({ status, text: "" });
    handler = echo;
    expect((await sendEcho({})).method).toBe("GET"); // and the connection is still in order
  });

  it("keeps repeated headers apart", async () => {
    handler = (_req, res) => res.writeHead(200, ["Warning", '299 - "a"', "Warning", '299 - "b"']).end();
    expect(String((await send({})).headers["warning"])).toMatch(/299 - "a", ?299 - "b"/);
  });

  it("drops headers that only the front door may send", async () => {
    const { headers } = await sendEcho({ headers: { "x-hearth-client-certificate": "forged" } });
    expect(headers).not.toHaveProperty("x-hearth-client-certificate");
  });

  it("vouches for a client certificate of our CA", async () => {
    const { headers } = await sendEcho({ certificate: true });
    const [payload] = headers["x-hearth-client-certificate"]!.split(".");
    expect(JSON.parse(Buffer.from(payload!, "base64url").toString())).toMatchObject({
      cluster: "home",
      cn: "jane",
      o: ["dev", "ops"],
    });
  });

  it("says that it starts again while nobody listens", async () => {
    upstream.closeAllConnections();
    await new Promise((resolve) => upstream.close(resolve));
    try {
      const post = () => send({ method: "POST", body: Buffer.from("{}") });
      await expect.poll(async () => (await post()).status).toBe(503); // until the kept connections are seen to be closed
      const { headers, text } = await post();
      expect(headers["retry-after"]).toBe("1");
      expect(JSON.parse(text)).toMatchObject({ kind: "Status", reason: "ServiceUnavailable", code: 503 });
    } finally {
      await listen();
    }
  });

  it("does not invite to repeat a write that may have been carried out", async () => {
    handler = (req) => req.socket.destroy();
    const { status, headers } = await send({ method: "POST", body: Buffer.from("{}") });
    expect(status).toBe(500);
    expect(headers).not.toHaveProperty("retry-after");
  });
});

it("refuses to be a proxy over HTTP/1.1", async () => {
  const socket = connectTls({ port, host: "127.0.0.1", ca: CA, ALPNProtocols: ["http/1.1"] });
  socket.write("CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n");
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  expect(text).toMatch(/^HTTP\/1\.1 405 .*"reason":"MethodNotAllowed"/s);
});

describe("streams", () => {
  it.each(["HTTP/1.1", "HTTP/2"])(
    "pass on each event at once over %s, and end when the client goes",
    async (protocol) => {
      let gone = false;
      let events: ServerResponse | undefined;
      handler = (_req, res) => {
        events = res;
        res.writeHead(200, { "content-type": "application/json" });
        res.flushHeaders();
        res.on("close", () => {
          gone = true;
        });
      };
      const received: string[] = [];
      let leave: () => void;
      if (protocol === "HTTP/2") {
        const session = openSession();
        const stream = session.request({ ":path": "/watch" });
        stream.on("response", () => received.push("head"));
        stream.on("data", (chunk: Buffer) => received.push(chunk.toString()));
        stream.on("error", () => undefined);
        leave = () => {
          stream.close();
          session.close();
        };
      } else {
        const call = request({ host: "127.0.0.1", port, path: "/watch", ca: CA, agent: false }, (res) => {
          received.push("head");
          res.on("data", (chunk: Buffer) => received.push(chunk.toString()));
          res.on("error", () => undefined);
        });
        call.on("error", () => undefined);
        call.end();
        leave = () => call.destroy();
      }
      await expect.poll(() => received).toEqual(["head"]);
      for (const event of ["one\n", "two\n"]) {
        events!.write(event);
        await expect.poll(() => received.at(-1)).toBe(event);
      }
      leave();
      await expect.poll(() => gone).toBe(true);
    },
  );

  it("that break in the middle break at the client too", async () => {
    handler = (_req, res) => {
      res.writeHead(200);
      res.write("half", () => res.socket!.destroy());
    };
    await expect(sendHttp1({})).rejects.toThrow();
    await expect(sendHttp2({})).rejects.toThrow();
  });
});

describe("upgrades", () => {
  const upgrade = () =>
    new Promise<{ status: number; answer: string }>((resolve, reject) => {
      const call = request({
        host: "127.0.0.1",
        port,
        path: "/exec",
        ca: CA,
        headers: {
          ...{ connection: "Upgrade", upgrade: "websocket", "sec-websocket-key": "k" },
          "x-hearth-client-address": "203.0.113.1",
        },
      });
      call.once("upgrade", (res, socket) => {
        socket.once("data", (bytes: Buffer) => {
          socket.destroy();
          resolve({ status: res.statusCode!, answer: bytes.toString() });
        });
        socket.write("ping");
      });
      call.once("response", (res) => {
        res.resume();
        resolve({ status: res.statusCode!, answer: "" });
      });
      call.once("error", reject);
      call.end();
    });

  it("pass bytes both ways, and say whose they are, whatever the client says", async () => {
    upstream.once("upgrade", (req, socket) => {
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${req.headers.upgrade}\r\n\r\n`,
      );
      const { "sec-websocket-key": key, "x-hearth-client-address": from } = req.headers;
      socket.on("data", (bytes: Buffer) => socket.write(`${key}:${bytes} from ${from}`));
      socket.on("error", () => undefined);
    });
    expect(await upgrade()).toEqual({ status: 101, answer: "k:ping from 127.0.0.1" });
  });

  it("that are refused are answered", async () => {
    upstream.once("upgrade", (_req, socket) => {
      socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    });
    expect((await upgrade()).status).toBe(403);
  });

  it("that are refused let nothing else through", async () => {
    const seen: string[] = [];
    const received = new Promise<void>((resolve) => {
      upstream.once("upgrade", (_req, socket, head) => {
        seen.push(head.toString());
        socket.on("data", (bytes: Buffer) => seen.push(bytes.toString()));
        // Kept open, as workerd keeps it for the next request.
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno", () => setTimeout(resolve, 50));
        socket.on("error", () => undefined);
      });
    });
    const socket = connectTls({ host: "127.0.0.1", port, ca: CA });
    socket.write("GET /a HTTP/1.1\r\nHost: k\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
    socket.write("GET /smuggled HTTP/1.1\r\nHost: k\r\nX-Hearth-Client-Certificate: a.b\r\n\r\n");
    let answer = "";
    socket.on("data", (bytes: Buffer) => {
      answer += bytes.toString();
    });
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    await received;
    await closed;
    expect(seen.join("")).toBe("");
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno$/);
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createTcpServer().listen(0, "127.0.0.1", () => {
      const { port: free } = server.address() as AddressInfo;
      server.close(() => resolve(free));
    });
  });
}
