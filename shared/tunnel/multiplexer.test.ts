import { describe, expect, it } from "vitest";
import { answerStream, requestThrough } from "./exchange.ts";
import { decodeFrame, encodeFrame, type Frame } from "./frame.ts";
import { CONNECTION_WINDOW_BYTES, MAX_STREAMS_PER_SIDE, STREAM_WINDOW_BYTES } from "./limits.ts";
import type { OpenMeta } from "./meta.ts";
import { Multiplexer } from "./multiplexer.ts";
import type { TunnelStream } from "./stream.ts";

const get = (path: string): OpenMeta => ({ kind: "request", method: "GET", path, headers: {} });
const OK = { status: 200, headers: {} };
const tick = () => new Promise((resolve) => setTimeout(resolve, 0));

interface Pair {
  agent: Multiplexer;
  gateway: Multiplexer;
  /** All frames so far, in order. */
  frames: { from: "agent" | "gateway"; frame: Frame }[];
}

/** Two ends joined by queues, like two WebSockets. */
function pair(serveAtGateway: (stream: TunnelStream) => void, serveAtAgent = serveAtGateway): Pair {
  const frames: Pair["frames"] = [];
  const agent: Multiplexer = new Multiplexer({
    side: "agent",
    send: (message) => {
      frames.push({ from: "agent", frame: decodeFrame(message) });
      queueMicrotask(() => gateway.receive(message));
    },
    onStream: serveAtAgent,
  });
  const gateway: Multiplexer = new Multiplexer({
    side: "gateway",
    send: (message) => {
      frames.push({ from: "gateway", frame: decodeFrame(message) });
      queueMicrotask(() => agent.receive(message));
    },
    onStream: serveAtGateway,
    firstId: 77,
  });
  return { agent, gateway, frames };
}

const echo = (stream: TunnelStream) => void answerStream(stream, { ...OK, body: stream.readable });
const textOf = (body: ReadableStream<Uint8Array>) => new Response(body as ReadableStream).text();

describe("an exchange", () => {
  it("holds thousands of tiny pieces without a piece's cost for each", async () => {
    const { agent } = pair(async (stream) => {
      stream.respond(OK);
      const writer = stream.writable.getWriter();
      for (let i = 0; i < 1000; i++) await writer.write(new Uint8Array([i % 256]));
      await writer.close();
    });
    const { body } = await requestThrough(agent, { method: "GET", path: "/", headers: {} });
    await tick();
    const pieces: Uint8Array[] = [];
    for await (const piece of body as unknown as AsyncIterable<Uint8Array>) pieces.push(piece);
    expect(pieces.length).toBeLessThan(100);
    expect(Buffer.concat(pieces)).toEqual(Buffer.from(Array.from({ length: 1000 }, (_, i) => i % 256)));
  });

  it("costs one message to ask, two to answer without a body", async () => {
    const { agent, frames } = pair((stream) => void answerStream(stream, { ...OK, status: 204, body: null }));
    const answer = await requestThrough(agent, { method: "GET", path: "/x", headers: {} });
    expect(answer.status).toBe(204);
    expect(await textOf(answer.body)).toBe("");
    expect(frames.map(({ frame }) => frame.type)).toEqual(["open", "head", "end"]);
    expect(agent.streamCount).toBe(0);
  });

  it("carries bodies both ways at once, from either side", async () => {
    const { agent, gateway } = pair(echo);
    for (const mux of [agent, gateway]) {
      const answer = await requestThrough(mux, { method: "POST", path: "/", headers: {}, body: "x".repeat(1_000_000) });
      expect(await textOf(answer.body)).toHaveLength(1_000_000);
    }
    await tick();
    expect([agent.streamCount, gateway.streamCount]).toEqual([0, 0]);
  });

  it("uses odd ids from the agent and even ones from the gateway", () => {
    const { agent, gateway } = pair(() => {});
    expect(agent.openStream(get("/"), { hasBody: false }).id % 2).toBe(1);
    expect(gateway.openStream(get("/"), { hasBody: false }).id).toBe(76);
  });

  it("ends with the answer, even when the request's body goes on", async () => {
    const { agent } = pair((stream) => void answerStream(stream, { ...OK, body: "enough" }));
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(10_000)),
      cancel: () => {
        cancelled = true;
      },
    });
    const answer = await requestThrough(agent, { method: "POST", path: "/", headers: {}, body });
    expect(await textOf(answer.body)).toBe("enough");
    await tick();
    expect([agent.streamCount, cancelled]).toEqual([0, true]);
  });

  it("is cancelled at the source when the reader cancels, though the source is silent", async () => {
    let cancelled = false;
    const silent = () =>
      new ReadableStream<Uint8Array>({
        cancel: () => {
          cancelled = true;
        },
      });
    const { agent, gateway } = pair((stream) => void answerStream(stream, { ...OK, body: silent() }));
    const answer = await requestThrough(agent, { method: "GET", path: "/watch", headers: {} });
    await answer.body.cancel();
    await tick();
    expect([cancelled, gateway.streamCount]).toEqual([true, 0]);
  });

  it("is aborted by its signal, before and after the head", async () => {
    const { agent, gateway } = pair((stream) => {
      if (stream.meta.path === "/head") stream.respond(OK);
    });
    for (const path of ["/none", "/head"]) {
      const abort = new AbortController();
      const asked = requestThrough(agent, { method: "GET", path, headers: {}, signal: abort.signal });
      await tick();
      abort.abort();
      if (path === "/none") await expect(asked).rejects.toMatchObject({ name: "AbortError" });
      else await expect(textOf((await asked).body)).rejects.toThrow();
      await tick();
      expect(gateway.streamCount).toBe(0);
    }
  });

  it("fails as a whole when the answer's body breaks, so that half is never taken for all", async () => {
    const broken = () =>
      new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new Uint8Array([1])),
        pull: (controller) => controller.error(new Error("disk on fire")),
      });
    const { agent } = pair((stream) => void answerStream(stream, { ...OK, body: broken() }));
    const answer = await requestThrough(agent, { method: "GET", path: "/", headers: {} });
    await expect(textOf(answer.body)).rejects.toMatchObject({ code: "internal", message: "disk on fire" });
  });
});

