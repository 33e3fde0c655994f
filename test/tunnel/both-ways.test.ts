import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import WebSocket from "ws";
import { apiTransport, Tunnel } from "../../agent/tunnel/index.ts";
import type { ApiResponse } from "../../shared/client/api-client.ts";
import { answerStream, type TunnelStream } from "../../shared/tunnel/index.ts";
import { type StandIn, startStandIn } from "./stand-in-control-plane.ts";

let controlPlane: StandIn;
const tunnels: Tunnel[] = [];

beforeAll(async () => {
  controlPlane = await startStandIn();
});
afterEach(() => {
  for (const tunnel of tunnels.splice(0)) void tunnel.stop();
});
afterAll(() => controlPlane.stop());

const get = (path: string) => ({ method: "GET" as const, path, headers: {} });
const textOf = (body: ReadableStream<Uint8Array>) => new Response(body as ReadableStream).text();

async function connect(node: string, onStream: (stream: TunnelStream) => void = () => {}): Promise<Tunnel> {
  const tunnel = new Tunnel({ endpoint: controlPlane.endpoint, credential: node, agentVersion: "test", onStream });
  tunnels.push(tunnel);
  tunnel.start();
  await new Promise<void>((resolve) => tunnel.onConnected(resolve));
  return tunnel;
}

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe("requests of the agent", () => {
  it("reach the API as the node, with their body and without a credential of their own", async () => {
    const api = apiTransport(await connect("n1"));
    const answer = await api({
      method: "POST",
      path: "/api/v1/echo?x=1",
      headers: { "content-type": "application/json", authorization: "Bearer other" },
      body: '{"a":"ä"}',
    });
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(await textOf(answer.body))).toEqual({
      method: "POST",
      query: "?x=1",
      user: "system:node:n1",
      cluster: "test",
      authorization: null,
      body: '{"a":"ä"}',
    });
  });

  it("stream large answers, many at once", async () => {
    const api = apiTransport(await connect("n1"));
    const sizes = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { body } = await api(get("/api/v1/big?bytes=1000000"));
        return (await new Response(body as ReadableStream).arrayBuffer()).byteLength;
      }),
    );
    expect(sizes).toEqual(Array(20).fill(1_000_000));
  });

  it("are not held up by a reader that stopped reading", async () => {
    const api = apiTransport(await connect("n1"));
    const stalled: ApiResponse[] = [];
    for (let i = 0; i < 60; i++) stalled.push(await api(get("/api/v1/big?bytes=1000000")));
    expect(await textOf((await api(get("/api/v1/echo"))).body)).toContain('"GET"');
    await Promise.all(stalled.map(({ body }) => body.cancel()));
  });

  it("carry a watch as it happens, and end it at the source when it is cancelled", async () => {
    const api = apiTransport(await connect("n2"));
    const { body } = await api(get("/api/v1/watch?everyMs=20"));
    const reader = body.getReader();
    for (let i = 0; i < 3; i++) expect(Buffer.from((await reader.read()).value!).toString()).toBe(`tick ${i}\n`);
    await reader.cancel();
    await until(async () => (await textOf((await api(get("/api/v1/watches-ended"))).body)) === "1");
  });

  it("fail at once as 503 without a connection", async () => {
    const tunnel = new Tunnel({
      endpoint: "http://127.0.0.1:9",
      credential: "n1",
      agentVersion: "test",
      onStream() {},
    });
    await expect(apiTransport(tunnel)(get("/api/v1/echo"))).rejects.toMatchObject({ status: { code: 503 } });
  });
});

describe("requests for the node", () => {
  const kubelet = (stream: TunnelStream) => {
    if (stream.meta.path === "/hang") return;
    void answerStream(stream, {
      status: stream.meta.path === "/missing" ? 404 : 200,
      headers: { "content-type": "text/plain" },
      body: stream.meta.path.startsWith("/echo") ? stream.readable : `${stream.meta.method} ${stream.meta.path}`,
    });
  };
  const ask = (path: string, init?: RequestInit) => fetch(`${controlPlane.endpoint}/nodes/n3${path}`, init);

  it("reach its kubelet and come back with status and body", async () => {
    await connect("n3", kubelet);
    expect(await (await ask("/containerLogs/default/web-0/web?follow=true")).text()).toBe(
      "GET /containerLogs/default/web-0/web?follow=true",
    );
    expect((await ask("/missing")).status).toBe(404);
    expect(await (await ask("/echo", { method: "POST", body: "x".repeat(700_000) })).text()).toHaveLength(700_000);
  });

  it("get 503 when the node is not connected", async () => {
    const answer = await fetch(`${controlPlane.endpoint}/nodes/nobody/pods`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ kind: "Status", reason: "ServiceUnavailable" });
  });

  it("fail midway when the node goes away, so that half a log is never taken for all of it", async () => {
    const tunnel = await connect("n3", (stream) => {
      stream.respond({ status: 200, headers: { "content-type": "text/plain" } });
      void stream.writable.getWriter().write(new TextEncoder().encode("half"));
    });
    const answer = await ask("/containerLogs/default/web-0/web?follow=true");
    const reader = answer.body!.getReader();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe("half");
    void tunnel.stop();
    await expect(reader.read()).rejects.toThrow();
  });

  it("get 503 when the node goes away before it answers", async () => {
    const tunnel = await connect("n3", kubelet);
    const asked = ask("/hang");
    await until(() => tunnel.mux.streamCount === 1);
    void tunnel.stop();
    expect((await asked).status).toBe(503);
  });
});

describe("a client's session", () => {
  it("is given up when the client is far ahead of a node that does not read, with a Status", async () => {
    const tunnel = await connect("n4", (stream) =>
      stream.respond({ status: 200, headers: { "sec-websocket-protocol": "v5.channel.k8s.io" } }),
    );
    const url = `${controlPlane.endpoint.replace("http", "ws")}/nodes/n4/exec/default/p/c`;
    const socket = new WebSocket(url, ["v5.channel.k8s.io"]);
    const closed = new Promise<number>((resolve) => socket.on("close", resolve));
    const messages: string[] = [];
    socket.on("message", (data: Buffer) => messages.push(data.toString()));
    await new Promise((resolve) => socket.on("open", resolve));
    for (let i = 0; i < 1200; i++) socket.send("y".repeat(32_000));
    expect(await closed).toBe(1000);
    expect(messages.join()).toContain("the client sends faster than the node can take it");
    await until(() => tunnel.mux.streamCount === 0);
  });
});
