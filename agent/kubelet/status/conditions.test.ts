import { describe, expect, it } from "vitest";
import { aContainer, aPod } from "../../../test/builders/kubelet.ts";
import type { ContainerStatus, PodCondition } from "../../api/index.ts";
import { decideConditions } from "./conditions.ts";
import type { Phase } from "./phase.ts";

interface Case {
  name: string;
  spec?: Parameters<typeof aPod>[0];
  phase?: Phase;
  statuses?: ContainerStatus[];
  hasSandbox?: boolean;
  foreign?: PodCondition[];
  restartingAll?: boolean;
  /** `<status> <reason>: <message>`, what is empty left out. */
  want: string;
}

const status = (name: string, fields: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name,
  state: { running: {} },
  ready: true,
  started: true,
  restartCount: 0,
  image: "app:1",
  imageID: "",
  ...fields,
});
const waiting = (name: string) => status(name, { state: { waiting: {} }, ready: false, started: false });
const ended = (name: string, exitCode = 0) =>
  status(name, { state: { terminated: { exitCode } }, ready: exitCode === 0, started: false });
/** A main container that has ended is not ready. */
const over = (name: string, exitCode = 0) => ({ ...ended(name, exitCode), ready: false });
const unready = (name: string) => status(name, { ready: false });

const two = { containers: [aContainer("a"), aContainer("b")] };
const withInits = { initContainers: [aContainer("i"), aContainer("j")] };
const withSidecar = { initContainers: [aContainer("s", { restartPolicy: "Always" })] };
const gate = (...types: string[]) => ({ readinessGates: types.map((conditionType) => ({ conditionType })) });
const foreign = (type: string, value: "True" | "False" | "Unknown"): PodCondition => ({ type, status: value });

function conditionOf(type: string, { spec, phase, statuses, hasSandbox, foreign, restartingAll }: Case): string {
  const conditions = decideConditions(aPod(spec), {
    phase: phase ?? "Running",
    statuses,
    hasSandbox: hasSandbox ?? true,
    foreign: foreign ?? [],
    restartingAll: restartingAll ?? false,
  });
  const found = conditions.find((condition) => condition.type === type);
  if (!found) return "none";
  const { reason, message } = found;
  return `${found.status}${reason ? ` ${reason}` : ""}${message ? `: ${message}` : ""}`;
}

