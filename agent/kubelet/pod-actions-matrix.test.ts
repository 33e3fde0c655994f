import { describe, expect, it } from "vitest";
import { aContainer, anInstance, aPod, aSandbox, observation } from "../../test/builders/kubelet.ts";
import type { Container } from "../api/index.ts";
import type { ObservedContainer } from "./observed.ts";
import { computePodActions, type PodActions, type ProbeResults } from "./pod-actions.ts";

/*
 * Each kind of container, in each state that the runtime may have it in, by the pod's restart policy: what is done. The
 * cases of several containers stand in pod-actions.test.ts.
 */

const STATES = ["none", "created", "running", "exited 0", "exited 1", "unknown"] as const;
const POLICIES = ["Always", "OnFailure", "Never"] as const;
type State = (typeof STATES)[number];

const UNKNOWN = 'is in "unknown" state, try killing it before restart';

/** A pod has one container of the kind; init containers have a main container behind them that has not run. */
const instanceIn = (state: State, name: string): ObservedContainer[] => {
  if (state === "none") return [];
  const [kind, code] = state.split(" ") as [ObservedContainer["state"], string | undefined];
  return [anInstance(name, kind, { exitCode: Number(code ?? 0) })];
};

/** In one line: what is killed, started (i: init, e: ephemeral containers), or that the pod has ended. */
function brief(actions: PodActions): string {
  return [
    ...(actions.createSandbox ? ["sandbox"] : []),
    ...(actions.killPod && !actions.createSandbox ? ["end"] : []),
    ...actions.containersToKill.map(({ message }) => `kill: ${message}`),
    ...actions.ephemeralContainersToStart.map((index) => `start e${index}`),
    ...actions.initContainersToStart.map((index) => `start i${index}`),
    ...actions.containersToStart.map((index) => `start ${index}`),
  ].join(", ");
}

const sidecar = (fields: Partial<Container> = {}) => aContainer("c", { restartPolicy: "Always", ...fields });

const KINDS: {
  kind: string;
  spec: Parameters<typeof aPod>[0];
  /** By state, for the three policies in their order; one alone for all of them. */
  want: Record<State, string | [always: string, onFailure: string, never: string]>;
}[] = [
  {
    kind: "a main container",
    spec: { containers: [aContainer("c")] },
    want: {
      none: "start 0",
      created: "start 0",
      running: "",
      "exited 0": ["start 0", "end", "end"],
      "exited 1": ["start 0", "start 0", "end"],
      unknown: `kill: Container ${UNKNOWN}, start 0`,
    },
  },
  {
    kind: "a main container with its own policy Always",
    spec: { containers: [aContainer("c", { restartPolicy: "Always" })] },
    want: {
      none: "start 0",
      created: "start 0",
      running: "",
      "exited 0": "start 0",
      "exited 1": "start 0",
      unknown: `kill: Container ${UNKNOWN}, start 0`,
    },
  },
  {
    kind: "a main container with its own policy Never",
    spec: { containers: [aContainer("c", { restartPolicy: "Never" })] },
    want: {
      none: "start 0",
      created: "start 0",
      running: "",
      "exited 0": "end",
      "exited 1": "end",
      unknown: `kill: Container ${UNKNOWN}, start 0`,
    },
  },
  {
    kind: "a main container with a rule: not 0 restarts",
    spec: {
      containers: [
        aContainer("c", {
          restartPolicy: "Never",
          restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "NotIn", values: [0] } }],
        }),
      ],
    },
    want: {
      none: "start 0",
      created: "start 0",
      running: "",
      "exited 0": "end",
      "exited 1": "start 0",
      unknown: `kill: Container ${UNKNOWN}, start 0`,
    },
  },
  {
    kind: "an init container",
    spec: { initContainers: [aContainer("c")] },
    want: {
      none: "start i0",
      created: "start i0",
      running: "",
      "exited 0": "start 0",
      "exited 1": ["start i0", "start i0", "end"],
      unknown: [`kill: Init container ${UNKNOWN}, start i0`, `kill: Init container ${UNKNOWN}, start i0`, "end"],
    },
  },
  {
    kind: "an init container with its own policy OnFailure",
    spec: { initContainers: [aContainer("c", { restartPolicy: "OnFailure" })] },
    want: {
      none: "start i0",
      created: "start i0",
      running: "",
      "exited 0": "start 0",
      "exited 1": "start i0",
      unknown: `kill: Init container ${UNKNOWN}, start i0`,
    },
  },
  {
    kind: "a sidecar",
    spec: { initContainers: [sidecar()] },
    want: {
      none: "start i0",
      created: "start i0",
      running: "start 0",
      "exited 0": "start i0",
      "exited 1": "start i0",
      unknown: `kill: Init container ${UNKNOWN}, start i0`,
    },
  },
  {
    kind: "an ephemeral container beside one that runs",
    spec: { containers: [aContainer("main")], ephemeralContainers: [{ name: "c", image: "x" }] },
    want: { none: "start e0", created: "", running: "", "exited 0": "", "exited 1": "", unknown: "" },
  },
];

describe.each(KINDS)("$kind", ({ spec, want }) => {
  const cases = STATES.flatMap((state) =>
    POLICIES.map((policy, index) => {
      const expected = want[state];
      return { state, policy, expected: typeof expected === "string" ? expected : expected[index]! };
    }),
  );
  it.each(cases)("$state, $policy: $expected", ({ state, policy, expected }) => {
    const beside = spec?.ephemeralContainers ? [anInstance("main", "running")] : [];
    const pod = aPod({ ...spec, restartPolicy: policy });
    expect(brief(computePodActions(pod, observation([...instanceIn(state, "c"), ...beside])))).toBe(expected);
  });
});

