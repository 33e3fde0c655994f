import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { Env } from "../env.ts";

const { STORES } = env as unknown as Env;

it("smoke", async () => {
  const store = STORES.getByName("smoke//pods");
  const attributes = { labels: { app: "web" }, fields: {} };
  expect(await store.currentRevision()).toBe(1);
  const made = await store.write({
    op: "create",
    key: "default/a",
    uid: "u1",
    value: '{"metadata":{"name":"a"}}',
    attributes,
  });
  expect(made).toEqual({ ok: true, revision: 2 });
  expect(await store.get("default/a")).toEqual({ key: "default/a", revision: 2, value: '{"metadata":{"name":"a"}}' });
  expect(await store.list({ namespace: "default" })).toMatchObject({
    ok: true,
    revision: 2,
    items: [{ key: "default/a" }],
  });
});