const TABLES: Record<string, Case[]> = {
  PodReadyToStartContainers: [
    { name: "a sandbox with its network", want: "True" },
    { name: "none", hasSandbox: false, want: "False" },
  ],
  Initialized: [
    { name: "no init containers, nothing known", want: "True" },
    { name: "init containers, nothing known", spec: withInits, want: "False UnknownContainerStatuses" },
    {
      name: "the first runs",
      spec: withInits,
      statuses: [status("i", { ready: false }), waiting("j"), waiting("main")],
      want: "False ContainersNotInitialized: containers with incomplete status: [i j]",
    },
    {
      name: "the first is done",
      spec: withInits,
      statuses: [ended("i"), waiting("j"), waiting("main")],
      want: "False ContainersNotInitialized: containers with incomplete status: [j]",
    },
    {
      name: "of the second nothing is known",
      spec: withInits,
      statuses: [status("i", { ready: false }), waiting("main")],
      want: "False ContainersNotInitialized: containers with unknown status: [j], containers with incomplete status: [i]",
    },
    {
      name: "one failed",
      spec: { ...withInits, restartPolicy: "Never" },
      phase: "Failed",
      statuses: [ended("i", 5), waiting("j"), waiting("main")],
      want: "False ContainersNotInitialized: containers with incomplete status: [i j]",
    },
    { name: "all are done", spec: withInits, statuses: [ended("i"), ended("j"), waiting("main")], want: "True" },
    {
      name: "the pod has succeeded",
      spec: withInits,
      phase: "Succeeded",
      statuses: [ended("i"), ended("j"), over("main")],
      want: "True PodCompleted",
    },
    {
      name: "a sidecar has not started",
      spec: withSidecar,
      statuses: [status("s", { started: false }), waiting("main")],
      want: "False ContainersNotInitialized: containers with incomplete status: [s]",
    },
    {
      name: "a sidecar has started, and is not ready",
      spec: withSidecar,
      statuses: [unready("s"), waiting("main")],
      want: "True",
    },
    {
      name: "a sidecar restarts beside a container that has run",
      spec: withSidecar,
      statuses: [waiting("s"), status("main")],
      want: "True",
    },
  ],
  ContainersReady: [
    { name: "nothing known", want: "False UnknownContainerStatuses" },
    { name: "all are ready", spec: two, statuses: [status("a"), status("b")], want: "True" },
    {
      name: "one is not",
      spec: two,
      statuses: [status("a"), unready("b")],
      want: "False ContainersNotReady: containers with unready status: [b]",
    },
    {
      name: "one is not, of the other nothing is known",
      spec: two,
      statuses: [unready("b")],
      want: "False ContainersNotReady: containers with unknown status: [a], containers with unready status: [b]",
    },
    {
      name: "a sidecar is not ready",
      spec: withSidecar,
      statuses: [unready("s"), status("main")],
      want: "False ContainersNotReady: containers with unready status: [s]",
    },
    {
      name: "an init container does not matter",
      spec: withInits,
      statuses: [ended("i", 1), ended("j"), status("main")],
      want: "True",
    },
    { name: "the pod has succeeded", phase: "Succeeded", statuses: [over("main")], want: "False PodCompleted" },
    { name: "the pod has failed", phase: "Failed", statuses: [over("main", 1)], want: "False PodFailed" },
    {
      name: "a pod that counts as succeeded, of which nothing is known",
      phase: "Succeeded",
      statuses: [],
      want: "False ContainersNotReady: containers with unknown status: [main]",
    },
  ],
  Ready: [
    { name: "containers and no gates", statuses: [status("main")], want: "True" },
    {
      name: "containers that are not",
      statuses: [unready("main")],
      want: "False ContainersNotReady: containers with unready status: [main]",
    },
    {
      name: "containers that are not come before gates",
      spec: gate("x.y/z"),
      statuses: [unready("main")],
      want: "False ContainersNotReady: containers with unready status: [main]",
    },
    {
      name: "a gate that nobody has opened",
      spec: gate("x.y/z"),
      statuses: [status("main")],
      want: 'False ReadinessGatesNotReady: corresponding condition of pod readiness gate "x.y/z" does not exist.',
    },
    {
      name: "a gate that is shut, and one that is missing",
      spec: gate("x.y/a", "x.y/b"),
      statuses: [status("main")],
      foreign: [foreign("x.y/a", "False")],
      want: 'False ReadinessGatesNotReady: the status of pod readiness gate "x.y/a" is not "True", but False, corresponding condition of pod readiness gate "x.y/b" does not exist.',
    },
    {
      name: "gates that are open",
      spec: gate("x.y/a", "x.y/b"),
      statuses: [status("main")],
      foreign: [foreign("x.y/a", "True"), foreign("x.y/b", "True")],
      want: "True",
    },
    { name: "the pod has succeeded", phase: "Succeeded", statuses: [over("main")], want: "False PodCompleted" },
    { name: "the pod has failed", phase: "Failed", statuses: [over("main", 1)], want: "False PodFailed" },
  ],
  PodScheduled: [{ name: "always, since the node has it", want: "True" }],
  AllContainersRestarting: [
    { name: "a pod that never does it", want: "none" },
    ...(
      [
        { name: "one that may", want: "False" },
        {
          name: "one that does",
          restartingAll: true,
          want: "True RestartAllContainersStarted: container exited with restart policy rule",
        },
        { name: "one that has succeeded", phase: "Succeeded", want: "False PodCompleted" },
        { name: "one that has failed", phase: "Failed", want: "False PodFailed" },
      ] satisfies Case[]
    ).map((each) => ({
      ...each,
      spec: {
        containers: [
          aContainer("main", {
            restartPolicyRules: [
              { action: "RestartAllContainers", exitCodes: { operator: "In" as const, values: [42] } },
            ],
          }),
        ],
      },
    })),
  ],
};

describe.each(Object.entries(TABLES))("%s (POD-06)", (type, cases) => {
  it.each(cases)("$name: $want", (given) => expect(conditionOf(type, given)).toBe(given.want));
});

it("each condition has a table, and they come in upstream's order (POD-05)", () => {
  const rule = { action: "RestartAllContainers", exitCodes: { operator: "In" as const, values: [42] } };
  const pod = aPod({ containers: [aContainer("main", { restartPolicyRules: [rule] })] });
  const facts = { phase: "Running" as const, statuses: [], hasSandbox: true, foreign: [], restartingAll: false };
  const types = decideConditions(pod, facts).map(({ type }) => type);
  expect(types).toEqual([
    "PodReadyToStartContainers",
    "Initialized",
    "Ready",
    "ContainersReady",
    "PodScheduled",
    "AllContainersRestarting",
  ]);
  expect(Object.keys(TABLES).toSorted()).toEqual(types.toSorted());
});
