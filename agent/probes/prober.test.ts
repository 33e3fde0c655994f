import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../test/builders/fake-clock.ts";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import type { Container, Pod, Probe } from "../api/index.ts";
import { createProber, type ProbedInstance, type Prober } from "./prober.ts";

const DEADLINE_MS = 600_000;

let clock: FakeClock;
let stop: AbortController;
let prober: Prober;
/** What a command answers from now on: its exit code, or the runtime's error. */
let answers: Record<string, number | Error>;
/** When each probe was asked, in seconds since the beginning. */
let asked: Record<string, number[]>;
let notes: string[];
let changes: number;
let beganMs: number;

beforeEach(() => {
  clock = new FakeClock();
  stop = new AbortController();
  answers = {};
  asked = {};
  notes = [];
  changes = 0;
  beganMs = clock.nowMs();
  prober = createProber({
    cri: {
      async execSync(_id, [name = ""]) {
        asked[name] = [...(asked[name] ?? []), (clock.nowMs() - beganMs) / 1000];
        const answer = answers[name] ?? 0;
        if (answer instanceof Error) throw answer;
        return { exitCode: answer, stdout: Buffer.from(""), stderr: Buffer.from("") };
      },
    },
    clock,
    onNote: (_pod, container, reason, message) => notes.push(`${container.name} ${reason} ${message}`),
    onChange: () => {
      changes += 1;
    },
    signal: stop.signal,
  });
});

afterEach(() => stop.abort());

const probe = (name: string, fields: Partial<Probe> = {}): Probe => ({
  exec: { command: [name] },
  periodSeconds: 10,
  failureThreshold: 3,
  successThreshold: 1,
  ...fields,
});

const podWith = (fields: Partial<Container>): Pod => aPod({ containers: [aContainer("main", fields)] });
const instance = (fields: Partial<ProbedInstance> = {}): ProbedInstance => ({
  id: "c1",
  name: "main",
  startedAtMs: beganMs,
  ...fields,
});
const watch = (pod: Pod, instances = [instance()]) => prober.sync(pod, instances, "10.0.0.1");
const verdict = (kind: "startup" | "readiness" | "liveness", id = "c1") => prober.results[kind].get(id);
const seconds = (count: number) => clock.advance(count * 1000);

describe("when a probe is asked", () => {
  it("after its delay, counted from the container's start, and then once a period", async () => {
    watch(podWith({ livenessProbe: probe("live", { initialDelaySeconds: 5 }) }), [
      instance({ startedAtMs: beganMs - 2_000 }),
    ]);
    await seconds(30);
    expect(asked["live"]).toEqual([3, 13, 23]);
  });

  it("a start that lies in the future (a clock was put back) makes it wait no longer than asked", async () => {
    watch(podWith({ livenessProbe: probe("live", { initialDelaySeconds: 5 }) }), [
      instance({ startedAtMs: beganMs + DEADLINE_MS }),
    ]);
    await seconds(6);
    expect(asked["live"]).toEqual([5]);
  });

  it("not before the startup probe has said yes, and that one no more (PRB-01)", async () => {
    answers["start"] = 1;
    watch(
      podWith({
        startupProbe: probe("start", { periodSeconds: 5, failureThreshold: 30 }),
        readinessProbe: probe("ready"),
        livenessProbe: probe("live"),
      }),
    );
    await seconds(12);
    expect([asked["start"], asked["ready"], asked["live"]]).toEqual([[0, 5, 10], undefined, undefined]);
    answers["start"] = 0;
    await seconds(20);
    expect(asked["start"]).toEqual([0, 5, 10, 15]);
    expect(asked["ready"]![0]).toBeLessThan(16);
    expect(asked["live"]![0]).toBeLessThan(16);
  });

  it("the same instance is not asked twice as often when it is told again", async () => {
    const pod = podWith({ readinessProbe: probe("ready") });
    watch(pod);
    watch(pod);
    await seconds(15);
    expect(asked["ready"]).toEqual([0, 10]);
  });

  it("no more when its container is gone, and what it said is forgotten", async () => {
    const pod = podWith({ readinessProbe: probe("ready") });
    watch(pod);
    await seconds(1);
    expect(verdict("readiness")).toBe(true);
    watch(pod, []);
    await seconds(30);
    expect(asked["ready"]).toEqual([0]);
    expect(verdict("readiness")).toBeUndefined();
  });

  it("in a pod that is being deleted: readiness goes on, liveness and startup do not (PRB-06)", async () => {
    const fields = { readinessProbe: probe("ready"), livenessProbe: probe("live") };
    watch(podWith(fields));
    await seconds(1);
    answers = { ready: 1, live: 1 };
    const leaving = aPod({ containers: [aContainer("main", fields)] }, { deletionTimestamp: "2026-01-01T00:00:30Z" });
    watch(leaving);
    await seconds(40);
    expect(asked["live"]).toEqual([0]);
    expect(asked["ready"]!.length).toBeGreaterThan(3);
    expect([verdict("readiness"), verdict("liveness")]).toEqual([false, true]);
  });

  it("not the startup probe of what was already found to have started", async () => {
    watch(podWith({ startupProbe: probe("start"), livenessProbe: probe("live") }), [instance({ wasStarted: true })]);
    await seconds(1);
    expect(asked).toEqual({ live: [0] });
    expect(verdict("startup")).toBe(true);
  });
});

