import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EVENTS, JOBS, NAMESPACES, PODS } from "../../shared/api/refs.ts";
import { forbidden, invalid } from "../../shared/api/status.ts";
import type { Event, Job, JobSpec, Pod } from "../../shared/api/types.ts";
import { MemoryApi } from "../../test/builders/memory-api.ts";
import { memoryNotes } from "../../test/builders/memory-notes.ts";
import { mortalClient } from "../../test/builders/mortal-client.ts";
import { runControllers } from "../../test/builders/run-controllers.ts";
import type { ControllerRunner, Notes } from "../runtime/index.ts";
import { jobController } from "./job/index.ts";
import { TRACKING_FINALIZER } from "./job/tracking-finalizer.ts";
import { ttlAfterFinishedController } from "./ttl-after-finished/index.ts";

const START_MS = Date.parse("2026-10-21T08:00:00Z");
const CONTROLLERS = [jobController, ttlAfterFinishedController];

let api: MemoryApi;
let runner: ControllerRunner;
let notes: Notes;

beforeEach(() => vi.useFakeTimers({ now: START_MS }));
afterEach(() => vi.useRealTimers());

function begin(): void {
  vi.setSystemTime(START_MS);
  api = new MemoryApi();
  api.nowMs = () => Date.now();
  notes = memoryNotes();
}

/** Lets so many seconds pass, with the alarms that come due. */
async function pass(seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    await vi.advanceTimersByTimeAsync(1000);
    void runner.alarm();
  }
  await vi.advanceTimersByTimeAsync(50);
}

function job(spec: Partial<JobSpec>): Job {
  return {
    metadata: { name: "j", namespace: "default" },
    spec: {
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      selector: { matchLabels: { job: "j" } },
      template: { metadata: { labels: { job: "j" } }, spec: { restartPolicy: "Never", containers: [{ name: "c" }] } },
      ...spec,
    },
  };
}

const theJob = () => api.find<Job>(JOBS, "default/j");
const pods = () => api.all<Pod>(PODS);
const running = () => pods().filter(({ status }) => status?.phase === undefined);
const conditions = () => theJob()?.status?.conditions?.map(({ type, status }) => `${type}=${status}`);
const reasons = () => api.all<Event>(EVENTS).map(({ reason }) => reason);
const isHeld = (pod: Pod) => pod.metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false;

const end = (pod: Pod, phase: "Succeeded" | "Failed") => api.patch(PODS, pod.metadata, "merge", { status: { phase } });

