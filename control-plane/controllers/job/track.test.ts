import { describe, expect, it } from "vitest";
import type { Job, JobSpec, JobStatus, Pod } from "../../../shared/api/types.ts";
import { job, pod } from "../../../test/builders/objects.ts";
import { NO_FAILURES } from "./backoff.ts";
import { COMPLETION_INDEX } from "./completion-index.ts";
import { decideStep } from "./decide.ts";
import { COMPLETIONS_REACHED, type End } from "./end.ts";
import { observe } from "./observe.ts";
import { compactStatus, countReleased, decideFinish, decideTracking, isJobStatusSame } from "./track.ts";
import { TRACKING_FINALIZER } from "./tracking-finalizer.ts";

const NOW_MS = Date.parse("2026-10-21T08:00:00Z");
const NOW = "2026-10-21T08:00:00Z";
const START = "2026-10-21T07:00:00Z";

const jobWith = (spec: Partial<JobSpec>, status: JobStatus = { startTime: START }): Job => ({
  ...job("j").build(),
  spec: { ...job("j").build().spec, ...spec },
  status,
});

type Phase = "Running" | "Succeeded" | "Failed";

function podWith(name: string, phase: Phase, index?: number): Pod {
  const built = pod(name).uid(name).phase(phase);
  if (index !== undefined) built.annotated({ [COMPLETION_INDEX]: String(index) });
  return built.with({ metadata: { finalizers: [TRACKING_FINALIZER] } }).build();
}

/** With the step that comes before it carried out as planned. */
function trackingOf(j: Job, pods: Pod[], isCleared = true, isNamespaceGoing = false) {
  const observed = observe({ job: j, pods, backoff: NO_FAILURES, isNamespaceGoing });
  const step = decideStep(observed, true, NOW_MS);
  const outcome = {
    activeCount: observed.active.length - step.remove.length + step.create.length,
    readyCount: 0,
    terminatingCount: step.remove.length,
    isCleared,
  };
  const tracking = decideTracking(observed, step, outcome, NOW_MS);
  return { ...tracking, status: compactStatus(tracking.status), release: tracking.release.map((p) => p.metadata.name) };
}

const condition = (type: string, reason: string, message: string, status = "True") => ({
  type,
  status,
  lastProbeTime: NOW,
  lastTransitionTime: NOW,
  reason,
  message,
});