describe("flow control", () => {
  const endless = () =>
    new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new Uint8Array(20_000)) });
  const sentBytes = ({ frames }: Pair) =>
    frames.reduce((sum, { frame }) => sum + (frame.type === "data" ? frame.bytes.byteLength : 0), 0);

  it("stops a sender at the window of a stream that nobody reads", async () => {
    const ends = pair((stream) => void answerStream(stream, { ...OK, body: endless() }));
    await requestThrough(ends.agent, { method: "GET", path: "/", headers: {} });
    for (let i = 0; i < 50; i++) await tick();
    expect(sentBytes(ends)).toBe(STREAM_WINDOW_BYTES);
  });

  it("bounds what all streams send, and still lets a new one through", async () => {
    const ends = pair((stream) => {
      void answerStream(stream, { ...OK, body: stream.meta.path === "/short" ? "hello" : endless() });
    });
    for (let i = 0; i < 100; i++) await requestThrough(ends.agent, { method: "GET", path: "/", headers: {} });
    for (let i = 0; i < 50; i++) await tick();
    expect(sentBytes(ends)).toBeLessThanOrEqual(CONNECTION_WINDOW_BYTES + 100 * 16_384);
    const answer = await requestThrough(ends.agent, { method: "GET", path: "/short", headers: {} });
    expect(await textOf(answer.body)).toBe("hello");
  });

  it("resets a stream whose sender ignores the window", async () => {
    const streams: TunnelStream[] = [];
    const { gateway } = pair((stream) => streams.push(stream));
    gateway.receive(encodeFrame({ type: "open", id: 5, meta: get("/"), end: false }));
    for (let i = 0; i < 9; i++) gateway.receive(encodeFrame({ type: "data", id: 5, bytes: new Uint8Array(32_768) }));
    expect(streams[0]!.signal.reason).toMatchObject({ code: "protocol" });
  });

  it("refuses more streams than are allowed, on both sides", () => {
    const { agent, gateway, frames } = pair(() => {});
    for (let i = 0; i < MAX_STREAMS_PER_SIDE; i++) agent.openStream(get("/"), { hasBody: false });
    expect(() => agent.openStream(get("/"), { hasBody: false })).toThrowError(
      expect.objectContaining({ code: "refused" }),
    );
    for (let i = 0; i <= MAX_STREAMS_PER_SIDE; i++) {
      gateway.receive(encodeFrame({ type: "open", id: 100_001 + 2 * i, meta: get("/"), end: true }));
    }
    expect(frames.at(-1)).toMatchObject({ from: "gateway", frame: { type: "reset", meta: { code: "refused" } } });
  });
});

