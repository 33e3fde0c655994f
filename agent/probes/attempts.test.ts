import { createServer, type Server } from "node:http";
import type { AddressInfo, Server as TcpServer } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { Server as GrpcServer, ServerCredentials } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aContainer } from "../../test/builders/kubelet.ts";
import { CriError } from "../cri/index.ts";
import { probeExec } from "./exec.ts";
import { probeGrpc } from "./grpc.ts";
import { probeHttp } from "./http.ts";
import { resolvePort } from "./port.ts";
import { describeOutcome } from "./prober.ts";
import { probeTcp } from "./tcp.ts";

let server: Server;
let rude: ReturnType<typeof createTcpServer>;
let port: number;
let rudePort: number;
let refusedPort: number;

const listen = async (of: TcpServer) => {
  await new Promise<void>((resolve) => of.listen(0, "127.0.0.1", resolve));
  return (of.address() as AddressInfo).port;
};

beforeAll(async () => {
  server = createServer((request, response) => {
    const { url = "", headers } = request;
    if (url === "/slow") return;
    if (url === "/header") response.statusCode = headers["x-token"] === "t" ? 200 : 401;
    else if (url === "/echo") response.statusCode = JSON.stringify(headers).includes("wanted.example") ? 200 : 400;
    else if (url === "/agent") response.statusCode = headers["user-agent"] === "kube-probe/1.36" ? 200 : 400;
    else if (url === "/accept") response.statusCode = headers.accept === undefined ? 200 : 400;
    else if (url === "/here") response.writeHead(302, { location: "/503" });
    else if (url === "/away") response.writeHead(302, { location: "http://elsewhere.example/" });
    else if (url === "/round") response.writeHead(302, { location: "/round" });
    else response.statusCode = Number(url.slice(1));
    response.end("body");
  });
  port = await listen(server);
  rude = createTcpServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (data) => (String(data).includes("/bye") ? socket.end() : socket.end("SSH-2.0-x\r\n")));
  });
  rudePort = await listen(rude);
  const closed = createTcpServer();
  refusedPort = await listen(closed);
  await new Promise((resolve) => closed.close(resolve));
});
afterAll(() => {
  server.close();
  rude.close();
});

const container = aContainer("main", { ports: [{ name: "web", containerPort: 8080 }] });
const http = (path: string, action: Partial<Parameters<typeof probeHttp>[0]> = {}, timeoutMs = 10_000) =>
  probeHttp({ path, port, ...action }, { container, host: "127.0.0.1", timeoutMs });

