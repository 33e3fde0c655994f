import { createExecutionContext, env, listDurableObjectIds } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { handleRequest } from "../apiserver/index.ts";
import type { Env } from "../env.ts";

const testEnv = env as unknown as Env;
const ask = (path: string, init: RequestInit = {}) =>
  handleRequest(new Request(`https://k${path}`, init), testEnv, createExecutionContext());

/** How many objects there are in all, of the kinds that are named by cluster. */
async function countObjects(): Promise<number> {
  const { STORES, CLUSTERS, CONTROLLERS, SCHEDULERS, NODES } = testEnv;
  const ids = [
    await listDurableObjectIds(STORES),
    await listDurableObjectIds(CLUSTERS),
    await listDurableObjectIds(CONTROLLERS),
    await listDurableObjectIds(SCHEDULERS),
    await listDurableObjectIds(NODES),
  ];
  return ids.flat().length;
}

describe("a cluster that is not there", () => {
  it.each<{ name: string; path: string; init?: RequestInit; code: number }>([
    { name: "is not served", path: "/clusters/nobody/version", code: 404 },
    { name: "has no API", path: "/clusters/nobody/api/v1/pods", code: 404 },
    {
      name: "has no admin",
      path: "/clusters/nobody/api",
      init: { headers: { authorization: "Bearer hearth-admin.nobody.x" } },
      code: 404,
    },
    {
      name: "has no nodes",
      path: "/clusters/nobody/hearth/v1/tunnel",
      init: { headers: { authorization: "Bearer hearth-node.nobody.x", upgrade: "websocket" } },
      code: 404,
    },
    {
      name: "gives no join tokens",
      path: "/hearth/v1/clusters/nobody/join-tokens",
      init: { method: "POST", headers: { authorization: "Bearer hearth-admin.nobody.x" } },
      code: 401,
    },
    {
      name: "takes no joiners",
      path: "/clusters/nobody/hearth/v1/join",
      init: {
        method: "POST",
        body: JSON.stringify({ token: `aaaaaaaaaa.${"b".repeat(32)}`, nodeName: "n", nowMs: Date.now() }),
      },
      code: 400,
    },
  ])("$name, and leaves no object behind", async ({ path, init, code }) => {
    const before = await countObjects();
    expect((await ask(path, init)).status).toBe(code);
    expect(await countObjects()).toBe(before);
  });

  it("is served once it is made", async () => {
    expect((await ask("/clusters/somebody/version")).status).toBe(404);
    const headers = { authorization: `Bearer ${testEnv.ROOT_SECRET}` };
    expect((await ask("/hearth/v1/clusters/somebody", { method: "POST", headers })).status).toBe(200);
    expect((await ask("/clusters/somebody/version")).status).toBe(200);
  });
});
