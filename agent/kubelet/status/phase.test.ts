import { describe, expect, it } from "vitest";
import { aContainer, aPod } from "../../../test/builders/kubelet.ts";
import type { ContainerState, ContainerStatus, Pod } from "../../api/index.ts";
import { decidePhase } from "./phase.ts";

const status = (name: string, state: ContainerState, more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name,
  state,
  ready: false,
  restartCount: 0,
  image: "app:1",
  imageID: "",
  ...more,
});
const running: ContainerState = { running: {} };
const waiting: ContainerState = { waiting: {} };
const ended = (exitCode: number): ContainerState => ({ terminated: { exitCode } });
const crashed = (name: string) => status(name, waiting, { lastState: ended(1) });

const two = { containers: [aContainer("a"), aContainer("b")] };
const withInit = { initContainers: [aContainer("i")] };
const withSidecar = { initContainers: [aContainer("s", { restartPolicy: "Always" })] };

describe("decidePhase (POD-04)", () => {
  it.each<{ name: string; pod: Pod; statuses: ContainerStatus[]; facts?: object; want: string }>([
    { name: "nothing known", pod: aPod(), statuses: [], want: "Pending" },
    { name: "waiting", pod: aPod(two), statuses: [status("a", running), status("b", waiting)], want: "Pending" },
    { name: "all run", pod: aPod(two), statuses: [status("a", running), status("b", running)], want: "Running" },
    {
      name: "one between two restarts",
      pod: aPod(two),
      statuses: [status("a", running), crashed("b")],
      want: "Running",
    },
    { name: "all between two restarts", pod: aPod(), statuses: [crashed("main")], want: "Running" },
    { name: "Always: ended is about to restart", pod: aPod(), statuses: [status("main", ended(0))], want: "Running" },
    {
      name: "Never, 0",
      pod: aPod({ restartPolicy: "Never" }),
      statuses: [status("main", ended(0))],
      want: "Succeeded",
    },
    { name: "Never, 1", pod: aPod({ restartPolicy: "Never" }), statuses: [status("main", ended(1))], want: "Failed" },
    {
      name: "OnFailure, 1",
      pod: aPod({ restartPolicy: "OnFailure" }),
      statuses: [status("main", ended(1))],
      want: "Running",
    },
    {
      name: "Always, stopped for good, 0",
      pod: aPod(),
      statuses: [status("main", ended(0))],
      facts: { ended: true },
      want: "Succeeded",
    },
    {
      name: "Always, stopped for good, 143",
      pod: aPod(),
      statuses: [status("main", ended(143))],
      facts: { ended: true },
      want: "Failed",
    },
    {
      name: "an init container runs",
      pod: aPod(withInit),
      statuses: [status("i", running), status("main", waiting)],
      want: "Pending",
    },
    {
      name: "an init container failed with Never",
      pod: aPod({ ...withInit, restartPolicy: "Never" }),
      statuses: [status("i", ended(1)), status("main", waiting)],
      want: "Failed",
    },
    {
      name: "an init container failed and is run again",
      pod: aPod(withInit),
      statuses: [status("i", ended(1)), status("main", waiting)],
      want: "Pending",
    },
    {
      name: "a sidecar that is not yet started",
      pod: aPod(withSidecar),
      statuses: [status("s", running, { started: false }), status("main", running)],
      want: "Pending",
    },
    {
      name: "a sidecar that restarts beside running containers",
      pod: aPod(withSidecar),
      statuses: [status("s", running, { started: false }), status("main", running)],
      facts: { initialized: true },
      want: "Running",
    },
  ])("$name: $want", ({ pod, statuses, facts, want }) => {
    expect(decidePhase(pod, statuses, { ended: false, initialized: false, ...facts })).toBe(want);
  });
});
