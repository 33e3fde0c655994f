import { describe, expect, it } from "vitest";
import type { Job, JobSpec, JobStatus, Pod } from "../../../shared/api/types.ts";
import { job, pod } from "../../../test/builders/objects.ts";
import { NO_FAILURES } from "./backoff.ts";
import { COMPLETION_INDEX, INDEX_FAILURES } from "./completion-index.ts";
import { decideStep, MAX_PODS_PER_STEP } from "./decide.ts";
import { observe } from "./observe.ts";
import { TRACKING_FINALIZER } from "./tracking-finalizer.ts";

const NOW_MS = Date.parse("2026-10-21T08:00:00Z");
const ago = (seconds: number) => new Date(NOW_MS - seconds * 1000).toISOString().replace(".000Z", "Z");

const jobWith = (spec: Partial<JobSpec>, status: JobStatus = { startTime: ago(60) }): Job => ({
  ...job("j").build(),
  spec: { ...job("j").build().spec, ...spec },
  status,
});
const indexed = (spec: Partial<JobSpec>, status?: JobStatus) => jobWith({ completionMode: "Indexed", ...spec }, status);

interface PodFacts {
  phase?: "Pending" | "Running" | "Succeeded" | "Failed";
  index?: number;
  failures?: number;
  /** Seconds since its container ended. */
  ended?: number;
  exitCode?: number;
  restarts?: number;
  tracked?: boolean;
  deleting?: boolean;
  ready?: boolean;
  condition?: string;
}

function podWith(name: string, facts: PodFacts): Pod {
  const { phase = "Running", index, failures, ended, exitCode = 1, restarts = 0, tracked = true } = facts;
  const built = pod(name).uid(name).phase(phase).createdAt(ago(600));
  if (facts.ready) built.ready(ago(30));
  if (facts.condition) built.condition(facts.condition, "True", ago(1));
  if (index !== undefined) built.annotated({ [COMPLETION_INDEX]: String(index) });
  if (failures !== undefined) built.annotated({ [INDEX_FAILURES]: String(failures) });
  if (facts.deleting) built.deleting(ago(0), 0);
  const state = ended === undefined ? {} : { terminated: { exitCode, finishedAt: ago(ended) } };
  const containerStatuses = [{ name: "main", image: "", imageID: "", ready: false, restartCount: restarts, state }];
  return built
    .with({ metadata: { finalizers: tracked ? [TRACKING_FINALIZER] : [] }, status: { containerStatuses } })
    .build();
}

const stepOf = (j: Job, pods: PodFacts[] = [], mayAct = true) =>
  decideStep(
    observe({ job: j, pods: pods.map((facts, i) => podWith(`p${i}`, facts)), backoff: NO_FAILURES }),
    mayAct,
    NOW_MS,
  );

const many = (count: number, facts: PodFacts): PodFacts[] => Array.from({ length: count }, () => facts);

