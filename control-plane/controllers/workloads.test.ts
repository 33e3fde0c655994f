import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DEPLOYMENTS, EVENTS, PODS, REPLICA_SETS, REPLICATION_CONTROLLERS } from "../../shared/api/refs.ts";
import type { Deployment, Event, Pod, ReplicaSet, ReplicationController } from "../../shared/api/types.ts";
import { MemoryApi } from "../../test/builders/memory-api.ts";
import { runControllers } from "../../test/builders/run-controllers.ts";
import type { ControllerRunner } from "../runtime/index.ts";
import { deploymentController } from "./deployment/index.ts";
import { replicaSetController } from "./replicaset/index.ts";
import { replicationController } from "./replicationcontroller/index.ts";

const START_MS = Date.parse("2026-10-21T08:00:00Z");

let api: MemoryApi;
let runner: ControllerRunner;

beforeEach(() => {
  vi.useFakeTimers({ now: START_MS });
  api = new MemoryApi();
  api.nowMs = () => Date.now();
  runner = startRunner();
});

afterEach(() => vi.useRealTimers());

const startRunner = () => runControllers(api, [deploymentController, replicaSetController]);

/** Lets all that is ready run, and the short back-offs too. */
const settle = () => vi.advanceTimersByTimeAsync(100);

function web(replicas: number, more: Partial<Deployment["spec"]> = {}): Deployment {
  return {
    metadata: { name: "web", namespace: "default" },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "a" }] } },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      ...more,
    },
  };
}

const deployment = () => api.find<Deployment>(DEPLOYMENTS, "default/web");
const progressing = () => deployment()?.status?.conditions?.find(({ type }) => type === "Progressing");
const replicaSets = () => api.all<ReplicaSet>(REPLICA_SETS);
const pods = () => api.all<Pod>(PODS);
const messages = (reason: string) =>
  api
    .all<Event>(EVENTS)
    .filter((event) => event.reason === reason)
    .map((event) => event.message);

async function makeReady(chosen: Pod[] = pods()): Promise<void> {
  for (const { metadata } of chosen)
    await api.patch(PODS, metadata, "merge", {
      status: {
        phase: "Running",
        conditions: [{ type: "Ready", status: "True", lastTransitionTime: new Date().toISOString() }],
      },
    });
  await settle();
}

async function setImage(image: string): Promise<void> {
  const template = { spec: { containers: [{ name: "c", image }] } };
  await api.patch(DEPLOYMENTS, { name: "web", namespace: "default" }, "merge", { spec: { template } });
  await settle();
}

