import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  VOLUME_ATTRIBUTES_CLASSES,
} from "../../shared/api/refs.ts";
import type { Pod } from "../../shared/api/types.ts";
import { MemoryApi } from "../../test/builders/memory-api.ts";
import { runControllers } from "../../test/builders/run-controllers.ts";
import { pvProtectionController } from "./pv-protection/index.ts";
import { pvcProtectionController } from "./pvc-protection/index.ts";
import { vacProtectionController } from "./vac-protection/index.ts";

let api: MemoryApi;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-10-21T08:00:00Z") });
  api = new MemoryApi();
  api.nowMs = () => Date.now();
  runControllers(api, [pvcProtectionController, pvProtectionController, vacProtectionController]);
});

afterEach(() => vi.useRealTimers());

const settle = () => vi.advanceTimersByTimeAsync(100);

const user = (nodeName?: string): Pod => ({
  metadata: { name: "p", namespace: "default" },
  spec: { containers: [], nodeName, volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] },
});

describe("a claim that is deleted", () => {
  beforeEach(async () => {
    const metadata = { name: "data", namespace: "default", finalizers: ["kubernetes.io/pvc-protection"] };
    await api.create(PERSISTENT_VOLUME_CLAIMS, { metadata });
  });
  const remove = async () => {
    await api.delete(PERSISTENT_VOLUME_CLAIMS, { name: "data", namespace: "default" });
    await settle();
  };
  const claim = () => api.find(PERSISTENT_VOLUME_CLAIMS, "default/data");

  it("goes when no pod uses it", async () => {
    await remove();
    expect(claim()).toBeUndefined();
  });

  it("goes although a pod without a node names it", async () => {
    await api.create(PODS, user());
    await remove();
    expect(claim()).toBeUndefined();
  });

  it("stays until the pod that uses it is gone", async () => {
    await api.create(PODS, user("n1"));
    await remove();
    expect(claim()?.metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
    await api.delete(PODS, { name: "p", namespace: "default" }, { gracePeriodSeconds: 0 });
    await settle();
    expect(claim()).toBeUndefined();
  });
});

it("a claim without the finalizer gets it", async () => {
  await api.create(PERSISTENT_VOLUME_CLAIMS, { metadata: { name: "old", namespace: "default" } });
  await settle();
  expect(api.find(PERSISTENT_VOLUME_CLAIMS, "default/old")?.metadata.finalizers).toEqual([
    "kubernetes.io/pvc-protection",
  ]);
});

it("a volume goes once it is not bound", async () => {
  const metadata = { name: "v", finalizers: ["kubernetes.io/pv-protection"] };
  await api.create(PERSISTENT_VOLUMES, { metadata, status: { phase: "Bound" } });
  await api.patch(PERSISTENT_VOLUMES, { name: "v", subresource: "status" }, "merge", { status: { phase: "Bound" } });
  await api.delete(PERSISTENT_VOLUMES, { name: "v" });
  await settle();
  expect(api.find(PERSISTENT_VOLUMES, "v")).toBeDefined();
  await api.patch(PERSISTENT_VOLUMES, { name: "v", subresource: "status" }, "merge", { status: { phase: "Released" } });
  await settle();
  expect(api.find(PERSISTENT_VOLUMES, "v")).toBeUndefined();
});

it("an attributes class goes with the last claim that names it", async () => {
  const metadata = { name: "gold", finalizers: ["kubernetes.io/vac-protection"] };
  await api.create(VOLUME_ATTRIBUTES_CLASSES, { metadata });
  await api.create(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name: "data", namespace: "default" },
    spec: { volumeAttributesClassName: "gold" },
  });
  await api.delete(VOLUME_ATTRIBUTES_CLASSES, { name: "gold" });
  await settle();
  expect(api.find(VOLUME_ATTRIBUTES_CLASSES, "gold")).toBeDefined();
  await api.delete(PERSISTENT_VOLUME_CLAIMS, { name: "data", namespace: "default" });
  await settle();
  expect(api.find(VOLUME_ATTRIBUTES_CLASSES, "gold")).toBeUndefined();
});