describe("decideStep", () => {
  it.each<{ name: string; job: Job; pods?: PodFacts[]; create: number; remove?: string[] }>([
    { name: "JOB-13: starts as many as run at once", job: jobWith({ completions: 8, parallelism: 4 }), create: 4 },
    { name: "starts no more than are missing", job: jobWith({ completions: 2, parallelism: 4 }), create: 2 },
    {
      name: "leaves what runs",
      job: jobWith({ completions: 8, parallelism: 4 }),
      pods: many(3, {}),
      create: 1,
    },
    {
      name: "starts no more than one step allows",
      job: jobWith({ completions: 2000, parallelism: 2000 }),
      create: MAX_PODS_PER_STEP,
    },
    {
      name: "counts what the status has and what ended since",
      job: jobWith({ completions: 5, parallelism: 5 }, { startTime: ago(9), succeeded: 2 }),
      pods: [{ phase: "Succeeded" }, { phase: "Succeeded", tracked: false }],
      create: 2,
    },
    {
      name: "counts what is noted, too, and not twice",
      job: jobWith(
        { completions: 5, parallelism: 5 },
        { startTime: ago(9), uncountedTerminatedPods: { succeeded: ["p0"] } },
      ),
      pods: [{ phase: "Succeeded" }],
      create: 4,
    },
    { name: "fills a work queue", job: jobWith({ completions: undefined, parallelism: 3 }), create: 3 },
    {
      name: "starts none in a work queue that one pod found empty",
      job: jobWith({ completions: undefined, parallelism: 3 }),
      pods: [{ phase: "Succeeded" }, {}],
      create: 0,
    },
    {
      name: "gives up the least useful first",
      job: jobWith({ completions: 8, parallelism: 1 }),
      pods: [{ ready: true }, { phase: "Pending" }, {}],
      create: 0,
      remove: ["p1", "p2"],
    },
    {
      name: "suspended: takes all that run",
      job: jobWith({ completions: 8, parallelism: 2, suspend: true }),
      pods: [{}, {}, { phase: "Succeeded" }],
      create: 0,
      remove: ["p0", "p1"],
    },
    {
      name: "replaces a terminating pod at once",
      job: jobWith({ completions: 1 }),
      pods: [{ deleting: true, ended: 60 }],
      create: 1,
    },
    {
      name: "JOB-06: waits for a terminating pod where only failed ones are replaced",
      job: jobWith({ completions: 1, podReplacementPolicy: "Failed" }),
      pods: [{ deleting: true }],
      create: 0,
    },
    {
      name: "starts nothing for a Job that is being deleted",
      job: { ...jobWith({}), metadata: { ...jobWith({}).metadata, deletionTimestamp: ago(1) } },
      create: 0,
    },
  ])("$name", ({ job, pods, create, remove = [] }) => {
    const step = stepOf(job, pods);
    expect(step.create).toHaveLength(create);
    expect(step.remove.map(({ metadata }) => metadata.name)).toEqual(remove);
    expect(step.end).toBeUndefined();
  });

  it("starts nothing in a namespace that is being deleted", () => {
    const observed = observe({ job: jobWith({}), pods: [], backoff: NO_FAILURES, isNamespaceGoing: true });
    expect(decideStep(observed, true, NOW_MS).create).toEqual([]);
  });

  it("does nothing while earlier writes are not seen", () => {
    expect(stepOf(jobWith({ completions: 8, parallelism: 4 }), [], false)).toMatchObject({
      create: [],
      isManaged: false,
    });
  });

  it.each<{ name: string; job: Job; pods?: PodFacts[]; indexes: number[]; remove?: string[] }>([
    { name: "JOB-08: begins with the first", job: indexed({ completions: 8, parallelism: 3 }), indexes: [0, 1, 2] },
    {
      name: "fills the gaps",
      job: indexed({ completions: 8, parallelism: 5 }, { startTime: ago(9), completedIndexes: "1,3" }),
      pods: [{ index: 0 }, { index: 4, phase: "Succeeded" }],
      indexes: [2, 5, 6, 7],
    },
    {
      name: "takes pods of one index but one, and those without",
      job: indexed({ completions: 3, parallelism: 3 }),
      pods: [{ index: 0, ready: true }, { index: 0 }, {}, { index: 7 }],
      indexes: [],
      remove: ["p1", "p2", "p3"],
    },
    {
      name: "leaves an index alone whose pod is terminating, where only failed ones are replaced",
      job: indexed({ completions: 2, parallelism: 2, podReplacementPolicy: "Failed" }),
      pods: [{ index: 0, deleting: true }],
      indexes: [1],
    },
    {
      name: "JOB-05: each index backs off by itself",
      job: indexed({ completions: 3, parallelism: 3, backoffLimitPerIndex: 5, backoffLimit: 2 ** 31 - 1 }),
      pods: [
        { index: 0, phase: "Failed", failures: 0, ended: 11 },
        { index: 1, phase: "Failed", failures: 1, ended: 11 },
        { index: 2 },
      ],
      indexes: [0],
    },
    {
      name: "starts no index again that has failed for good",
      job: indexed({ completions: 3, parallelism: 3, backoffLimitPerIndex: 1, backoffLimit: 2 ** 31 - 1 }),
      pods: [{ index: 0, phase: "Failed", failures: 1, ended: 60 }, { index: 1 }],
      indexes: [2],
    },
    {
      name: "an elastic Job that grew starts what is new",
      job: indexed({ completions: 4, parallelism: 4 }, { startTime: ago(9), completedIndexes: "0,1" }),
      indexes: [2, 3],
    },
  ])("indexes: $name", ({ job, pods, indexes, remove = [] }) => {
    const step = stepOf(job, pods);
    expect(step.create.map(({ index }) => index)).toEqual(indexes);
    expect(step.remove.map(({ metadata }) => metadata.name).sort()).toEqual(remove);
  });

  it.each<{ name: string; job: Job; pods: PodFacts[]; afterMs: number }>([
    { name: "10 s", job: jobWith({}), pods: [{ phase: "Failed", ended: 3 }], afterMs: 7000 },
    {
      name: "20 s after the second failure",
      job: jobWith({ parallelism: 2, completions: 2 }),
      pods: [
        { phase: "Failed", ended: 30 },
        { phase: "Failed", ended: 3 },
      ],
      afterMs: 17_000,
    },
    { name: "a second at least", job: jobWith({}), pods: [{ phase: "Failed", ended: 9.5 }], afterMs: 1000 },
    {
      name: "until the first index may",
      job: indexed({ completions: 2, parallelism: 2, backoffLimitPerIndex: 5 }),
      pods: [
        { index: 0, phase: "Failed", failures: 2, ended: 3 },
        { index: 1, phase: "Failed", failures: 1, ended: 3 },
      ],
      afterMs: 17_000,
    },
    {
      name: "no longer than until the deadline",
      job: jobWith({ activeDeadlineSeconds: 62 }),
      pods: [{ phase: "Failed", ended: 3 }],
      afterMs: 2000,
    },
  ])("JOB-02: waits with a replacement: $name", ({ job, pods, afterMs }) => {
    expect(stepOf(job, pods)).toMatchObject({ create: [], isBackingOff: true, recheckAfterMs: afterMs });
  });

  it.each<{ name: string; job: Job; pods: PodFacts[]; reason: string; message: string; type?: string }>([
    {
      name: "JOB-01: more failures than backoffLimit",
      job: jobWith({ backoffLimit: 1 }, { startTime: ago(60), failed: 1 }),
      pods: [{ phase: "Failed" }, {}],
      reason: "BackoffLimitExceeded",
      message: "Job has reached the specified backoff limit",
    },
    {
      name: "JOB-01: restarts of containers, with OnFailure",
      job: jobWith({
        backoffLimit: 2,
        template: { spec: { restartPolicy: "OnFailure", containers: [{ name: "main" }] } },
      }),
      pods: [{ restarts: 1 }, { restarts: 1 }],
      reason: "BackoffLimitExceeded",
      message: "Job has reached the specified backoff limit",
    },
    {
      name: "activeDeadlineSeconds",
      job: jobWith({ activeDeadlineSeconds: 60 }),
      pods: [{}],
      reason: "DeadlineExceeded",
      message: "Job was active longer than specified deadline",
    },
    {
      name: "JOB-03: the deadline although backoffLimit is far",
      job: jobWith({ activeDeadlineSeconds: 60, backoffLimit: 100 }),
      pods: [{ phase: "Failed" }],
      reason: "DeadlineExceeded",
      message: "Job was active longer than specified deadline",
    },
    {
      name: "JOB-09: too many failed indexes",
      job: indexed(
        { completions: 9, parallelism: 2, backoffLimitPerIndex: 0, maxFailedIndexes: 3, backoffLimit: 2 ** 31 - 1 },
        { startTime: ago(9), failedIndexes: "0-2" },
      ),
      pods: [{ index: 3, phase: "Failed", failures: 0 }],
      reason: "MaxFailedIndexesExceeded",
      message: "Job has exceeded the specified maximal number of failed indexes",
    },
    {
      name: "failed indexes, when all others are done",
      job: indexed(
        { completions: 3, parallelism: 2, backoffLimitPerIndex: 0, backoffLimit: 2 ** 31 - 1 },
        { startTime: ago(9), completedIndexes: "0,1" },
      ),
      pods: [{ index: 2, phase: "Failed", failures: 0 }],
      reason: "FailedIndexes",
      message: "Job has failed indexes",
    },
    {
      name: "a rule by exit code",
      job: jobWith({
        podFailurePolicy: {
          rules: [
            { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
            { action: "FailJob", onExitCodes: { operator: "In", values: [42] } },
          ],
        },
      }),
      pods: [{ phase: "Failed", ended: 1, exitCode: 42 }],
      reason: "PodFailurePolicy",
      message: "Container main for pod default/p0 failed with exit code 42 matching FailJob rule at index 1",
    },
    {
      name: "a rule by condition",
      job: jobWith({
        podFailurePolicy: {
          rules: [{ action: "FailJob", onPodConditions: [{ type: "ConfigIssue", status: "True" }] }],
        },
      }),
      pods: [{ phase: "Failed", condition: "ConfigIssue" }],
      reason: "PodFailurePolicy",
      message: "Pod default/p0 has condition ConfigIssue matching FailJob rule at index 0",
    },
    {
      name: "success by a rule",
      job: indexed({
        completions: 5,
        parallelism: 5,
        successPolicy: { rules: [{ succeededIndexes: "3,4" }, { succeededIndexes: "0-2", succeededCount: 1 }] },
      }),
      pods: [{ index: 1, phase: "Succeeded" }, { index: 0 }],
      reason: "SuccessPolicy",
      message: "Matched rules at index 1",
      type: "SuccessCriteriaMet",
    },
    {
      name: "what was decided before, whatever the pods say",
      job: jobWith(
        { backoffLimit: 0 },
        { startTime: ago(9), conditions: [{ type: "SuccessCriteriaMet", status: "True", reason: "R", message: "M" }] },
      ),
      pods: [{ phase: "Failed" }],
      reason: "R",
      message: "M",
      type: "SuccessCriteriaMet",
    },
  ])("ends: $name", ({ job, pods, reason, message, type = "FailureTarget" }) => {
    const step = stepOf(job, pods);
    expect(step).toMatchObject({ end: { type, status: "True", reason, message }, create: [], removesUncounted: false });
    const active = pods.flatMap(({ phase = "Running" }, i) => (phase === "Running" ? [`p${i}`] : []));
    expect(step.remove.map(({ metadata }) => metadata.name)).toEqual(active);
  });

  it.each<{ name: string; job: Job; pods: PodFacts[] }>([
    {
      name: "JOB-11: an ignored failure",
      job: jobWith({
        backoffLimit: 0,
        podFailurePolicy: {
          rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
        },
      }),
      pods: [{ phase: "Failed", condition: "DisruptionTarget" }],
    },
    {
      name: "JOB-10: an index that a rule gave up, while others run",
      job: indexed({
        completions: 2,
        parallelism: 2,
        backoffLimitPerIndex: 3,
        backoffLimit: 2 ** 31 - 1,
        podFailurePolicy: { rules: [{ action: "FailIndex", onExitCodes: { operator: "In", values: [42] } }] },
      }),
      pods: [{ index: 0, phase: "Failed", ended: 60, exitCode: 42 }, { index: 1 }],
    },
    {
      name: "a suspended Job past its deadline",
      job: jobWith({ activeDeadlineSeconds: 5, suspend: true }),
      pods: [{}],
    },
    {
      name: "a pod without an index that the Job has",
      job: indexed({ completions: 1, parallelism: 1, backoffLimit: 0 }),
      pods: [{ index: 3, phase: "Failed" }, { index: 0 }],
    },
  ])("does not end: $name", ({ job, pods }) => {
    const step = stepOf(job, pods);
    expect(step.end).toBeUndefined();
  });

  it("gives up an index for good by a rule", () => {
    const j = indexed({
      completions: 2,
      parallelism: 2,
      backoffLimitPerIndex: 3,
      podFailurePolicy: { rules: [{ action: "FailIndex", onExitCodes: { operator: "NotIn", values: [1, 2] } }] },
    });
    const failed = podWith("p", { index: 0, phase: "Failed", exitCode: 42, ended: 60 });
    expect(observe({ job: j, pods: [failed], backoff: NO_FAILURES }).indexes).toMatchObject({
      failed: [[0, 0]],
      toReplace: new Map(),
    });
  });
});
