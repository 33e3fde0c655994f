import { describe, expect, it } from "vitest";
import { aContainer, anInstance, aPod, aSandbox, observation } from "../../test/builders/kubelet.ts";
import type { Pod } from "../api/index.ts";
import type { ObservedPod } from "./observed.ts";
import { computePodActions, decideSandbox, type PodActions, type ProbeResults } from "./pod-actions.ts";

describe("decideSandbox", () => {
  const old = aSandbox({ id: "s0", attempt: 2 });
  it.each([
    { name: "none yet", sandboxes: [], want: { create: true, attempt: 0 } },
    { name: "a ready one", sandboxes: [old], want: { create: false, attempt: 2, sandboxId: "s0" } },
    { name: "a dead one", sandboxes: [{ ...old, ready: false }], want: { create: true, attempt: 3, sandboxId: "s0" } },
    { name: "two ready ones", sandboxes: [old, aSandbox({ id: "s1" })], want: { create: true, attempt: 3 } },
    { name: "one without an address", sandboxes: [{ ...old, ips: [] }], want: { create: true, attempt: 3 } },
    {
      name: "one in the host's network",
      sandboxes: [{ ...old, hostNetwork: true }],
      want: { create: true, attempt: 3 },
    },
  ])("$name", ({ sandboxes, want }) => {
    expect(decideSandbox(aPod(), observation([], sandboxes))).toMatchObject(want);
  });

  it("needs no address in the host's network", () => {
    const sandboxes = [aSandbox({ hostNetwork: true, ips: [] })];
    expect(decideSandbox(aPod({ hostNetwork: true }), observation([], sandboxes)).create).toBe(false);
  });
});

const NOTHING: PodActions = {
  killPod: false,
  createSandbox: false,
  sandboxId: "s0",
  attempt: 0,
  containersToKill: [],
  ephemeralContainersToStart: [],
  initContainersToStart: [],
  containersToStart: [],
};

const two = { containers: [aContainer("a"), aContainer("b")] };
const exited = (name: string, exitCode: number, restartCount = 0) =>
  anInstance(name, "exited", { exitCode, restartCount });
const dead = [aSandbox({ ready: false })];
const sidecar = (name: string, fields = {}) => aContainer(name, { restartPolicy: "Always", ...fields });

interface Case {
  name: string;
  pod: Pod;
  observed: ObservedPod;
  want: Partial<PodActions>;
}

const CASES: Case[] = [
  {
    name: "a new pod: sandbox and all containers",
    pod: aPod(two),
    observed: observation([], []),
    want: { killPod: true, createSandbox: true, sandboxId: undefined, containersToStart: [0, 1] },
  },
  {
    name: "a new pod with init containers: only the first of them",
    pod: aPod({ ...two, initContainers: [aContainer("i"), aContainer("j")] }),
    observed: observation([], []),
    want: { killPod: true, createSandbox: true, sandboxId: undefined, initContainersToStart: [0] },
  },
  {
    name: "all run: nothing",
    pod: aPod(two),
    observed: observation([anInstance("a", "running"), anInstance("b", "running")]),
    want: {},
  },
  {
    name: "one is missing: it is started",
    pod: aPod(two),
    observed: observation([anInstance("a", "running")]),
    want: { containersToStart: [1] },
  },
  {
    name: "Always: what ended is started, whatever its code",
    pod: aPod(two),
    observed: observation([exited("a", 0), exited("b", 1)]),
    want: { containersToStart: [0, 1] },
  },
  {
    name: "OnFailure: only what failed is started",
    pod: aPod({ ...two, restartPolicy: "OnFailure" }),
    observed: observation([exited("a", 0), exited("b", 1)]),
    want: { containersToStart: [1] },
  },
  {
    name: "Never: all ended, so the pod has",
    pod: aPod({ ...two, restartPolicy: "Never" }),
    observed: observation([exited("a", 0), exited("b", 1)]),
    want: { killPod: true },
  },
  {
    name: "Never: one still runs",
    pod: aPod({ ...two, restartPolicy: "Never" }),
    observed: observation([exited("a", 0), anInstance("b", "running")]),
    want: {},
  },
  {
    name: "a container's own policy is over the pod's",
    pod: aPod({ restartPolicy: "Never", containers: [aContainer("a", { restartPolicy: "OnFailure" })] }),
    observed: observation([exited("a", 1)]),
    want: { containersToStart: [0] },
  },
  {
    name: "a restart rule for the exit code is over both",
    pod: aPod({
      restartPolicy: "Never",
      containers: [
        aContainer("a", {
          restartPolicy: "Never",
          restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }],
        }),
      ],
    }),
    observed: observation([exited("a", 42)]),
    want: { containersToStart: [0] },
  },
  {
    name: "a pod that is being deleted starts nothing",
    pod: aPod(two, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    observed: observation([exited("a", 1), anInstance("b", "running")]),
    want: {},
  },
  {
    name: "created but never started (the runtime failed): again",
    pod: aPod(),
    observed: observation([anInstance("main", "created")]),
    want: { containersToStart: [0] },
  },
  {
    name: "unknown: killed first, so that there are never two",
    pod: aPod(),
    observed: observation([anInstance("main", "unknown")]),
    want: {
      containersToStart: [0],
      containersToKill: [
        {
          id: "main-0",
          name: "main",
          reason: "Unknown",
          message: 'Container is in "unknown" state, try killing it before restart',
        },
      ],
    },
  },
  {
    name: "another image: killed and started, even with Never",
    pod: aPod({ restartPolicy: "Never", containers: [aContainer("main", { image: "app:2" })] }),
    observed: observation([anInstance("main", "running")]),
    want: {
      containersToStart: [0],
      containersToKill: [
        {
          id: "main-0",
          name: "main",
          reason: "SpecChanged",
          message: "Container main definition changed, will be restarted",
        },
      ],
    },
  },
  {
    name: "dead sandbox: a new one with everything in it",
    pod: aPod(two),
    observed: observation([exited("a", 137), exited("b", 137)], dead),
    want: { killPod: true, createSandbox: true, attempt: 1, containersToStart: [0, 1] },
  },
  {
    name: "dead sandbox, Never, containers have run: the pod has ended",
    pod: aPod({ ...two, restartPolicy: "Never" }),
    observed: observation([exited("a", 0), exited("b", 137)], dead),
    want: { killPod: true, attempt: 1 },
  },
  {
    name: "dead sandbox, OnFailure, all succeeded: the pod has ended",
    pod: aPod({ ...two, restartPolicy: "OnFailure" }),
    observed: observation([exited("a", 0), exited("b", 0)], dead),
    want: { killPod: true, attempt: 1 },
  },
  {
    name: "ephemeral containers are started once, and never again",
    pod: aPod({
      ephemeralContainers: [
        { name: "debug", image: "x" },
        { name: "more", image: "x" },
      ],
    }),
    observed: observation([anInstance("main", "running"), exited("debug", 0)]),
    want: { ephemeralContainersToStart: [1] },
  },
];