describe("decideTracking", () => {
  it("notes the start and what is being created", () => {
    expect(trackingOf(jobWith({ completions: 3, parallelism: 2 }, {}), [])).toMatchObject({
      status: { startTime: NOW, active: 2, ready: 0, terminating: 0, uncountedTerminatedPods: {} },
      release: [],
      events: [],
    });
  });

  it("notes ends by uid before they are counted", () => {
    const pods = [podWith("a", "Succeeded"), podWith("b", "Failed"), podWith("c", "Running")];
    expect(trackingOf(jobWith({ completions: 3, parallelism: 2 }), pods)).toMatchObject({
      status: { uncountedTerminatedPods: { succeeded: ["a"], failed: ["b"] } },
      release: ["a", "b"],
    });
  });

  it("counts what a crash left noted and released, and notes nothing twice", () => {
    const j = jobWith(
      { completions: 9, parallelism: 2 },
      { startTime: START, succeeded: 4, uncountedTerminatedPods: { succeeded: ["gone", "a"], failed: ["lost"] } },
    );
    const { status, release } = trackingOf(j, [podWith("a", "Succeeded")]);
    expect(status).toMatchObject({ succeeded: 5, failed: 1, uncountedTerminatedPods: { succeeded: ["a"] } });
    expect(release).toEqual(["a"]);
  });

  it("notes a bounded number at a time", () => {
    const pods = Array.from({ length: 700 }, (_, i) => podWith(`p${i}`, "Succeeded"));
    const tracking = trackingOf(jobWith({ completions: 700, parallelism: 700 }), pods);
    expect(tracking.isFull).toBe(true);
    expect(tracking.release).toHaveLength(500);
  });

  it("notes indexes in their order", () => {
    const j = jobWith(
      { completionMode: "Indexed", completions: 9, parallelism: 9 },
      { startTime: START, completedIndexes: "0" },
    );
    const pods = [podWith("c", "Succeeded", 5), podWith("a", "Succeeded", 1), podWith("b", "Succeeded", 2)];
    expect(trackingOf(j, pods)).toMatchObject({
      status: { completedIndexes: "0-2,5", succeeded: 4, uncountedTerminatedPods: {} },
      release: ["a", "b", "c"],
    });
  });

  it("an elastic Job that shrinks forgets indexes beyond its end", () => {
    const j = jobWith(
      { completionMode: "Indexed", completions: 2, parallelism: 2 },
      { startTime: START, completedIndexes: "0,2-4", succeeded: 4 },
    );
    expect(trackingOf(j, []).status).toMatchObject({ completedIndexes: "0", succeeded: 1 });
  });

  it("says that the Job will be complete", () => {
    const { status, end } = trackingOf(jobWith({}), [podWith("a", "Succeeded")]);
    expect(end).toEqual(COMPLETIONS_REACHED);
    expect(status.conditions).toEqual([
      condition("SuccessCriteriaMet", "CompletionsReached", "Reached expected number of succeeded pods"),
    ]);
  });

  it("counts all that ran as failed when the Job fails", () => {
    const pods = [podWith("a", "Failed"), podWith("b", "Running")];
    const { status, release } = trackingOf(jobWith({ backoffLimit: 0, parallelism: 2, completions: 2 }), pods);
    expect(status.uncountedTerminatedPods).toEqual({ failed: ["a", "b"] });
    expect(status.conditions).toMatchObject([{ type: "FailureTarget", reason: "BackoffLimitExceeded" }]);
    expect(release).toEqual(["a", "b"]);
  });

  it("does not say that the Job fails before its pods are deleted", () => {
    const pods = [podWith("a", "Failed"), podWith("b", "Running")];
    const { status, end } = trackingOf(jobWith({ backoffLimit: 0, parallelism: 2, completions: 2 }), pods, false);
    expect([status.conditions, end]).toEqual([undefined, undefined]);
  });

  it("keeps a failed pod of an index until its replacement is there", () => {
    const j = jobWith({ completionMode: "Indexed", completions: 2, parallelism: 2, backoffLimitPerIndex: 1 });
    const failed = podWith("a", "Failed", 0);
    expect(trackingOf(j, [failed, podWith("b", "Running", 1)])).toMatchObject({
      release: [],
      status: { failedIndexes: "" },
    });
    expect(trackingOf(j, [failed, podWith("a2", "Running", 0)]).release).toEqual(["a"]);
    // Or it never will be.
    expect(trackingOf(j, [failed], true, true).release).toEqual(["a"]);
  });

  it("suspends and resumes with a condition, an event and a new start", () => {
    const suspended = trackingOf(jobWith({ suspend: true }), []);
    expect(suspended.status.startTime).toBeUndefined();
    expect(suspended.status.conditions).toEqual([condition("Suspended", "JobSuspended", "Job suspended")]);
    expect(suspended.events).toEqual([{ reason: "Suspended", message: "Job suspended" }]);
    const again = trackingOf(jobWith({ suspend: true }, suspended.status), []);
    expect([again.events, isJobStatusSame(suspended.status, again.status)]).toEqual([[], true]);
    const resumed = trackingOf(jobWith({}, suspended.status), []);
    expect(resumed.status).toMatchObject({
      startTime: NOW,
      conditions: [condition("Suspended", "JobResumed", "Job resumed", "False")],
    });
    expect(resumed.events).toEqual([{ reason: "Resumed", message: "Job resumed" }]);
  });
});

describe("countReleased", () => {
  it("counts what has lost its finalizer", () => {
    const status: JobStatus = { failed: 1, uncountedTerminatedPods: { succeeded: ["a", "b"], failed: ["c"] } };
    countReleased(status, new Set(["b"]));
    expect(status).toEqual({ succeeded: 1, failed: 2, uncountedTerminatedPods: { succeeded: ["b"] } });
  });
});

describe("decideFinish", () => {
  const failure: End = { type: "FailureTarget", status: "True", reason: "DeadlineExceeded", message: "late" };

  it("waits for pods that are not counted, or not gone", () => {
    expect(decideFinish(jobWith({}), { uncountedTerminatedPods: { failed: ["a"] } }, failure, NOW_MS)).toBeUndefined();
    expect(decideFinish(jobWith({}), { terminating: 1 }, failure, NOW_MS)).toBeUndefined();
  });

  it("fails with the reason that was decided", () => {
    expect(decideFinish(jobWith({}), {}, failure, NOW_MS)).toEqual({
      status: { conditions: [condition("Failed", "DeadlineExceeded", "late")] },
      event: { type: "Warning", reason: "DeadlineExceeded", message: "late" },
      hasTooManySucceeded: false,
    });
  });

  it("completes, with the time", () => {
    expect(decideFinish(jobWith({ completions: 1 }), { succeeded: 2 }, COMPLETIONS_REACHED, NOW_MS)).toMatchObject({
      status: { completionTime: NOW, conditions: [{ type: "Complete", status: "True" }] },
      event: { type: "Normal", reason: "Completed", message: "Job completed" },
      hasTooManySucceeded: true,
    });
  });
});