describe("a side that lost its memory", () => {
  it("resets streams that it does not know: on a frame of theirs, and when it is told of them", async () => {
    const { agent, frames } = pair(() => {});
    agent.receive(encodeFrame({ type: "data", id: 40, bytes: new Uint8Array(1) }));
    agent.receive(encodeFrame({ type: "streams", ids: [42] }));
    expect(frames.map(({ frame }) => frame)).toMatchObject([
      { type: "reset", id: 40, meta: { code: "lost" } },
      { type: "reset", id: 42, meta: { code: "lost" } },
    ]);
  });

  it("asks, and so ends what the peer waits for", async () => {
    const { agent, frames } = pair(() => {});
    const waiting = requestThrough(agent, { method: "GET", path: "/watch", headers: {} });
    const forgetful = new Multiplexer({ side: "gateway", send: (message) => agent.receive(message), onStream() {} });
    agent.receive(encodeFrame({ type: "query" }));
    const named = frames.at(-1)!.frame;
    expect(named).toEqual({ type: "streams", ids: [1] });
    forgetful.receive(encodeFrame(named));
    await expect(waiting).rejects.toMatchObject({ code: "lost" });
  });

  it("never answers a reset or a credit, so that no two sides reset each other for ever", () => {
    const { agent, frames } = pair(() => {});
    agent.receive(encodeFrame({ type: "reset", id: 40, meta: { code: "lost", message: "" } }));
    agent.receive(encodeFrame({ type: "window", id: 40, bytes: 1 }));
    expect(frames).toEqual([]);
  });

  it("may take an id anew: the old exchange fails, the new one is served", () => {
    const served: TunnelStream[] = [];
    const { agent } = pair((stream) => served.push(stream));
    agent.receive(encodeFrame({ type: "open", id: 2, meta: get("/old"), end: true }));
    agent.receive(encodeFrame({ type: "open", id: 2, meta: get("/new"), end: true }));
    expect(served.map(({ meta, isOver }) => [meta.path, isOver])).toEqual([
      ["/old", true],
      ["/new", false],
    ]);
  });
});

describe("a connection that ends", () => {
  it("fails every exchange of both directions, and opens no more", async () => {
    const served: TunnelStream[] = [];
    const { agent, gateway } = pair((stream) => served.push(stream));
    const asked = requestThrough(agent, { method: "GET", path: "/", headers: {} });
    gateway.openStream(get("/"), { hasBody: true });
    await tick();
    agent.close("the cable was cut");
    await expect(asked).rejects.toMatchObject({ code: "disconnected", message: "the cable was cut" });
    expect(served.filter(({ isOver }) => isOver)).toHaveLength(1);
    expect(() => agent.openStream(get("/"), { hasBody: false })).toThrow("the cable was cut");
  });

  it("frees a writer that waits for credit", async () => {
    const { agent } = pair((stream) => stream.respond(OK));
    const stream = agent.openStream(get("/"), { hasBody: true });
    const writing = stream.writable.getWriter().write(new Uint8Array(2 * STREAM_WINDOW_BYTES));
    await tick();
    agent.close("gone");
    await expect(writing).rejects.toMatchObject({ code: "disconnected" });
  });
});

it("refuses a peer that cannot be understood", () => {
  const { agent } = pair(() => {});
  expect(() => agent.receive(new Uint8Array([1]))).toThrowError(expect.objectContaining({ code: "protocol" }));
  // An id of our own parity cannot have been opened by the peer.
  expect(() => agent.receive(encodeFrame({ type: "open", id: 3, meta: get("/"), end: true }))).toThrow("wrong side");
});