describe("verdicts", () => {
  it("liveness: dead after six failures in a row, 60 s at 10 s each; then it is asked no more (PRB-03)", async () => {
    watch(podWith({ livenessProbe: probe("live", { failureThreshold: 6 }) }));
    await seconds(1);
    answers["live"] = 1;
    await seconds(58);
    expect(verdict("liveness")).toBe(true);
    await seconds(2);
    expect(verdict("liveness")).toBe(false);
    await seconds(60);
    expect(asked["live"]).toHaveLength(7);
    expect(notes).toEqual(Array(6).fill("main Unhealthy Liveness probe failed: "));
  });

  it("startup: 30 failures at 5 s each are too many (PRB-01)", async () => {
    answers["start"] = 1;
    watch(podWith({ startupProbe: probe("start", { periodSeconds: 5, failureThreshold: 30 }) }));
    await seconds(144);
    expect(verdict("startup")).toBeUndefined();
    await seconds(1);
    expect(verdict("startup")).toBe(false);
  });

  it("readiness: out after two failures, back after one success (PRB-02)", async () => {
    watch(podWith({ readinessProbe: probe("ready", { periodSeconds: 5, failureThreshold: 2 }) }));
    await seconds(1);
    expect(verdict("readiness")).toBe(true);
    answers["ready"] = 1;
    await seconds(5);
    expect(verdict("readiness")).toBe(true);
    await seconds(5);
    expect(verdict("readiness")).toBe(false);
    answers["ready"] = 0;
    await seconds(5);
    expect(verdict("readiness")).toBe(true);
    expect(changes).toBe(3);
  });

  it("a probe that cannot be made is tried three times, told, and changes nothing", async () => {
    watch(podWith({ readinessProbe: probe("ready", { failureThreshold: 1 }) }));
    await seconds(1);
    answers["ready"] = new Error("the runtime is away");
    await seconds(10);
    expect(asked["ready"]).toEqual([0, 10, 10, 10]);
    expect(verdict("readiness")).toBe(true);
    expect(notes).toEqual([
      "main Unhealthy Readiness probe errored and resulted in unknown state: the runtime is away",
    ]);
  });

  it("are each container's own", async () => {
    answers["bad"] = 1;
    const fields = { failureThreshold: 1 };
    const pod = aPod({
      initContainers: [aContainer("side", { restartPolicy: "Always", readinessProbe: probe("bad", fields) })],
      containers: [aContainer("main", { readinessProbe: probe("good", fields) })],
    });
    watch(pod, [instance(), instance({ id: "c2", name: "side" })]);
    await seconds(1);
    expect([verdict("readiness"), verdict("readiness", "c2")]).toEqual([true, false]);
    prober.forgetPod("u1");
    expect([verdict("readiness"), verdict("readiness", "c2")]).toEqual([undefined, undefined]);
  });
});
