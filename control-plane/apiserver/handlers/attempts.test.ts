import { beforeAll, describe, expect, it } from "vitest";
import { testApi } from "../testing/api.ts";
import { attempts } from "./attempts.ts";

it("begins each try without the last one's warnings", async () => {
  const warnings = ["of before"];
  let tries = 0;
  for await (const _ of attempts({ warnings })) {
    warnings.push(`try ${++tries}`);
    if (tries === 3) break;
  }
  expect(warnings).toEqual(["of before", "try 3"]);
});

describe("many writers of one object", () => {
  const api = testApi();
  const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
  beforeAll(async () => {
    await api.post("/api/v1/namespaces", { metadata: { name: "default" } });
  });
  const create = (name: string) => api.post(CONFIG_MAPS, { metadata: { name }, data: {} });
  const writers = Array.from({ length: 16 }, (_, n) => `w${n}`);

  it("lose no patch, and none is told of a conflict", async () => {
    await create("patched");
    const patchSome = async (writer: string) => {
      const codes: number[] = [];
      for (let n = 0; n < 5; n++)
        codes.push((await api.patch(`${CONFIG_MAPS}/patched`, { data: { [`${writer}-${n}`]: "" } })).code);
      return codes;
    };
    const codes = (await Promise.all(writers.map(patchSome))).flat();
    expect(new Set(codes)).toEqual(new Set([200]));
    const { body } = await api.get(`${CONFIG_MAPS}/patched`);
    expect(Object.keys(body["data"] as object)).toHaveLength(80);
  });

  it("get a delete through among patches", async () => {
    await create("deleted");
    let isGone = false;
    const patchOn = async () => {
      for (let n = 0; !isGone; n++)
        if ((await api.patch(`${CONFIG_MAPS}/deleted`, { data: { [`${n}`]: "" } })).code === 404) isGone = true;
    };
    const patching = writers.map(patchOn);
    expect((await api.delete(`${CONFIG_MAPS}/deleted`)).code).toBe(200);
    await Promise.all(patching);
  });
});
