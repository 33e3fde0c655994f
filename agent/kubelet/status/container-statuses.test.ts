import { describe, expect, it } from "vitest";
import { aContainer, anInstance, aPod, observation } from "../../../test/builders/kubelet.ts";
import type { ContainerState, ContainerStatus } from "../../api/index.ts";
import type { ObservedContainer } from "../observed.ts";
import { StartError } from "../start-error.ts";
import { type ContainerKind, decideContainerStatuses, type StatusInputs } from "./container-statuses.ts";

/* Each kind of container, in each state that the runtime may have it in: what its status says. */

const STATES = ["none", "created", "running", "exited 0", "exited 1", "unknown"] as const;
type State = (typeof STATES)[number];

const instanceIn = (state: State, restartCount = 0): ObservedContainer[] => {
  if (state === "none") return [];
  const [kind, code] = state.split(" ") as [ObservedContainer["state"], string | undefined];
  const fields = code === "1" ? { exitCode: 1, reason: "Error" } : {};
  return [anInstance("c", kind, { ...fields, restartCount })];
};

const stateText = ({ running, terminated, waiting }: ContainerState = {}) =>
  running
    ? "running"
    : terminated
      ? `terminated ${terminated.exitCode} ${terminated.reason}`
      : waiting
        ? ["waiting", waiting.reason].filter(Boolean).join(" ")
        : "";

/** The state, what comes after it, and the state before: `running ready started (terminated 1 Error) x1`. */
const brief = ({ state, lastState, ready, started, restartCount }: ContainerStatus) =>
  [
    stateText(state),
    ready ? "ready" : "",
    started ? "started" : "",
    stateText(lastState) && `(${stateText(lastState)})`,
    restartCount > 0 ? `x${restartCount}` : "",
  ]
    .filter(Boolean)
    .join(" ");

const KINDS = {
  "a main container": { kind: "regular", spec: { containers: [aContainer("c")] } },
  "a main container behind init containers": {
    kind: "regular",
    spec: { containers: [aContainer("c")], initContainers: [aContainer("i")] },
  },
  "an init container": { kind: "init", spec: { initContainers: [aContainer("c")] } },
  "a sidecar": { kind: "init", spec: { initContainers: [aContainer("c", { restartPolicy: "Always" })] } },
  "an ephemeral container": { kind: "ephemeral", spec: { ephemeralContainers: [{ name: "c", image: "x" }] } },
} satisfies Record<string, { kind: ContainerKind; spec: Parameters<typeof aPod>[0] }>;
type Kind = keyof typeof KINDS;

function statusOf(kind: Kind, containers: ObservedContainer[], inputs: Partial<StatusInputs> = {}): string {
  const { kind: list, spec } = KINDS[kind];
  const [status] = decideContainerStatuses(list, {
    pod: aPod(spec),
    observed: observation(containers),
    previous: [],
    restartedAll: false,
    startErrors: new Map(),
    isReady: () => true,
    isStarted: () => true,
    ...inputs,
  });
  return brief(status!);
}

describe("by what the runtime has", () => {
  const ENDED = { "exited 0": "terminated 0 Completed", "exited 1": "terminated 1 Error" };
  const NOT_RUNNING = { created: "waiting", unknown: "waiting" };
  const WANT: Record<Kind, Record<State, string>> = {
    "a main container": {
      none: "waiting ContainerCreating",
      running: "running ready started",
      ...ENDED,
      ...NOT_RUNNING,
    },
    "a main container behind init containers": {
      ...{ none: "waiting PodInitializing", running: "running ready started" },
      ...ENDED,
      ...NOT_RUNNING,
    },
    "an init container": {
      ...{ none: "waiting PodInitializing", running: "running started" },
      ...ENDED,
      ...NOT_RUNNING,
      "exited 0": "terminated 0 Completed ready",
    },
    "a sidecar": { none: "waiting PodInitializing", running: "running ready started", ...ENDED, ...NOT_RUNNING },
    "an ephemeral container": { none: "waiting ContainerCreating", running: "running", ...ENDED, ...NOT_RUNNING },
  };
  const cases = Object.entries(WANT).flatMap(([kind, want]) =>
    STATES.map((state) => ({ kind: kind as Kind, state, want: want[state] })),
  );
  it.each(cases)("$kind, $state: $want", ({ kind, state, want }) => {
    expect(statusOf(kind, instanceIn(state))).toBe(want);
  });
});

describe("a running container, by its probes", () => {
  const no = { isReady: () => false, isStarted: () => false };
  it.each<{ kind: Kind; name: string; inputs: Partial<StatusInputs>; want: string }>([
    { kind: "a main container", name: "not ready", inputs: { isReady: () => false }, want: "running started" },
    { kind: "a main container", name: "not started", inputs: { isStarted: () => false }, want: "running" },
    { kind: "a sidecar", name: "not ready", inputs: { isReady: () => false }, want: "running started" },
    { kind: "a sidecar", name: "not started", inputs: { isStarted: () => false }, want: "running" },
    { kind: "an init container", name: "without probes", inputs: no, want: "running started" },
  ])("$kind, $name: $want", ({ kind, inputs, want }) => {
    expect(statusOf(kind, instanceIn("running"), inputs)).toBe(want);
  });
});

