import { beforeAll, expect, it } from "vitest";
import { testApi } from "./testing/api.ts";

const api = testApi();
beforeAll(async () => void (await api.post("/api/v1/namespaces", { metadata: { name: "default" } })));

it.each([
  { name: "with its kind", head: '"apiVersion":"v1","kind":"ConfigMap",' },
  // As many fields too many as the server fills in itself.
  { name: "without its kind", head: "" },
])("finds fields that are set twice in a body $name", async ({ head }) => {
  const text = `{${head}"metadata":{"name":"a","name":"b"},"data":{"k":"1","k":"2"}}`;
  const path = "/api/v1/namespaces/default/configmaps?dryRun=All";
  const strict = await api.post(`${path}&fieldValidation=Strict`, text);
  expect(strict.code).toBe(400);
  expect(strict.body.message).toContain(
    'strict decoding error: duplicate field "metadata.name", duplicate field "data.k"',
  );
  expect((await api.post(`${path}&fieldValidation=Warn`, text)).warnings).toContain(
    'duplicate field \\"metadata.name\\"',
  );
});
