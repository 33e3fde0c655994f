import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { Env } from "../env.ts";
import { openWatch } from "./client.ts";

const { STORES } = env as unknown as Env;

it("smoke", async () => {
  const store = STORES.getByName("watchsmoke//pods");
  const attributes = { labels: { app: "web" }, fields: {} };
  const watch = await openWatch(store, { typeMeta: { apiVersion: "v1", kind: "Pod" } });
  if (!watch.ok) throw new Error("x");
  const reader = watch.frames.getReader();
  for (let i = 0; i < 3; i++) {
    await store.write({
      op: "create",
      key: `default/a${i}`,
      uid: "u1",
      value: '{"metadata":{"name":"a"}}',
      attributes,
    });
    console.log(await reader.read());
  }
  watch.close();
}, 5000);
