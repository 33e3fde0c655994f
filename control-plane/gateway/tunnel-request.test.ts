import { env } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import type { Env } from "../env.ts";
import { handleHostingRequest } from "../hosting/index.ts";
import { handleTunnelRequest } from "./index.ts";

const testEnv = env as unknown as Env;
const CLUSTER = "tunnel-request";
let credential = "";

async function post<T>(path: string, body: object, token: string): Promise<T> {
  const request = new Request(`https://k/hearth/v1/${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${token}` },
  });
  return (await handleHostingRequest(request, testEnv, CLUSTER)).json();
}

beforeAll(async () => {
  const { adminToken } = await post<{ adminToken: string }>(`clusters/${CLUSTER}`, {}, testEnv.ROOT_SECRET);
  const { token } = await post<{ token: string }>(`clusters/${CLUSTER}/join-tokens`, {}, adminToken);
  ({ credential } = await post<{ credential: string }>("join", { token, nodeName: "n1", nowMs: Date.now() }, ""));
});

it.each<{ name: string; headers: Record<string, string>; want: string | null }>([
  { name: "of Cloudflare's edge", headers: { "cf-connecting-ip": "203.0.113.7" }, want: "203.0.113.7" },
  { name: "of the front door", headers: { "x-hearth-client-address": "2001:db8::7" }, want: "2001:db8::7" },
  { name: "of neither", headers: {}, want: null },
])("an agent is told the address that it has in the eyes $name", async ({ headers, want }) => {
  const authorization = `Bearer ${credential}`;
  const all = new Headers({ ...headers, authorization, upgrade: "websocket" });
  const response = await handleTunnelRequest(new Request("https://k/", { headers: all }), testEnv, CLUSTER);
  expect(response.status).toBe(101);
  expect(response.headers.get("x-hearth-seen-address")).toBe(want);
  response.webSocket!.accept();
  response.webSocket!.close();
});
