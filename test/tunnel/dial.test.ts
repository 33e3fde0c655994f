import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import WebSocket, { WebSocketServer } from "ws";
import { serveDial } from "../../agent/dial/index.ts";
import { Tunnel } from "../../agent/tunnel/index.ts";
import type { DialTarget } from "../../shared/tunnel/index.ts";
import { type StandIn, startStandIn } from "./stand-in-control-plane.ts";

/** An agent dials nothing at loopback addresses. */
const ADDRESS = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === "IPv4" && !each.internal)!.address;

let controlPlane: StandIn;
let tunnel: Tunnel;
let plain: Server;
let secure: Server;
let mute: TcpServer;
const dir = mkdtempSync(join(tmpdir(), "hearth-dial-"));
let ca: string;
let aborted = 0;

const serve: RequestListener = async (request, response) => {
  switch (new URL(request.url!, "http://x").pathname) {
    case "/zipped":
      return void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("zipped"));
    case "/cookies":
      return void response
        .writeHead(200, { "set-cookie": ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "b=2"] })
        .end();
    case "/redirect":
      return void response.writeHead(302, { location: "/elsewhere" }).end();
    case "/never": {
      const ticks = setInterval(() => response.write("tick"), 50);
      response.once("close", () => {
        clearInterval(ticks);
        aborted++;
      });
      return void response.writeHead(200).write("first");
    }
    case "/status-999":
      return void response.writeHead(999).end();
    case "/long-header":
      return void response.writeHead(200, { "x-long": "x".repeat(20_000) }).end();
    case "/many-headers":
      return void response.writeHead(200, Object.fromEntries(manyHeaders)).end();
    case "/cut":
      response.writeHead(200, { "content-length": "100" }).write("half");
      return void setTimeout(() => response.destroy(), 50);
    default:
      response.writeHead(200, { "x-served": "yes", connection: "close" });
      response.end(JSON.stringify({ ...pick(request), body: await textOf(request) }));
  }
};
const manyHeaders = Array.from({ length: 12 }, (_, n) => [`x-${n}`, '"'.repeat(3_500)]);
const pick = ({ method, url, headers }: IncomingMessage) => ({ method, url, headers });

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

const listening = <S extends TcpServer>(server: S) =>
  new Promise<S>((resolve) => server.listen(0, ADDRESS, () => resolve(server)));
const portOf = (server: TcpServer) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
  const subject = ["-subj", "/CN=hook", "-addext", "subjectAltName=DNS:hook.shop.svc"];
  execFileSync(
    "openssl",
    [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-keyout",
      key,
      "-out",
      cert,
      ...subject,
    ],
    { stdio: "ignore" },
  );
  ca = readFileSync(cert, "utf8");
  plain = await listening(createServer(serve));
  secure = await listening(createTlsServer({ key: readFileSync(key), cert: ca }, serve));
  mute = await listening(createTcpServer((socket) => void socket.once("data", () => socket.destroy())));
  const sockets = new WebSocketServer({
    server: plain,
    handleProtocols: (offered) => [...offered].at(-1)!,
    verifyClient: ({ req }, decide) => decide(req.url !== "/refused", 403, "no sockets here"),
  });
  sockets.on("connection", (socket, request) => {
    socket.send(`${request.url} ${request.headers.cookie}`);
    socket.on("message", (data, isBinary) => {
      if (String(data) === "bye") socket.close(4001, "good bye");
      else socket.send(data, { binary: isBinary });
    });
    socket.on("close", (code, reason) => closes.push(`${code} ${String(reason)}`));
  });
  controlPlane = await startStandIn();
  const onStream = (stream: Parameters<typeof serveDial>[0]) => void serveDial(stream);
  tunnel = new Tunnel({ endpoint: controlPlane.endpoint, credential: "n1", agentVersion: "test", onStream });
  tunnel.start();
  await new Promise<void>((resolve) => tunnel.onConnected(resolve));
});
const closes: string[] = [];

afterAll(async () => {
  await tunnel?.stop();
  await controlPlane?.stop();
  for (const server of [plain, secure, mute]) server?.close();
  rmSync(dir, { recursive: true, force: true });
});

const targetHeader = (target: Partial<DialTarget>) => ({
  "x-hearth-target": JSON.stringify({ scheme: "http", address: ADDRESS, port: portOf(plain), ...target }),
});
const ask = (
  path: string,
  {
    target = {},
    headers = {},
    ...init
  }: RequestInit & { target?: Partial<DialTarget>; headers?: Record<string, string> } = {},
) =>
  fetch(`${controlPlane.endpoint}/dial/n1${path}`, {
    ...init,
    redirect: "manual",
    headers: { ...headers, ...targetHeader(target) },
  });