describe("a Job", () => {
  beforeEach(() => {
    begin();
    runner = runControllers(api, CONTROLLERS, notes);
  });

  it("runs pods to completion, and counts each of them", async () => {
    await api.create(JOBS, job({ completions: 3, parallelism: 2 }));
    await pass(2);
    expect(pods()).toHaveLength(2);
    expect(pods().every(isHeld)).toBe(true);
    expect(theJob()?.status).toMatchObject({ active: 2, ready: 0, terminating: 0 });
    for (const pod of pods()) await end(pod, "Succeeded");
    await pass(3);
    expect(theJob()?.status).toMatchObject({ active: 1, succeeded: 2, uncountedTerminatedPods: {} });
    for (const pod of running()) await end(pod, "Succeeded");
    await pass(3);
    expect(conditions()).toEqual(["SuccessCriteriaMet=True", "Complete=True"]);
    expect(pods().some(isHeld)).toBe(false);
    expect(reasons()).toEqual(["SuccessfulCreate", "SuccessfulCreate", "SuccessfulCreate", "Completed"]);
    const { length } = api.calls;
    await pass(30);
    expect([runner.isIdle, api.calls.length]).toEqual([true, length]);
  });

  it("JOB-02: replaces failed pods later and later, also when its memory is lost meanwhile", async () => {
    await api.create(JOBS, job({}));
    const waits: number[] = [];
    for (const evict of [false, true, false]) {
      await pass(1);
      const [pod] = running();
      await end(pod!, "Failed");
      const failedMs = Date.now();
      await api.patch(PODS, pod!.metadata, "merge", {
        status: {
          containerStatuses: [
            { name: "c", state: { terminated: { exitCode: 1, finishedAt: new Date().toISOString() } } },
          ],
        },
      });
      await pass(3);
      if (evict) runner = runControllers(api, CONTROLLERS, notes);
      while (running().length === 0) await pass(1);
      waits.push(Math.floor((Date.now() - failedMs) / 1000));
    }
    expect(waits).toEqual([10, 20, 40]);
    expect([...notes.list("job-backoff/")]).toHaveLength(1);
    await end(running()[0]!, "Succeeded");
    await pass(3);
    expect([...notes.list("job-backoff/")]).toEqual([]);
  });

  it("ends in failure, with all its pods", async () => {
    await api.create(JOBS, job({ backoffLimit: 0, completions: 3, parallelism: 3 }));
    await pass(1);
    await end(pods()[0]!, "Failed");
    await pass(5);
    expect(theJob()?.status).toMatchObject({ failed: 3, ready: 0, terminating: 0 });
    expect(theJob()?.status?.active).toBeUndefined();
    expect(conditions()).toEqual(["FailureTarget=True", "Failed=True"]);
    expect(pods().map(({ status }) => status?.phase)).toEqual(["Failed"]);
    expect(reasons().slice(3)).toEqual(["SuccessfulDelete", "SuccessfulDelete", "BackoffLimitExceeded"]);
  });

  it("is suspended and resumed, and its deadline starts anew", async () => {
    await api.create(JOBS, job({ suspend: true, activeDeadlineSeconds: 30 }));
    await pass(2);
    expect([pods().length, theJob()?.status?.startTime, conditions()]).toEqual([0, undefined, ["Suspended=True"]]);
    await pass(60);
    await api.patch(JOBS, { name: "j", namespace: "default" }, "merge", { spec: { suspend: false } });
    await pass(1);
    expect([pods().length, conditions()]).toEqual([1, ["Suspended=False"]]);
    await api.patch(JOBS, { name: "j", namespace: "default" }, "merge", { spec: { suspend: true } });
    await pass(4);
    expect([pods().length, theJob()?.status?.failed]).toEqual([0, undefined]);
    await api.patch(JOBS, { name: "j", namespace: "default" }, "merge", { spec: { suspend: false } });
    await pass(29);
    expect(conditions()).toEqual(["Suspended=False"]);
    await pass(5);
    expect(conditions()).toEqual(["Suspended=False", "FailureTarget=True", "Failed=True"]);
    expect(reasons()).toEqual(expect.arrayContaining(["Suspended", "Resumed", "DeadlineExceeded"]));
  });

  it("adopts what it selects, holding it, and lets go of what it does not", async () => {
    await api.create(JOBS, job({}));
    await pass(1);
    const [pod] = pods();
    await api.patch(PODS, pod!.metadata, "merge", { metadata: { labels: { job: "other" } } });
    await pass(2);
    const released = pods().find(({ metadata }) => metadata.name === pod?.metadata.name);
    expect([released?.metadata.ownerReferences, released?.metadata.finalizers]).toEqual([[], []]);
    await api.delete(JOBS, { name: "j", namespace: "default" });
    await pass(1);
    await api.patch(PODS, pod!.metadata, "merge", { metadata: { labels: { job: "j" } } });
    for (const { metadata } of pods()) if (metadata.name !== pod?.metadata.name) await api.delete(PODS, metadata);
    await api.create(JOBS, job({}));
    await pass(2);
    expect(pods().map(({ metadata }) => [metadata.name, metadata.finalizers])).toEqual([
      [pod?.metadata.name, [TRACKING_FINALIZER]],
    ]);
  });

  it("frees the pods it leaves behind", async () => {
    await api.create(JOBS, job({ completions: 2, parallelism: 2 }));
    await pass(1);
    await api.delete(JOBS, { name: "j", namespace: "default" });
    await pass(1);
    expect(pods().map(({ metadata }) => metadata.finalizers)).toEqual([[], []]);
  });

  it("is left alone when somebody else manages it", async () => {
    await api.create(JOBS, job({ managedBy: "example.test/queue" }));
    await pass(2);
    expect([pods(), theJob()?.status]).toEqual([[], undefined]);
  });

  it("tries seldom when pods are refused, and says so", async () => {
    api.refuse = ({ verb, resource }) => {
      if (verb === "create" && resource === "pods")
        throw forbidden({ group: "", resource: "pods" }, "", "exceeded quota");
    };
    await api.create(JOBS, job({ completions: 4, parallelism: 4 }));
    await pass(8);
    expect(reasons().filter((reason) => reason === "FailedCreate").length).toBeLessThanOrEqual(4);
    expect(theJob()?.status?.active).toBeUndefined();
    api.refuse = () => {};
    await pass(10);
    expect([pods().length, theJob()?.status?.active]).toEqual([4, 4]);
  });

  it("replaces a pod in time although its status is refused meanwhile", async () => {
    await api.create(JOBS, job({ completions: 2, parallelism: 2 }));
    await pass(1);
    api.refuse = ({ verb, resource }) => {
      if (verb === "update" && resource === "jobs") throw invalid({ group: "batch", kind: "Job" }, "j", []);
    };
    await end(pods()[0]!, "Failed");
    await pass(8);
    expect(running()).toHaveLength(1);
    await pass(4);
    expect(running()).toHaveLength(2);
    api.refuse = () => {};
    await pass(60);
    expect(theJob()?.status).toMatchObject({ active: 2, failed: 1 });
    expect(pods()).toHaveLength(3);
  });

  it("lets a namespace go although failed pods of indexes have no replacement", async () => {
    await api.create(NAMESPACES, { metadata: { name: "default" } });
    const perIndex = { completionMode: "Indexed", backoffLimitPerIndex: 3, backoffLimit: 2 ** 31 - 1 };
    await api.create(JOBS, job(perIndex));
    await pass(1);
    await end(pods()[0]!, "Failed");
    await pass(3);
    expect(pods().map(isHeld)).toEqual([true]);
    await api.patch(NAMESPACES, { name: "default" }, "merge", {
      metadata: { deletionTimestamp: new Date().toISOString() },
    });
    await api.delete(PODS, pods()[0]!.metadata);
    await pass(20);
    expect(pods()).toEqual([]);
  });

  it("JOB-12: goes with its pods when its TTL is over", async () => {
    await api.create(JOBS, job({ ttlSecondsAfterFinished: 20 }));
    await pass(1);
    await end(pods()[0]!, "Succeeded");
    await pass(15);
    expect(theJob()?.metadata.deletionTimestamp).toBeUndefined();
    await pass(10);
    expect(theJob()?.metadata.deletionTimestamp).toBeDefined();
    expect(api.calls.at(-1)).toMatchObject({ verb: "delete", body: { propagationPolicy: "Foreground" } });
  });
});

