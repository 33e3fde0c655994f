import { expect, it } from "vitest";
import type { KubeObject } from "../../../shared/api/object.ts";
import { NAMESPACES, PODS } from "../../../shared/api/refs.ts";
import { MemoryApi } from "../../../test/builders/memory-api.ts";
import { runControllers } from "../../../test/builders/run-controllers.ts";
import { namespaceController } from "./index.ts";

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
const pod = (name: string): KubeObject => ({
  metadata: { name, namespace: "x" },
  spec: { nodeName: "n", terminationGracePeriodSeconds: 30, containers: [] },
});

it("asks pods to go once, not again whenever one is gone, and goes on at once after the last", async () => {
  const api = new MemoryApi();
  api.nowMs = () => Date.now() - 10_000; // deleted long enough ago that nobody can create in it any more
  const runner = runControllers(api, [namespaceController]);
  const settled = async () => {
    do await turn();
    while (!runner.isIdle);
  };
  const askedToGo = () => api.calls.filter(({ verb, resource }) => verb === "delete" && resource === "pods").length;
  for (const name of ["a", "b", "c"]) await api.create(PODS, pod(name));
  await api.create(NAMESPACES, {
    metadata: { name: "x", finalizers: ["held"], deletionTimestamp: new Date(api.nowMs()).toISOString() },
    spec: { finalizers: ["kubernetes"] },
  });
  await settled();
  expect(askedToGo()).toBe(3);

  for (const name of ["a", "b"]) await api.delete(PODS, { name, namespace: "x" }, { gracePeriodSeconds: 0 });
  await settled();
  expect(askedToGo(), "only those of the test itself").toBe(5);

  await api.create(PODS, pod("late"));
  await settled();
  expect(api.find(PODS, "x/late")?.metadata.deletionTimestamp).toBeDefined();

  for (const name of ["c", "late"]) await api.delete(PODS, { name, namespace: "x" }, { gracePeriodSeconds: 0 });
  await settled();
  expect(api.find(NAMESPACES, "x")?.["spec"]).toEqual({ finalizers: [] });
});
