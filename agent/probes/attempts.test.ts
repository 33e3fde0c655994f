import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aContainer } from "../../test/builders/kubelet.ts";
import { CriError } from "../cri/index.ts";
import { probeExec } from "./exec.ts";
import { probeHttp } from "./http.ts";
import { resolvePort } from "./prober.ts";
import { probeTcp } from "./tcp.ts";

let server: Server;
let port: number;
let refusedPort: number;

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === "/slow") return;
    if (request.url === "/header") response.statusCode = request.headers["x-token"] === "t" ? 200 : 401;
    else response.statusCode = Number(request.url!.slice(1));
    response.end("body");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
  const closed = createTcpServer();
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  refusedPort = (closed.address() as AddressInfo).port;
  await new Promise((resolve) => closed.close(resolve));
});
afterAll(() => void server.close());

const http = (path: string, to = port, headers: { name: string; value: string }[] = []) =>
  probeHttp({ scheme: "http", host: "127.0.0.1", port: to, path, headers }, 300);

describe("probeHttp", () => {
  it.each([200, 204, 302, 399])("%i is good", async (code) => expect((await http(`/${code}`)).ok).toBe(true));
  it.each([400, 503])("%i is not (PRB-05)", async (code) => {
    expect(await http(`/${code}`)).toEqual({ ok: false, message: `HTTP probe failed with statuscode: ${code}` });
  });
  it("sends its headers", async () =>
    expect((await http("/header", port, [{ name: "X-Token", value: "t" }])).ok).toBe(true));
  it("tells a refused connection in upstream's words (PRB-04)", async () => {
    expect((await http("ready", refusedPort)).message).toBe(
      `Get "http://127.0.0.1:${refusedPort}/ready": dial tcp 127.0.0.1:${refusedPort}: connect: connection refused`,
    );
  });
  it("does not wait longer than its timeout", async () => {
    expect((await http("/slow")).message).toBe(
      `Get "http://127.0.0.1:${port}/slow": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    );
  });
});

describe("probeTcp", () => {
  it("is good when it is accepted", async () => expect((await probeTcp("127.0.0.1", port, 300)).ok).toBe(true));
  it("is not when it is refused", async () => {
    expect(await probeTcp("127.0.0.1", refusedPort, 300)).toEqual({
      ok: false,
      message: `dial tcp 127.0.0.1:${refusedPort}: connect: connection refused`,
    });
  });
});

describe("probeExec", () => {
  const cri = (answer: { exitCode: number } | Error) => ({
    execSync: async () => {
      if (answer instanceof Error) throw answer;
      return { ...answer, stdout: Buffer.from("out "), stderr: Buffer.from("err") };
    },
  });
  it.each([
    { name: "0", answer: { exitCode: 0 }, want: { ok: true, message: "" } },
    { name: "another code", answer: { exitCode: 1 }, want: { ok: false, message: "out err" } },
    {
      name: "too slow",
      answer: new CriError("DeadlineExceeded", "ExecSync", "timeout"),
      want: { ok: false, message: 'command timed out: "a b" timed out after 1s' },
    },
  ])("$name", async ({ answer, want }) => expect(await probeExec(cri(answer), "id", ["a", "b"], 1)).toEqual(want));
});

describe("resolvePort", () => {
  const container = aContainer("main", { ports: [{ name: "web", containerPort: 8080 }] });
  it.each([
    [80, 80],
    ["81", 81],
    ["web", 8080],
  ])("%s is %i", (given, want) => expect(resolvePort(container, given)).toBe(want));
  it("refuses an unknown name", () =>
    expect(() => resolvePort(container, "none")).toThrow('couldn\'t find port: "none"'));
});
