import { beforeAll, describe, expect, it } from "vitest";
import { testApi } from "../../testing/api.ts";

const api = testApi();
const PODS = "/api/v1/namespaces/default/pods";

const make = (name: string, spec: object) =>
  api.post(PODS, { metadata: { name }, spec: { containers: [{ name: "main", image: "x:1" }], ...spec } });

beforeAll(async () => {
  await api.post("/api/v1/namespaces", { metadata: { name: "default" } });
  await api.post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  const { code } = await api.post("/apis/node.k8s.io/v1/runtimeclasses", {
    metadata: { name: "fast" },
    handler: "runc",
    overhead: { podFixed: { cpu: "50m" } },
    scheduling: { nodeSelector: { a: "b" }, tolerations: [{ key: "k", operator: "Exists" }] },
  });
  expect(code).toBe(201);
});

describe("runtime classes", () => {
  it("give pods their overhead, selector and tolerations", async () => {
    const { body } = await make("given", {
      runtimeClassName: "fast",
      nodeSelector: { c: "d" },
      tolerations: [{ key: "k", operator: "Equal", value: "v" }],
    });
    expect(body.spec).toMatchObject({ overhead: { cpu: "50m" }, nodeSelector: { a: "b", c: "d" } });
    const { tolerations } = body.spec as { tolerations: { key: string }[] };
    expect(tolerations.filter(({ key }) => key === "k")).toEqual([{ key: "k", operator: "Exists" }]);
  });

  it.each([
    { name: "unknown", spec: { runtimeClassName: "none" }, want: 'RuntimeClass "none" not found' },
    { name: "other-cost", spec: { runtimeClassName: "fast", overhead: { cpu: "1" } }, want: "Overhead doesn't match" },
    { name: "no-class", spec: { overhead: { cpu: "1" } }, want: "Overhead set without corresponding RuntimeClass" },
    {
      name: "other-node",
      spec: { runtimeClassName: "fast", nodeSelector: { a: "c" } },
      want: "conflict: runtimeClass.scheduling.nodeSelector[a] = b; pod.spec.nodeSelector[a] = c",
    },
  ])("refuse pods: $name", async ({ name, spec, want }) => {
    const { code, body } = await make(name, spec);
    expect(code).toBe(403);
    expect(body.message).toContain(want);
  });
});

it("system priority classes stay", async () => {
  const path = "/apis/scheduling.k8s.io/v1/priorityclasses";
  await api.post(path, { metadata: { name: "system-node-critical" }, value: 2000001000 });
  const { code, body } = await api.delete(`${path}/system-node-critical`);
  expect(code).toBe(403);
  expect(body.message).toContain("this is a system priority class and cannot be deleted");
});
