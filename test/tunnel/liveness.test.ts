import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiTransport, Tunnel } from "../../agent/tunnel/index.ts";
import { answerStream } from "../../shared/tunnel/index.ts";
import { type StandIn, startStandIn } from "./stand-in-control-plane.ts";

// workerd takes an idle object's memory away after ten seconds; a hibernatable socket stays. These tests wait for it.
const UNTIL_EVICTED_MS = 13_000;

let controlPlane: StandIn;
const tunnels: Tunnel[] = [];

beforeAll(async () => {
  controlPlane = await startStandIn();
});
afterAll(async () => {
  for (const tunnel of tunnels) void tunnel.stop();
  await controlPlane.stop();
});

const session = async (node: string, method: string) =>
  (await fetch(`${controlPlane.endpoint}/session/${node}/${method}`)).json();

async function connect(node: string): Promise<Tunnel> {
  const tunnel = new Tunnel({
    endpoint: controlPlane.endpoint,
    credential: node,
    agentVersion: "test",
    onStream: (stream) => void answerStream(stream, { status: 200, headers: {}, body: "from the node" }),
  });
  tunnels.push(tunnel);
  tunnel.start();
  await new Promise<void>((resolve) => tunnel.onConnected(resolve));
  return tunnel;
}

describe.concurrent("a session", () => {
  it("that is idle sleeps, counts heartbeats in its sleep, and serves when it is woken", async () => {
    const tunnel = await connect("sleeper");
    const life = await session("sleeper", "life");
    const connectedMs = await session("sleeper", "lastHeartbeatMs");
    await sleep(UNTIL_EVICTED_MS);
    expect(await session("sleeper", "life")).not.toBe(life);
    expect(await session("sleeper", "lastHeartbeatMs")).toBeGreaterThan(Number(connectedMs) + 9000);
    expect(await session("sleeper", "connected")).toBe(true);
    expect(await (await fetch(`${controlPlane.endpoint}/nodes/sleeper/pods`)).text()).toBe("from the node");
    expect(tunnel.isConnected).toBe(true);
  });

  it("with an open watch stays awake", async () => {
    const api = apiTransport(await connect("watcher"));
    const { body } = await api({ method: "GET", path: "/api/v1/watch?everyMs=14000", headers: {} });
    const life = await session("watcher", "life");
    await sleep(UNTIL_EVICTED_MS);
    expect(await session("watcher", "life")).toBe(life);
    const reader = body.getReader();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe("tick 0\n");
    await reader.cancel();
  });

  it("knows when a node that is gone was last there, and lets a newer connection replace an older", async () => {
    expect(await session("stranger", "lastHeartbeatMs")).toBe(null);
    const first = await connect("twice");
    const second = await connect("twice");
    await expect.poll(() => first.isConnected).toBe(false);
    expect(first.lastFailure).toContain("replaced by a newer connection");
    expect(second.isConnected).toBe(true);
    void first.stop();
    void second.stop();
    await expect.poll(() => session("twice", "connected")).toBe(false);
    const seenMs = Number(await session("twice", "lastHeartbeatMs"));
    expect(Math.abs(Date.now() - seenMs)).toBeLessThan(10_000);
  });
});

describe("a control plane that is killed", () => {
  it("fails what was open, and is found again", async () => {
    const tunnel = await connect("n1");
    const api = apiTransport(tunnel);
    const { body } = await api({ method: "GET", path: "/api/v1/watch?everyMs=60000", headers: {} });
    const failed = expect(body.getReader().read()).rejects.toMatchObject({ code: "disconnected" });
    await controlPlane.kill();
    await failed;
    await expect(api({ method: "GET", path: "/api/v1/echo", headers: {} })).rejects.toMatchObject({
      status: { code: 503 },
    });
    await controlPlane.start();
    await expect.poll(() => tunnel.isConnected, { timeout: 20_000 }).toBe(true);
    expect((await api({ method: "GET", path: "/api/v1/echo", headers: {} })).status).toBe(200);
    expect(await session("n1", "connected")).toBe(true);
  });
});