const verdicts = (startup?: boolean, liveness?: boolean): ProbeResults => ({
  startup: new Map(startup === undefined ? [] : [["c-0", startup]]),
  liveness: new Map(liveness === undefined ? [] : [["c-0", liveness]]),
});

describe("a running sidecar before another init container, by its probes", () => {
  const probed = { startupProbe: {}, livenessProbe: {} };
  it.each<{ name: string; fields?: Partial<Container>; probes?: ProbeResults; want: string }>([
    { name: "without probes", want: "start i1" },
    { name: "nothing known yet", fields: probed, want: "" },
    { name: "started", fields: probed, probes: verdicts(true), want: "start i1" },
    { name: "alive", fields: probed, probes: verdicts(true, true), want: "start i1" },
    { name: "alive, not started", fields: probed, probes: verdicts(undefined, true), want: "" },
    {
      name: "failed to start",
      fields: probed,
      probes: verdicts(false),
      want: "kill: Init container c failed startup probe, start i0",
    },
    {
      name: "failed to start, and has changed",
      fields: { ...probed, image: "app:2" },
      probes: verdicts(false),
      want: "kill: Init container c failed startup probe, start i0",
    },
    {
      name: "started, and dead",
      fields: probed,
      probes: verdicts(true, false),
      want: "kill: Init container c failed liveness probe, start i0, start i1",
    },
    {
      name: "changed",
      fields: { image: "app:2" },
      want: "kill: Init container c definition changed, start i0, start i1",
    },
  ])("$name: $want", ({ fields, probes, want }) => {
    const pod = aPod({ initContainers: [sidecar(fields), aContainer("next")] });
    expect(brief(computePodActions(pod, observation([anInstance("c", "running")]), probes))).toBe(want);
  });
});

describe("a sandbox that is dead", () => {
  const dead = [aSandbox({ ready: false })];
  const exited = (name: string, exitCode: number) => anInstance(name, "exited", { exitCode });
  const two = { containers: [aContainer("a"), aContainer("b")] };
  const withInit = { ...two, initContainers: [aContainer("i")] };
  const withSidecar = { ...two, initContainers: [sidecar()] };
  const half = [exited("a", 0), exited("b", 1)];
  const done = [exited("a", 0), exited("b", 0)];

  it.each<{ name: string; spec: typeof two; containers: ObservedContainer[]; want: [string, string, string] }>([
    {
      name: "nothing has run",
      spec: two,
      containers: [],
      want: ["sandbox, start 0, start 1", "sandbox, start 0, start 1", "sandbox, start 0, start 1"],
    },
    { name: "one failed", spec: two, containers: half, want: ["sandbox, start 0, start 1", "sandbox, start 1", "end"] },
    { name: "all succeeded", spec: two, containers: done, want: ["sandbox, start 0, start 1", "end", "end"] },
    {
      name: "with an init container that failed",
      spec: withInit,
      containers: [exited("i", 1)],
      want: ["sandbox, start i0", "sandbox, start i0", "end"],
    },
    {
      name: "with an init container, all succeeded",
      spec: withInit,
      containers: [exited("i", 0), ...done],
      want: ["sandbox, start i0", "end", "end"],
    },
    {
      name: "with a sidecar that ended, one failed",
      spec: withSidecar,
      containers: [exited("c", 137), ...half],
      want: ["sandbox, start i0", "sandbox, start i0", "end"],
    },
    {
      name: "with a sidecar, nothing has run",
      spec: withSidecar,
      containers: [],
      want: ["sandbox, start i0", "sandbox, start i0", "sandbox, start i0"],
    },
  ])("$name: $want", ({ spec, containers, want }) => {
    const actions = POLICIES.map((restartPolicy) =>
      brief(computePodActions(aPod({ ...spec, restartPolicy }), observation(containers, dead))),
    );
    expect(actions).toEqual(want);
  });
});

describe("sidecars beside others", () => {
  const names = (...list: string[]) => list.map((name) => aContainer(name, { restartPolicy: "Always" }));
  it.each<{ name: string; spec: Parameters<typeof aPod>[0]; containers: ObservedContainer[]; want: string }>([
    {
      name: "those before one that runs are started again, in order",
      spec: { initContainers: [...names("s", "t"), aContainer("i")] },
      containers: [anInstance("i", "running"), anInstance("s", "exited"), anInstance("t", "exited")],
      want: "start i0, start i1",
    },
    {
      name: "one that vanished is started again, an init container is not",
      spec: { initContainers: [aContainer("i"), ...names("s")] },
      containers: [anInstance("main", "running")],
      want: "start i1",
    },
    {
      name: "the last one runs: those before it that are missing are started, and the containers",
      spec: { initContainers: names("s", "t") },
      containers: [anInstance("t", "running")],
      want: "start i0, start 0",
    },
    {
      name: "they do not keep a pod that is done, nor are they started in it",
      spec: { restartPolicy: "Never", initContainers: names("s", "t") },
      containers: [anInstance("main", "exited"), anInstance("t", "running"), anInstance("s", "exited")],
      want: "end",
    },
    {
      name: "an ephemeral container is started while init containers run",
      spec: { initContainers: [aContainer("i")], ephemeralContainers: [{ name: "e", image: "x" }] },
      containers: [anInstance("i", "running")],
      want: "start e0",
    },
    {
      name: "an ephemeral container does not keep a pod that is done",
      spec: { restartPolicy: "Never", ephemeralContainers: [{ name: "e", image: "x" }] },
      containers: [anInstance("main", "exited"), anInstance("e", "running")],
      want: "end",
    },
  ])("$name: $want", ({ spec, containers, want }) => {
    expect(brief(computePodActions(aPod(spec), observation(containers)))).toBe(want);
  });
});
