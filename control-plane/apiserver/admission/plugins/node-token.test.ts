import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { Env } from "../../../env.ts";
import { handleHostingRequest } from "../../../hosting/index.ts";
import { testApi } from "../../testing/api.ts";

const SHOP = "/api/v1/namespaces/shop";

describe("a token that a node asks for", () => {
  const api = testApi();
  const node = api.as({ username: "system:node:n1", groups: ["system:nodes", "system:authenticated"] });
  const uids: Record<string, string> = {};

  beforeAll(async () => {
    const { ROOT_SECRET } = env as unknown as Env;
    const headers = { authorization: `Bearer ${ROOT_SECRET}` };
    const url = `https://k/hearth/v1/clusters/${api.cluster}`;
    const made = new Request(url, { method: "POST", body: "{}", headers });
    await handleHostingRequest(made, env as unknown as Env, api.cluster);
    await api.post("/api/v1/namespaces", { metadata: { name: "shop" } });
    await api.post(`${SHOP}/serviceaccounts`, { metadata: { name: "bot" } });
    for (const [name, nodeName] of Object.entries({ mine: "n1", theirs: "n2" })) {
      const vault = { name: "v", projected: { sources: [{ serviceAccountToken: { path: "t", audience: "vault" } }] } };
      const spec = { nodeName, serviceAccountName: "bot", containers: [{ name: "c", image: "i" }], volumes: [vault] };
      const { body } = await api.post(`${SHOP}/pods`, { metadata: { name }, spec });
      uids[name] = body.metadata.uid!;
    }
  });

  const boundTo = (name: string, more: object = {}) => ({
    boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid: uids[name] },
    ...more,
  });
  it.each<{ name: string; spec: () => object; want: string | undefined }>([
    { name: "is bound to its own pod", spec: () => boundTo("mine"), want: undefined },
    {
      name: "is for an audience the pod names",
      spec: () => boundTo("mine", { audiences: ["vault"] }),
      want: undefined,
    },
    { name: "is not unbound", spec: () => ({}), want: "node requested token not bound to a pod" },
    {
      name: "is not bound to anything but a pod",
      spec: () => ({ boundObjectRef: { apiVersion: "v1", kind: "Secret", name: "s", uid: "u" } }),
      want: "node requested token not bound to a pod",
    },
    {
      name: "names the pod's uid",
      spec: () => ({ boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "mine" } }),
      want: "node requested token with a pod binding without a uid",
    },
    {
      name: "names the uid of the pod that is there",
      spec: () => ({ boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "mine", uid: "u" } }),
      want: `the UID in the bound object reference (u) does not match the UID in record. The object might have been deleted and then recreated`,
    },
    {
      name: "is not for another node's pod",
      spec: () => boundTo("theirs"),
      want: "node requested token bound to a pod scheduled on a different node",
    },
    {
      name: "is not for an audience of its own choice",
      spec: () => boundTo("mine", { audiences: ["bank"] }),
      want: 'audience "bank" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience',
    },
    {
      name: "is not for several audiences",
      spec: () => boundTo("mine", { audiences: ["vault", "bank"] }),
      want: "node may only request 0 or 1 audiences",
    },
  ])("$name", async ({ spec, want }) => {
    const { code, body } = await node.post(`${SHOP}/serviceaccounts/bot/token?dryRun=All`, { spec: spec() });
    if (want === undefined) expect(code).toBe(201);
    else expect(body.message).toBe(`serviceaccounts "bot" is forbidden: ${want}`);
  });

  it("may be unbound for an administrator", async () => {
    expect((await api.post(`${SHOP}/serviceaccounts/bot/token?dryRun=All`, { spec: {} })).code).toBe(201);
  });

  it("leaves a node to evict its own pods only", async () => {
    const evict = (name: string) =>
      node.post(`${SHOP}/pods/${name}/eviction?dryRun=All`, {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name },
      });
    expect((await evict("mine")).code).toBe(201);
    expect((await evict("theirs")).code).toBe(403);
  });
});