describe("a server that the node can reach", () => {
  it("gets the request as it is, and its answer comes back", async () => {
    const answer = await ask("/a%2Fb?x=1", {
      target: { host: "api.example" },
      headers: { cookie: "a=b", "x-own": "1" },
    });
    expect([answer.status, answer.headers.get("x-served")]).toEqual([200, "yes"]);
    const seen = await answer.json();
    expect(seen).toMatchObject({
      method: "GET",
      url: "/a%2Fb?x=1",
      headers: { host: "api.example", cookie: "a=b", "x-own": "1" },
      body: "",
    });
    expect(seen).not.toHaveProperty("headers.x-hearth-target");
    expect(seen).not.toHaveProperty("headers.transfer-encoding");
  });

  it.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("gets the body of a %s", async (method) => {
    const body = "x".repeat(method === "POST" ? 700_000 : 3);
    expect(await (await ask("/", { method, body })).json()).toMatchObject({ method, body });
  });

  it("has its redirects, cookies and encodings passed on untouched", async () => {
    const redirect = await ask("/redirect");
    expect([redirect.status, redirect.headers.get("location")]).toEqual([302, "/elsewhere"]);
    expect((await ask("/cookies")).headers.getSetCookie()).toHaveLength(2);
    const zipped = await ask("/zipped");
    expect(zipped.headers.get("x-hearth-content-encoding")).toBe("gzip");
    expect(Buffer.from(await zipped.arrayBuffer())).toEqual(gzipSync("zipped"));
  });

  it("learns that its client has gone, by the next that it sends", async () => {
    const abort = new AbortController();
    const answer = await ask("/never", { signal: abort.signal });
    const reader = answer.body!.getReader();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe("first");
    abort.abort();
    await expect.poll(() => aborted).toBe(1);
    await expect.poll(() => tunnel.mux.streamCount).toBe(0);
  });

  it("that breaks off is not taken for one that has ended", async () => {
    const answer = await ask("/cut");
    await expect(answer.text()).rejects.toThrow();
  });

  it.each(["/status-999", "/long-header", "/many-headers"])(
    "that answers what the tunnel does not carry does no harm to other streams: %s",
    async (path) => {
      const other = await ask("/never");
      expect((await ask(path)).status).toBe(503);
      expect(tunnel.isConnected).toBe(true);
      await other.body!.cancel();
    },
  );

  it("is not asked with headers that the tunnel does not carry, which do no harm either", async () => {
    const headers = { "x-long": "x".repeat(20_000) };
    expect((await ask("/", { headers })).status).toBe(503);
    expect(tunnel.isConnected).toBe(true);
  });

  it.each([
    { what: "whoever it is", tls: undefined, code: 200 },
    { what: "as the one named, vouched for by its CA", tls: () => ({ ca, serverName: "hook.shop.svc" }), code: 200 },
    { what: "not under another name", tls: () => ({ ca, serverName: "other.shop.svc" }), code: 503 },
    { what: "not without its CA", tls: () => ({ ca: "", serverName: "hook.shop.svc" }), code: 503 },
  ])("is spoken to over TLS $what", async ({ tls, code }) => {
    const target = { scheme: "https", port: portOf(secure), ...(tls ? { tls: tls() } : {}) } as const;
    expect((await ask("/", { target })).status).toBe(code);
  });
});

describe("what cannot be reached is a 503 that says why", () => {
  it.each([
    {
      why: "nothing listens",
      target: () => ({ port: 1 }),
      message: (): string => `dial tcp ${ADDRESS}:1: connect: connection refused`,
    },
    { why: "it hangs up", target: () => ({ port: portOf(mute) }), message: (): string => "EOF" },
    {
      why: "it speaks no TLS",
      target: () => ({ scheme: "https" as const }),
      message: (): string => "tls: first record does not look like a TLS handshake",
    },
    {
      why: "the agent's own loopback",
      target: () => ({ address: "127.0.0.1" }),
      message: (): string => `dial tcp 127.0.0.1:${portOf(plain)}: address not allowed`,
    },
    {
      why: "a cloud's metadata",
      target: () => ({ address: "169.254.169.254", port: 80 }),
      message: (): string => "dial tcp 169.254.169.254:80: address not allowed",
    },
  ])("$why", async ({ target, message }) => {
    const answer = await ask("/", { target: target() });
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({
      reason: "ServiceUnavailable",
      message: `error trying to reach service: ${message()}`,
    });
  });
});

describe("a WebSocket", () => {
  const open = (path: string) =>
    new WebSocket(`${controlPlane.endpoint.replace("http", "ws")}/dial/n1${path}`, ["app.v1", "app.v2"], {
      headers: { cookie: "a=b", ...targetHeader({}) },
    });

  it("carries text and bytes both ways, and the server's close", async () => {
    const socket = open("/ws?x=1");
    const seen: string[] = [];
    await new Promise<void>((resolve, reject) => {
      socket.on("error", reject);
      socket.on("open", () => {
        for (const data of ["grüße", Buffer.from([0, 255]), "x".repeat(500_000), "bye"]) socket.send(data);
      });
      socket.on("message", (data, isBinary) => seen.push(`${isBinary} ${(data as Buffer).byteLength}`));
      socket.on("close", (code, reason) => resolve(void seen.push(`${code} ${String(reason)}`)));
    });
    expect(socket.protocol).toBe("app.v2");
    expect(seen).toEqual([`false ${"/ws?x=1 a=b".length}`, "false 7", "true 2", "false 500000", "4001 good bye"]);
  });

  it("tells the server with which code its client closed", async () => {
    const socket = open("/ws");
    await new Promise((resolve) => socket.once("message", resolve));
    socket.close(4002, "enough");
    await expect.poll(() => closes).toContain("4002 enough");
    await expect.poll(() => tunnel.mux.streamCount).toBe(0);
  });

  it("that the server refuses gets the server's answer", async () => {
    const socket = open("/refused");
    socket.on("error", () => {});
    const answer = await new Promise<IncomingMessage>((resolve) =>
      socket.once("unexpected-response", (_request, response) => resolve(response)),
    );
    expect([answer.statusCode, await textOf(answer)]).toEqual([403, "no sockets here"]);
    socket.terminate();
  });
});