describe("a Deployment", () => {
  it("becomes a ReplicaSet and its pods, and counts them ready", async () => {
    await api.create(DEPLOYMENTS, web(3));
    await settle();
    const [rs] = replicaSets();
    expect(rs?.metadata).toMatchObject({
      annotations: {
        "deployment.kubernetes.io/desired-replicas": "3",
        "deployment.kubernetes.io/max-replicas": "4",
        "deployment.kubernetes.io/revision": "1",
      },
      ownerReferences: [{ kind: "Deployment", name: "web", controller: true, blockOwnerDeletion: true }],
    });
    expect(pods()).toHaveLength(3);
    expect(pods()[0]?.metadata.labels).toEqual(rs?.spec.selector.matchLabels);
    expect(messages("ScalingReplicaSet")).toEqual([`Scaled up replica set ${rs?.metadata.name} from 0 to 3`]);
    expect(messages("SuccessfulCreate")).toHaveLength(3);
    await makeReady();
    expect(deployment()?.metadata.annotations).toMatchObject({ "deployment.kubernetes.io/revision": "1" });
    expect(deployment()?.status).toMatchObject({ readyReplicas: 3, availableReplicas: 3, updatedReplicas: 3 });
    expect(deployment()?.status?.conditions).toMatchObject([
      { type: "Available", status: "True", reason: "MinimumReplicasAvailable" },
      { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable" },
    ]);
    await settle();
    expect(runner.isIdle).toBe(true);
  });

  it("rolls over to a new template within its limits, and back to the old ReplicaSet", async () => {
    await api.create(DEPLOYMENTS, web(4));
    await settle();
    await makeReady();
    const first = replicaSets()[0]?.metadata.name;
    await setImage("b");
    for (let i = 0; i < 20 && deployment()?.status?.unavailableReplicas !== undefined; i++) {
      expect(pods().length).toBeLessThanOrEqual(5);
      await makeReady();
    }
    expect(replicaSets().map((rs) => rs.spec.replicas)).toEqual([0, 4]);
    expect(replicaSets()).toHaveLength(2);
    await setImage("a");
    for (let i = 0; i < 20; i++) await makeReady();
    expect(replicaSets()).toHaveLength(2);
    const reused = replicaSets().find((rs) => rs.metadata.name === first);
    expect(reused?.spec.replicas).toBe(4);
    expect(reused?.metadata.annotations).toMatchObject({
      "deployment.kubernetes.io/revision": "3",
      "deployment.kubernetes.io/revision-history": "1",
    });
    expect(deployment()?.metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("3");
  });

  it("replaces a deleted pod at once, also while the old one is terminating", async () => {
    await api.create(DEPLOYMENTS, web(2));
    await settle();
    const [victim] = pods();
    await api.patch(PODS, victim!.metadata, "merge", { spec: { nodeName: "n1" } });
    await api.delete(PODS, victim!.metadata);
    await settle();
    expect(pods()).toHaveLength(3);
    expect(replicaSets()[0]?.status).toMatchObject({ replicas: 2, terminatingReplicas: 1 });
  });

  it("tells that the deadline has passed", async () => {
    await api.create(DEPLOYMENTS, web(1, { progressDeadlineSeconds: 60 }));
    await settle();
    await vi.advanceTimersByTimeAsync(59_000);
    expect(progressing()?.reason).toBe("ReplicaSetUpdated");
    await runner.alarm();
    await vi.advanceTimersByTimeAsync(5_000);
    await runner.alarm();
    await settle();
    expect(progressing()).toMatchObject({
      status: "False",
      reason: "ProgressDeadlineExceeded",
      message: `ReplicaSet "${replicaSets()[0]?.metadata.name}" has timed out progressing.`,
    });
  });

  it("creates nothing twice when its memory is lost in the middle", async () => {
    await api.create(DEPLOYMENTS, web(5));
    await vi.advanceTimersByTimeAsync(0);
    runner = startRunner();
    await settle();
    expect(replicaSets()).toHaveLength(1);
    expect(pods().length).toBeGreaterThanOrEqual(5);
    await settle();
    expect(pods().filter((pod) => !pod.metadata.deletionTimestamp)).toHaveLength(5);
  });
});

describe("a ReplicationController", () => {
  const labels = { app: "r" };
  const counted = () => api.find<ReplicationController>(REPLICATION_CONTROLLERS, "default/r")?.status;

  it("keeps its pods by the rules of a ReplicaSet, and says nothing of terminating ones", async () => {
    runner = runControllers(api, [replicationController]);
    await api.create(PODS, { metadata: { name: "orphan", namespace: "default", labels }, spec: { containers: [] } });
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "a" }] } };
    await api.create<ReplicationController>(REPLICATION_CONTROLLERS, {
      metadata: { name: "r", namespace: "default" },
      spec: { replicas: 3, selector: labels, template },
    });
    await settle();
    const owners = pods().map(({ metadata }) => metadata.ownerReferences?.[0]);
    expect(owners).toHaveLength(3);
    for (const owner of owners)
      expect(owner).toMatchObject({ apiVersion: "v1", kind: "ReplicationController", name: "r" });
    expect(counted()).toEqual({ replicas: 3, fullyLabeledReplicas: 3, observedGeneration: 1 });
    await makeReady();
    await api.patch(REPLICATION_CONTROLLERS, { name: "r", namespace: "default" }, "merge", { spec: { replicas: 1 } });
    await settle();
    expect(pods()).toHaveLength(1);
    expect(counted()).toMatchObject({ replicas: 1, readyReplicas: 1, availableReplicas: 1, observedGeneration: 2 });
    const writes = api.calls.length;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(api.calls).toHaveLength(writes);
  });
});
