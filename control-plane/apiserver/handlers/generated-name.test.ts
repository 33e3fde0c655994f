import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { testApi } from "../testing/api.ts";

const SUFFIX_LENGTH = 5;
const api = testApi();
const create = (metadata: object) => api.post("/api/v1/namespaces/default/configmaps", { metadata });

beforeAll(async () => void (await api.post("/api/v1/namespaces", { metadata: { name: "default" } })));
afterEach(() => void vi.restoreAllMocks());

/** The first so many suffixes are all "bbbbb", the others differ. */
function dull(count: number): void {
  let drawn = 0;
  const random = crypto.getRandomValues.bind(crypto);
  vi.spyOn(crypto, "getRandomValues").mockImplementation(((array: Uint8Array) => {
    if (array.length !== SUFFIX_LENGTH) return random(array);
    return array.fill(drawn++ < count ? 0 : drawn);
  }) as typeof crypto.getRandomValues);
}

it("tries another name when one that it made up is taken", async () => {
  await create({ name: "g-bbbbb" });
  dull(3);
  const { code, body } = await create({ generateName: "g-" });
  expect(code).toBe(201);
  expect(body.metadata.name).not.toBe("g-bbbbb");
  expect((await api.get(`/api/v1/namespaces/default/configmaps/${body.metadata.name}`)).body.metadata.uid).toBe(
    body.metadata.uid,
  );
});

it("gives up after eight", async () => {
  await create({ name: "h-bbbbb" });
  dull(100);
  const { code, body } = await create({ generateName: "h-" });
  expect(code).toBe(409);
  expect(body.message).toBe(
    'configmaps "h-bbbbb" already exists, the server was not able to generate a unique name for the object',
  );
});