const INIT_CASES: Case[] = [
  {
    name: "the first runs: wait",
    pod: aPod({ initContainers: [aContainer("i"), aContainer("j")] }),
    observed: observation([anInstance("i", "running")]),
    want: {},
  },
  {
    name: "the first is done: the second",
    pod: aPod({ initContainers: [aContainer("i"), aContainer("j")] }),
    observed: observation([exited("i", 0)]),
    want: { initContainersToStart: [1] },
  },
  {
    name: "the last is done, the first was already removed: the containers",
    pod: aPod({ initContainers: [aContainer("i"), aContainer("j")] }),
    observed: observation([exited("j", 0)]),
    want: { containersToStart: [0] },
  },
  {
    name: "one failed: again",
    pod: aPod({ initContainers: [aContainer("i"), aContainer("j")] }),
    observed: observation([exited("i", 1)]),
    want: { initContainersToStart: [0] },
  },
  {
    name: "one failed with Never: the pod has ended",
    pod: aPod({ restartPolicy: "Never", initContainers: [aContainer("i"), aContainer("j")] }),
    observed: observation([exited("i", 1)]),
    want: { killPod: true },
  },
  {
    name: "all were removed, a container runs: none is run again",
    pod: aPod({ initContainers: [aContainer("i")] }),
    observed: observation([anInstance("main", "running")]),
    want: {},
  },
  {
    name: "a sidecar runs: the next",
    pod: aPod({ initContainers: [sidecar("s"), aContainer("j")] }),
    observed: observation([anInstance("s", "running")]),
    want: { initContainersToStart: [1] },
  },
  {
    name: "a sidecar is the last and runs: the containers",
    pod: aPod({ initContainers: [sidecar("s")] }),
    observed: observation([anInstance("s", "running")]),
    want: { containersToStart: [0] },
  },
  {
    name: "a sidecar's startup probe has not said yes: wait",
    pod: aPod({ initContainers: [sidecar("s", { startupProbe: {} }), aContainer("j")] }),
    observed: observation([anInstance("s", "running")]),
    want: {},
  },
  {
    name: "a sidecar crashed while the next one runs: it is started again",
    pod: aPod({ initContainers: [sidecar("s"), aContainer("j")] }),
    observed: observation([anInstance("j", "running"), exited("s", 1)]),
    want: { initContainersToStart: [0] },
  },
  {
    name: "a sidecar crashed beside the containers: it is started again, even with Never",
    pod: aPod({ restartPolicy: "Never", initContainers: [sidecar("s")] }),
    observed: observation([anInstance("main", "running"), exited("s", 0)]),
    want: { initContainersToStart: [0] },
  },
  {
    name: "the containers are done: a sidecar does not keep the pod (JOB-14)",
    pod: aPod({ restartPolicy: "Never", initContainers: [sidecar("s")] }),
    observed: observation([exited("main", 0), anInstance("s", "running")]),
    want: { killPod: true },
  },
];

describe("computePodActions", () => {
  it.each([...CASES, ...INIT_CASES])("$name", ({ pod, observed, want }) => {
    expect(computePodActions(pod, observed)).toEqual({ ...NOTHING, ...want });
  });

  const failing = (kind: keyof ProbeResults): ProbeResults => ({
    liveness: new Map(),
    startup: new Map(),
    [kind]: new Map([["main-0", false]]),
  });

  it.each([
    {
      kind: "liveness",
      policy: "Always",
      start: [0],
      message: "Container main failed liveness probe, will be restarted",
    },
    {
      kind: "startup",
      policy: "OnFailure",
      start: [0],
      message: "Container main failed startup probe, will be restarted",
    },
    { kind: "liveness", policy: "Never", start: [], message: "Container main failed liveness probe" },
  ] as const)("a failed $kind probe with $policy", ({ kind, policy, start, message }) => {
    const pod = aPod({ restartPolicy: policy });
    const actions = computePodActions(pod, observation([anInstance("main", "running")]), failing(kind));
    expect(actions.containersToKill.map((kill) => kill.message)).toEqual([message]);
    expect(actions.containersToStart).toEqual(start);
  });
});