describe("probeHttp", () => {
  it.each([200, 204, 304, 399])("%i is good", async (code) => expect((await http(`/${code}`)).ok).toBe(true));
  it.each([400, 503])("%i is not (PRB-05)", async (code) => {
    expect(await http(`/${code}`)).toEqual({ ok: false, message: `HTTP probe failed with statuscode: ${code}` });
  });
  it("sends its headers", async () =>
    expect((await http("/header", { httpHeaders: [{ name: "X-Token", value: "t" }] })).ok).toBe(true));
  it("sends the Host that it is given", async () =>
    expect((await http("/echo", { httpHeaders: [{ name: "Host", value: "wanted.example" }] })).ok).toBe(true));
  it("says who it is", async () => expect((await http("/agent")).ok).toBe(true));
  it("sends no Accept if that is given as empty", async () =>
    expect((await http("/accept", { httpHeaders: [{ name: "Accept", value: "" }] })).ok).toBe(true));
  it("follows a redirect within the host", async () =>
    expect((await http("/here")).message).toBe("HTTP probe failed with statuscode: 503"));
  it("takes a redirect to another host for good, with a warning", async () =>
    expect(await http("/away")).toEqual({ ok: true, message: "Probe terminated redirects, Response body: body" }));
  it("does not go round in circles", async () =>
    expect((await http("/round")).message).toBe(`Get "http://127.0.0.1:${port}/round": stopped after 10 redirects`));
  it("tells a refused connection in upstream's words (PRB-04)", async () => {
    expect((await http("ready", { port: refusedPort })).message).toBe(
      `Get "http://127.0.0.1:${refusedPort}/ready": dial tcp 127.0.0.1:${refusedPort}: connect: connection refused`,
    );
  });
  it("does not wait longer than its timeout", async () => {
    expect((await http("/slow", {}, 300)).message).toBe(
      `Get "http://127.0.0.1:${port}/slow": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    );
  });
  it("tells a server that hangs up", async () =>
    expect((await http("/bye", { port: rudePort })).message).toBe(`Get "http://127.0.0.1:${rudePort}/bye": EOF`));
  it("tells a server that does not speak HTTP", async () =>
    expect((await http("/x", { port: rudePort })).message).toBe(
      `Get "http://127.0.0.1:${rudePort}/x": net/http: HTTP/1.x transport connection broken: malformed HTTP response "SSH-2.0-x"`,
    ));
  it("tells a server that does not speak TLS", async () =>
    expect((await http("/200", { scheme: "HTTPS" })).message).toBe(
      `Get "https://127.0.0.1:${port}/200": http: server gave HTTP response to HTTPS client`,
    ));
  it("cannot be made with a port that has no number", async () =>
    await expect(http("/200", { port: "none" })).rejects.toThrow('strconv.Atoi: parsing "none": invalid syntax'));
});

describe("describeOutcome", () => {
  it.each([
    { name: "a good one is not told", outcome: { ok: true, message: "" }, want: undefined },
    {
      name: "a failure",
      outcome: { ok: false, message: "no" },
      want: { reason: "Unhealthy", message: "Liveness probe failed: no" },
    },
    {
      name: "a flaw",
      outcome: { ok: true, message: "hm" },
      want: { reason: "ProbeWarning", message: "Liveness probe warning: hm" },
    },
    {
      name: "one that could not be made",
      outcome: new Error("why"),
      want: { reason: "Unhealthy", message: "Liveness probe errored and resulted in unknown state: why" },
    },
  ])("$name", ({ outcome, want }) => expect(describeOutcome("liveness", outcome)).toEqual(want));
});

describe("probeGrpc", () => {
  const definition = {
    Check: {
      path: "/grpc.health.v1.Health/Check",
      requestStream: false,
      responseStream: false,
      requestSerialize: (b: Buffer) => b,
      requestDeserialize: (b: Buffer) => b,
      responseSerialize: (b: Buffer) => b,
      responseDeserialize: (b: Buffer) => b,
    },
  };
  const health = new GrpcServer();
  let grpcPort = 0;
  beforeAll(async () => {
    health.addService(definition, {
      Check({ request }: { request: Buffer }, answer: (error: object | null, value?: Buffer) => void) {
        const service = request.subarray(2).toString();
        if (service === "missing") answer({ code: 5, details: "unknown service" });
        else if (service === "none") answer({ code: 12, details: "unknown service grpc.health.v1.Health" });
        else if (service !== "slow") answer(null, Buffer.from([0x08, service === "down" ? 2 : 1]));
      },
    });
    grpcPort = await new Promise<number>((resolve, reject) =>
      health.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
  });
  afterAll(() => health.forceShutdown());
  it.each([
    { service: "", want: "" },
    { service: "down", want: 'service unhealthy (responded with "NOT_SERVING")' },
    { service: "missing", want: "error: health rpc probe failed: rpc error: code = NotFound desc = unknown service" },
    {
      service: "none",
      want: "error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown service grpc.health.v1.Health",
    },
    { service: "slow", want: "timeout: health rpc did not complete within 1s" },
  ])("service $service: $want", async ({ service, want }) => {
    expect(await probeGrpc("127.0.0.1", grpcPort, service, 1000)).toEqual({ ok: want === "", message: want });
  });
  it("tells a server that is not there", async () => {
    expect((await probeGrpc("127.0.0.1", refusedPort, "", 1000)).message).toBe(
      `timeout: failed to connect service "127.0.0.1:${refusedPort}" within 1s: context deadline exceeded`,
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
  it.each([
    [80, 80],
    ["81", 81],
    ["web", 8080],
  ])("%s is %i", (given, want) => expect(resolvePort(container, given)).toBe(want));
  it.each([0, 65_536, "none"])("refuses %s", (given) => expect(() => resolvePort(container, given)).toThrow());
});