/** Runs a Job to its end while the controller dies after each possible number of writes. */
async function runWithDeaths(spec: Partial<JobSpec>, fails: (pod: Pod, nth: number) => boolean, writes: number) {
  begin();
  await api.create(JOBS, job(spec));
  const { client, isDead } = mortalClient(api, writes);
  runner = runControllers(api, CONTROLLERS, notes, client);
  const seen: string[] = [];
  let hasDied = false;
  for (let i = 0; i < 200 && !conditions()?.some((text) => /^(Complete|Failed)=True/.test(text)); i++) {
    await pass(1);
    // The first pods all run before one ends, so that the end does not depend on when the death was.
    for (const pod of pods().length < (spec.parallelism ?? 1)
      ? []
      : running().filter(({ metadata }) => !metadata.deletionTimestamp)) {
      seen.push(pod.metadata.uid!);
      await end(pod, fails(pod, seen.length) ? "Failed" : "Succeeded");
      break;
    }
    if (!isDead() || hasDied) continue;
    hasDied = true;
    runner = runControllers(api, CONTROLLERS, notes);
  }
  await pass(5);
  const { succeeded, failed, active, completedIndexes, failedIndexes, uncountedTerminatedPods } =
    theJob()?.status ?? {};
  return {
    hasDied,
    state: {
      counts: { succeeded, failed, active, completedIndexes, failedIndexes, uncountedTerminatedPods },
      conditions: conditions(),
      held: pods().filter(isHeld).length,
      created: api.calls.filter(({ verb, resource }) => verb === "create" && resource === "pods").length,
    },
  };
}

describe("a Job whose controller dies after any write", () => {
  it.each<{ name: string; spec: Partial<JobSpec>; fails: (pod: Pod, nth: number) => boolean; created: number }>([
    { name: "completes", spec: { completions: 4, parallelism: 2 }, fails: (_, nth) => nth === 2, created: 5 },
    {
      name: "fails",
      spec: { completions: 4, parallelism: 3, backoffLimit: 1 },
      fails: () => true,
      created: 3,
    },
    {
      name: "completes by index",
      spec: {
        completionMode: "Indexed",
        completions: 3,
        parallelism: 3,
        backoffLimitPerIndex: 1,
        backoffLimit: 2 ** 31 - 1,
      },
      fails: ({ metadata }, nth) => nth < 5 && metadata.generateName === "j-1-",
      created: 4,
    },
  ])("$name all the same", { timeout: 120_000 }, async ({ spec, fails, created }) => {
    const { state: want } = await runWithDeaths(spec, fails, 10_000);
    expect(want.created).toBe(created);
    expect(want.held).toBe(0);
    for (let writes = 0; ; writes++) {
      const { state, hasDied } = await runWithDeaths(spec, fails, writes);
      expect(state, `after ${writes} writes`).toEqual(want);
      if (!hasDied) break;
      expect(writes).toBeLessThan(100);
    }
  });
});
