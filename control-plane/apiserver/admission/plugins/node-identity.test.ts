import { beforeAll, describe, expect, it } from "vitest";
import { testApi } from "../../testing/api.ts";

const KEY = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
const OTHER_KEY = KEY.replace("A", "B");
const offer = (publicKey: string) => ({
  "hearth.dev/wireguard": JSON.stringify({ endpoints: ["192.0.2.1:51820"], publicKey }),
});

describe("what a node says that it is", () => {
  const api = testApi();
  const nodeAs = (name: string) =>
    api.as({ username: `system:node:${name}`, groups: ["system:nodes", "system:authenticated"] });
  const [n1, n2] = [nodeAs("n1"), nodeAs("n2")];

  beforeAll(async () => {
    expect((await n1.post("/api/v1/nodes", { metadata: { name: "n1", annotations: offer(KEY) } })).code).toBe(201);
    expect((await n2.post("/api/v1/nodes", { metadata: { name: "n2" } })).code).toBe(201);
  });

  const forbidden = (name: string, why: string) => ({
    code: 403,
    body: { reason: "Forbidden", message: `nodes ${JSON.stringify(name)} is forbidden: ${why}` },
  });
  const isTaken = (by: string) =>
    forbidden(by, `node ${JSON.stringify(by)} is not allowed to publish the WireGuard public key of node "n1"`);

  it.each(["/api/v1/nodes/n2", "/api/v1/nodes/n2/status"])("publishes no other node's key, by %s", async (path) => {
    expect(await n2.patch(path, { metadata: { annotations: offer(KEY) } })).toMatchObject(isTaken("n2"));
  });

  it("nor when it is made", async () => {
    const n3 = await nodeAs("n3").post("/api/v1/nodes", { metadata: { name: "n3", annotations: offer(KEY) } });
    expect(n3).toMatchObject(isTaken("n3"));
  });

  it.each([
    { name: "its own key, again", by: () => n1, path: "n1", annotations: offer(KEY) },
    { name: "a key of its own", by: () => n2, path: "n2", annotations: offer(OTHER_KEY) },
    { name: "that it has none", by: () => n2, path: "n2", annotations: { "hearth.dev/wireguard": '{"without":"x"}' } },
    { name: "what is no offer", by: () => n2, path: "n2", annotations: { "hearth.dev/wireguard": "{" } },
  ])("publishes $name", async ({ by, path, annotations }) => {
    expect((await by().patch(`/api/v1/nodes/${path}`, { metadata: { annotations } })).code).toBe(200);
  });

  it("a key is free once its node gave it up", async () => {
    await n1.patch("/api/v1/nodes/n1", { metadata: { annotations: offer(OTHER_KEY.replace("B", "C")) } });
    expect((await n2.patch("/api/v1/nodes/n2", { metadata: { annotations: offer(KEY) } })).code).toBe(200);
  });

  const why = (name: string) => forbidden(name, `node ${JSON.stringify(name)} is not allowed to modify podCIDRs`);
  it.each([{ podCIDR: "10.244.9.0/24" }, { podCIDRs: ["10.244.9.0/24"] }])("takes no range: %j", async (spec) => {
    expect(await nodeAs("n4").post("/api/v1/nodes", { metadata: { name: "n4" }, spec })).toMatchObject(why("n4"));
    expect(await n2.patch("/api/v1/nodes/n2", { spec })).toMatchObject(why("n2"));
  });

  it("a range that it was given stays with what it writes", async () => {
    expect((await api.patch("/api/v1/nodes/n2", { spec: { podCIDR: "10.244.2.0/24" } })).code).toBe(200);
    expect((await n2.patch("/api/v1/nodes/n2", { metadata: { labels: { a: "b" } } })).code).toBe(200);
    const { body } = await n2.get("/api/v1/nodes/n2");
    const status = await n2.put("/api/v1/nodes/n2/status", {
      ...body,
      spec: { taints: (body.spec as { taints?: object[] }).taints },
    });
    expect([status.code, status.body.spec]).toMatchObject([200, { podCIDR: "10.244.2.0/24" }]);
    const moved = { ...(status.body.spec as object), podCIDR: "10.244.3.0/24", podCIDRs: ["10.244.3.0/24"] };
    expect(await n2.put("/api/v1/nodes/n2", { ...status.body, spec: moved })).toMatchObject(why("n2"));
  });
});