describe("when the last attempt to start it failed", () => {
  const startErrors = new Map([["c", new StartError("CrashLoopBackOff", "back-off 10s")]]);
  const WANT: Record<Kind, Record<State, string>> = {
    "a main container": {
      none: "waiting CrashLoopBackOff",
      created: "waiting CrashLoopBackOff",
      running: "running ready started",
      "exited 0": "waiting CrashLoopBackOff (terminated 0 Completed)",
      "exited 1": "waiting CrashLoopBackOff (terminated 1 Error)",
      unknown: "waiting CrashLoopBackOff",
    },
    "a main container behind init containers": {
      none: "waiting CrashLoopBackOff",
      created: "waiting CrashLoopBackOff",
      running: "running ready started",
      "exited 0": "waiting CrashLoopBackOff (terminated 0 Completed)",
      "exited 1": "waiting CrashLoopBackOff (terminated 1 Error)",
      unknown: "waiting CrashLoopBackOff",
    },
    "an init container": {
      none: "waiting CrashLoopBackOff",
      created: "waiting CrashLoopBackOff",
      running: "running started",
      // It has done its work.
      "exited 0": "terminated 0 Completed ready",
      "exited 1": "waiting CrashLoopBackOff (terminated 1 Error)",
      unknown: "waiting CrashLoopBackOff",
    },
    "a sidecar": {
      none: "waiting CrashLoopBackOff",
      created: "waiting CrashLoopBackOff",
      running: "running ready started",
      "exited 0": "waiting CrashLoopBackOff (terminated 0 Completed)",
      "exited 1": "waiting CrashLoopBackOff (terminated 1 Error)",
      unknown: "waiting CrashLoopBackOff",
    },
    "an ephemeral container": {
      none: "waiting CrashLoopBackOff",
      created: "waiting CrashLoopBackOff",
      running: "running",
      "exited 0": "waiting CrashLoopBackOff (terminated 0 Completed)",
      "exited 1": "waiting CrashLoopBackOff (terminated 1 Error)",
      unknown: "waiting CrashLoopBackOff",
    },
  };
  const cases = Object.entries(WANT).flatMap(([kind, want]) =>
    STATES.map((state) => ({ kind: kind as Kind, state, want: want[state] })),
  );
  it.each(cases)("$kind, $state: $want", ({ kind, state, want }) => {
    expect(statusOf(kind, instanceIn(state), { startErrors })).toBe(want);
  });
});

describe("by what was reported before", () => {
  const known = (state: ContainerState, fields: Partial<ContainerStatus> = {}): ContainerStatus => ({
    ...{ name: "c", state, ready: false, restartCount: 1, image: "app:1", imageID: "" },
    ...fields,
  });
  const running = known({ running: {} });
  const failed = known({ terminated: { exitCode: 1, reason: "Error" } });
  const crashed = known({ waiting: {} }, { lastState: { terminated: { exitCode: 2, reason: "Error" } } });
  const leaving = { ...aPod(), metadata: { ...aPod().metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };

  it.each<{ name: string; containers?: ObservedContainer[]; inputs: Partial<StatusInputs>; want: string }>([
    {
      name: "it ran and is gone: that counts as a restart",
      inputs: { previous: [running] },
      want: "waiting ContainerCreating (terminated 137 ContainerStatusUnknown) x2",
    },
    {
      name: "it ran and is gone from a pod that is being deleted",
      inputs: { previous: [running], pod: { ...leaving, spec: aPod(KINDS["a main container"].spec).spec } },
      want: "waiting ContainerCreating (terminated 137 ContainerStatusUnknown) x1",
    },
    { name: "it ended and is gone", inputs: { previous: [failed] }, want: "terminated 1 Error x1" },
    {
      name: "it waited for a restart and is gone",
      inputs: { previous: [crashed] },
      want: "waiting ContainerCreating (terminated 2 Error) x1",
    },
    {
      name: "it ended, and runs again; the instance before was removed",
      containers: instanceIn("running", 2),
      inputs: { previous: [failed] },
      want: "running ready started (terminated 1 Error) x2",
    },
    {
      name: "all containers were taken away, to begin anew",
      inputs: { previous: [running], restartedAll: true },
      want: "waiting RestartingAllContainers (terminated 137 RestartingAllContainers) x2",
    },
  ])("$name: $want", ({ containers = [], inputs, want }) => {
    expect(statusOf("a main container", containers, inputs)).toBe(want);
  });

  it("an ephemeral container that is not there yet waits as the others do", () => {
    const spec = { initContainers: [aContainer("i")], ephemeralContainers: [{ name: "c", image: "x" }] };
    expect(statusOf("an ephemeral container", [], { pod: aPod(spec) })).toBe("waiting PodInitializing");
  });

  it("an init container that was removed after initialization counts as done", () => {
    const main = anInstance("main", "running");
    expect(statusOf("an init container", [main])).toBe("terminated 0 Completed ready");
  });
});
