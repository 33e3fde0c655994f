import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DEPLOYMENTS, EVENTS, HORIZONTAL_POD_AUTOSCALERS, PODS } from "../../shared/api/refs.ts";
import type { Deployment, Event, Pod, V2HorizontalPodAutoscaler } from "../../shared/api/types.ts";
import { MemoryApi } from "../../test/builders/memory-api.ts";
import { memoryNotes } from "../../test/builders/memory-notes.ts";
import { runControllers } from "../../test/builders/run-controllers.ts";
import type { ControllerRunner } from "../runtime/index.ts";
import { horizontalPodAutoscalerController } from "./horizontal-pod-autoscaler/index.ts";

const NAMESPACE = "ns";
let api: MemoryApi;
let cpuMilli = 0;
let runner: ControllerRunner;

beforeEach(async () => {
  vi.useFakeTimers({ now: Date.parse("2026-10-21T08:00:00Z") });
  api = new MemoryApi();
  api.nowMs = () => Date.now();
  cpuMilli = 0;
  await api.create<Deployment>(DEPLOYMENTS, {
    metadata: { name: "web", namespace: NAMESPACE },
    spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template: {} },
  });
  for (const name of ["p0", "p1"])
    await api.create<Pod>(PODS, {
      metadata: { name, namespace: NAMESPACE, labels: { app: "web" } },
      spec: { containers: [{ name: "c", resources: { requests: { cpu: "1" } } }] },
      status: {
        phase: "Running",
        startTime: "2026-10-21T07:00:00Z",
        conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-10-21T07:00:01Z" }],
      },
    });
});

afterEach(() => vi.useRealTimers());

const serveMetrics = () => {
  api.answer = (path) => {
    expect(path).toBe("/apis/metrics.k8s.io/v1beta1/namespaces/ns/pods?labelSelector=app%3Dweb");
    const timestamp = new Date().toISOString();
    const containers = [{ name: "c", usage: { cpu: `${cpuMilli}m` } }];
    return { items: ["p0", "p1"].map((name) => ({ metadata: { name }, timestamp, window: "30s", containers })) };
  };
};

const makeAutoscaler = () =>
  api.create<V2HorizontalPodAutoscaler>(HORIZONTAL_POD_AUTOSCALERS, {
    metadata: { name: "h", namespace: NAMESPACE },
    spec: {
      minReplicas: 1,
      maxReplicas: 10,
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
      ],
    },
  });
const replicas = () => api.find<Deployment>(DEPLOYMENTS, "ns/web")?.spec?.replicas;
const status = () => api.find<V2HorizontalPodAutoscaler>(HORIZONTAL_POD_AUTOSCALERS, "ns/h")?.status;
/** Lets a pass's time go by, and the alarm off. */
async function pass(): Promise<void> {
  await vi.advanceTimersByTimeAsync(15_000);
  void runner.alarm();
  await vi.advanceTimersByTimeAsync(100);
}

/** An autoscaler that has seen a load of 90 %. @returns what it has noted */
async function scaleToFour() {
  serveMetrics();
  const notes = memoryNotes();
  runner = runControllers(api, [horizontalPodAutoscalerController], notes);
  cpuMilli = 900;
  await makeAutoscaler();
  await pass();
  expect(replicas()).toBe(4);
  return notes;
}

it("follows the load every 15 s, and shrinks after five minutes though its memory was lost", async () => {
  const notes = await scaleToFour();
  expect(status()).toMatchObject({
    desiredReplicas: 4,
    currentMetrics: [{ resource: { name: "cpu", current: { averageUtilization: 90, averageValue: "900m" } } }],
  });
  cpuMilli = 250;
  await pass();
  expect(replicas()).toBe(4);
  expect(status()?.conditions?.find(({ type }) => type === "AbleToScale")?.reason).toBe("ScaleDownStabilized");
  runner = runControllers(api, [horizontalPodAutoscalerController], notes);
  for (let passes = 0; passes < 18; passes++) await pass();
  expect(replicas()).toBe(4);
  for (let passes = 0; passes < 3; passes++) await pass();
  expect(replicas()).toBe(1);
});

it("knows nothing of one of its name that went while it slept", async () => {
  const notes = await scaleToFour();
  const [[key, note]] = [...notes.list("hpa/")] as [[string, unknown]];
  await api.delete(HORIZONTAL_POD_AUTOSCALERS, { name: "h", namespace: NAMESPACE });
  await vi.advanceTimersByTimeAsync(100);
  await api.patch(DEPLOYMENTS, { name: "web", namespace: NAMESPACE }, "merge", { spec: { replicas: 2 } });
  notes.put(key, note);
  cpuMilli = 500;
  await makeAutoscaler();
  await pass();
  expect(replicas()).toBe(2);
});

it("says that there are no metrics, and leaves the size", async () => {
  runner = runControllers(api, [horizontalPodAutoscalerController]);
  await makeAutoscaler();
  await pass();
  const message =
    "failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource " +
    "metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)";
  expect(status()).toMatchObject({
    currentReplicas: 2,
    desiredReplicas: 0,
    currentMetrics: [{ type: "" }],
    conditions: [
      { type: "AbleToScale", status: "True", reason: "SucceededGetScale" },
      { type: "ScalingActive", status: "False", reason: "FailedGetResourceMetric" },
    ],
  });
  expect(api.all<Event>(EVENTS).map((event) => event.message)).toEqual([
    message,
    `invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: ${message}`,
  ]);
  expect(replicas()).toBe(2);
});

it("takes no answer of another shape for metrics", async () => {
  api.answer = () => ({ items: [{ metadata: {} }] });
  runner = runControllers(api, [horizontalPodAutoscalerController]);
  await makeAutoscaler();
  await pass();
  expect(status()?.conditions?.at(-1)?.message).toContain("the answer is none of the metrics API");
});

it("does nothing where there is no autoscaler", async () => {
  runner = runControllers(api, [horizontalPodAutoscalerController]);
  const writes = api.calls.length;
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(api.calls.length).toBe(writes);
  expect(vi.getTimerCount()).toBe(0);
});
