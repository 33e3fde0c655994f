import { beforeAll, describe, expect, it } from "vitest";
import { testApi, watchEvents } from "../testing/api.ts";

const api = testApi();
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

beforeAll(async () => {
  const { code } = await api.post("/api/v1/namespaces", { metadata: { name: "default" } });
  expect(code).toBe(201);
});

describe("a config map's life", () => {
  it("is created, read, listed, changed, watched and deleted", async () => {
    const created = await api.post(CONFIG_MAPS, { metadata: { name: "a" }, data: { x: "1" } });
    expect(created.code).toBe(201);
    expect(created.body).toMatchObject({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a", namespace: "default" },
    });
    const read = await api.get(`${CONFIG_MAPS}/a`);
    expect(read.body).toEqual(created.body);
    const list = await api.get(CONFIG_MAPS);
    expect(list.body).toMatchObject({ kind: "ConfigMapList", items: [{ metadata: { name: "a" } }] });
    expect(list.body.items[0].kind).toBeUndefined();
    const put = await api.put(`${CONFIG_MAPS}/a`, { metadata: { name: "a" }, data: { x: "2" } });
    expect(put.code).toBe(200);
    const patched = await api.patch(`${CONFIG_MAPS}/a`, { data: { y: "3" } });
    expect(patched.body.data).toEqual({ x: "2", y: "3" });
    const gone = await api.delete(`${CONFIG_MAPS}/a`);
    expect(gone.body).toMatchObject({ status: "Success", details: { name: "a", kind: "configmaps" } });
    expect((await api.get(`${CONFIG_MAPS}/a`)).code).toBe(404);
    const watch = await api.fetch(
      "GET",
      `${CONFIG_MAPS}?watch=1&resourceVersion=${created.body.metadata.resourceVersion}`,
    );
    const events = await watchEvents(watch, 3);
    expect(events.map(({ type }) => type)).toEqual(["MODIFIED", "MODIFIED", "DELETED"]);
  });
});
