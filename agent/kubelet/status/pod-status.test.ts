import { describe, expect, it } from "vitest";
import { aContainer, anInstance, aPod, aSandbox, observation } from "../../../test/builders/kubelet.ts";
import type { PodStatus } from "../../api/index.ts";
import { StartError } from "../start-error.ts";
import { decidePodStatus, decideRejectedStatus, type PodStatusInputs } from "./pod-status.ts";

const NOW_MS = Date.parse("2026-01-01T00:00:10.500Z");

const decide = (inputs: Partial<PodStatusInputs>) =>
  decidePodStatus({
    pod: aPod(),
    observed: observation(),
    previous: {},
    startErrors: new Map(),
    hostIps: ["192.0.2.9"],
    ended: false,
    nowMs: NOW_MS,
    isReady: () => true,
    isStarted: () => true,
    ...inputs,
  });

const conditionsOf = (status: PodStatus) =>
  status.conditions?.map(({ type, status, reason }) => `${type}=${status}${reason ? ` ${reason}` : ""}`);

describe("a pod's way", () => {
  it("before the sandbox", () => {
    const status = decide({ observed: observation([], []) });
    expect(status).toMatchObject({
      phase: "Pending",
      startTime: "2026-01-01T00:00:10Z",
      hostIP: "192.0.2.9",
      qosClass: "BestEffort",
      observedGeneration: 1,
      containerStatuses: [{ state: { waiting: { reason: "ContainerCreating" } }, image: "app:1", ready: false }],
    });
    expect(status.podIP).toBeUndefined();
    expect(conditionsOf(status)).toEqual([
      "PodReadyToStartContainers=False",
      "Initialized=True",
      "Ready=False ContainersNotReady",
      "ContainersReady=False ContainersNotReady",
      "PodScheduled=True",
    ]);
    expect(status.conditions?.[2]).toMatchObject({
      message: "containers with unready status: [main]",
      observedGeneration: 1,
      lastTransitionTime: "2026-01-01T00:00:10Z",
    });
  });

  it("has both families' addresses: its sandbox's, or its node's", () => {
    const hostIps = ["192.0.2.9", "2001:db8::9"];
    const sandbox = aSandbox({ ips: ["10.244.0.5", "fd00:10:244::5"] });
    const own = decide({ hostIps, observed: observation([], [sandbox]) });
    const both = hostIps.map((ip) => ({ ip }));
    expect(own).toMatchObject({ hostIP: hostIps[0], hostIPs: both, podIP: "10.244.0.5" });
    expect(own.podIPs).toEqual([{ ip: "10.244.0.5" }, { ip: "fd00:10:244::5" }]);
    const shared = decide({ hostIps, pod: aPod({ hostNetwork: true }), observed: observation([], [sandbox]) });
    expect([shared.podIP, shared.podIPs]).toEqual([hostIps[0], both]);
  });

  it("with init containers the others wait for them", () => {
    const pod = aPod({ initContainers: [aContainer("i")] });
    const status = decide({ pod, observed: observation([anInstance("i", "running")]) });
    expect(status.containerStatuses).toMatchObject([{ state: { waiting: { reason: "PodInitializing" } } }]);
    expect(status.conditions?.[1]).toMatchObject({
      status: "False",
      reason: "ContainersNotInitialized",
      message: "containers with incomplete status: [i]",
    });
  });

  it("running", () => {
    const status = decide({ observed: observation([anInstance("main", "running")]) });
    expect(status).toMatchObject({
      phase: "Running",
      podIP: "10.244.0.5",
      podIPs: [{ ip: "10.244.0.5" }],
      containerStatuses: [{ ready: true, started: true, containerID: "containerd://main-0", imageID: "sha256:1" }],
    });
    expect(conditionsOf(status)).toEqual([
      "PodReadyToStartContainers=True",
      "Initialized=True",
      "Ready=True",
      "ContainersReady=True",
      "PodScheduled=True",
    ]);
  });

  it("a probe that says no", () => {
    const observed = observation([anInstance("main", "running")]);
    expect(decide({ observed, isReady: () => false }).containerStatuses).toMatchObject([
      { ready: false, started: true },
    ]);
    expect(decide({ observed, isStarted: () => false }).containerStatuses).toMatchObject([
      { ready: false, started: false },
    ]);
  });

  it("crashed, waiting for the restart, with its last end", () => {
    const observed = observation([anInstance("main", "exited", { exitCode: 1, reason: "Error", restartCount: 3 })]);
    const startErrors = new Map([["main", new StartError("CrashLoopBackOff", "back-off 40s …")]]);
    const [status] = decide({ observed, startErrors }).containerStatuses!;
    expect(status).toMatchObject({
      restartCount: 3,
      state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 40s …" } },
      lastState: { terminated: { exitCode: 1, reason: "Error", containerID: "containerd://main-3" } },
    });
  });

  it("running again: the instance before is its last state", () => {
    const observed = observation([
      anInstance("main", "running", { restartCount: 1 }),
      anInstance("main", "exited", { exitCode: 137, reason: "OOMKilled" }),
    ]);
    const [status] = decide({ observed }).containerStatuses!;
    expect(status).toMatchObject({
      restartCount: 1,
      lastState: { terminated: { reason: "OOMKilled", exitCode: 137 } },
    });
  });

  it("the last state is remembered when the runtime has removed that instance", () => {
    const previous = decide({ observed: observation([anInstance("main", "exited", { exitCode: 2 })]) });
    const observed = observation([anInstance("main", "running", { restartCount: 1 })]);
    expect(decide({ observed, previous }).containerStatuses).toMatchObject([
      { lastState: { terminated: { exitCode: 2 } } },
    ]);
  });

  it("a running container that vanished", () => {
    const previous = decide({ observed: observation([anInstance("main", "running")]) });
    const status = decide({ observed: observation([], []), previous });
    expect(status.phase).toBe("Running");
    expect(status.containerStatuses).toMatchObject([
      { restartCount: 1, lastState: { terminated: { reason: "ContainerStatusUnknown", exitCode: 137 } } },
    ]);
  });

  it.each([
    { exitCode: 0, phase: "Succeeded", reason: "PodCompleted" },
    { exitCode: 1, phase: "Failed", reason: "PodFailed" },
  ])("ended with $exitCode: $phase", ({ exitCode, phase, reason }) => {
    const pod = aPod({ restartPolicy: "Never" });
    const dead = [aSandbox({ ready: false, ips: [] })];
    const previous = decide({ pod, observed: observation([anInstance("main", "running")]) });
    const status = decide({
      pod,
      observed: observation([anInstance("main", "exited", { exitCode })], dead),
      previous,
      ended: true,
    });
    expect(status.phase).toBe(phase);
    expect(conditionsOf(status)?.slice(2, 4)).toEqual([`Ready=False ${reason}`, `ContainersReady=False ${reason}`]);
    // The address stays for whoever looks at the record.
    expect(status.podIP).toBe("10.244.0.5");
  });

  it("there is no way back from an end", () => {
    const status = decide({ observed: observation([anInstance("main", "running")]), previous: { phase: "Failed" } });
    expect(status.phase).toBe("Failed");
  });
});

describe("a pod that ends", () => {
  const lost = { terminated: { reason: "ContainerStatusUnknown", exitCode: 137 } };
  const waiting = { waiting: { reason: "PodInitializing" } };

  it("is not told as ended while its sandbox is up", () => {
    const pod = aPod({ restartPolicy: "Never" });
    const status = decide({
      pod,
      observed: observation([anInstance("main", "exited")]),
      previous: { phase: "Running" },
    });
    expect(status.phase).toBe("Running");
    expect(conditionsOf(status)?.slice(1, 4)).toEqual([
      "Initialized=True PodCompleted",
      "Ready=False PodCompleted",
      "ContainersReady=False PodCompleted",
    ]);
  });

  it("has failed if a container never ran", () => {
    const status = decide({ observed: observation([], []), ended: true });
    expect(status).toMatchObject({ phase: "Failed", containerStatuses: [{ state: lost }] });
    expect(conditionsOf(status)?.[2]).toBe("Ready=False ContainersNotReady");
    const again = decide({ observed: observation([], []), ended: true, previous: status });
    expect(again.conditions).toEqual(status.conditions);
  });

  it.each([
    { name: "none was started", containers: [], want: [lost, waiting, waiting] },
    {
      name: "the first one failed",
      containers: [anInstance("a", "exited", { exitCode: 1 })],
      want: [{ terminated: { exitCode: 1 } }, waiting, waiting],
    },
    {
      name: "all are done",
      containers: [anInstance("a", "exited"), anInstance("b", "exited")],
      want: [{ terminated: { exitCode: 0 } }, { terminated: { exitCode: 0 } }, lost],
    },
  ])("with init containers, $name", ({ containers, want }) => {
    const pod = aPod({ initContainers: [aContainer("a"), aContainer("b")] });
    const status = decide({ pod, observed: observation(containers, []), ended: true });
    const states = [...status.initContainerStatuses!, ...status.containerStatuses!].map(({ state }) => state);
    expect(states).toMatchObject(want);
  });

  it("for a reason of the node's own tells it, and the disruption", () => {
    const condition = {
      type: "DisruptionTarget",
      status: "True",
      reason: "TerminationByKubelet",
      message: "m",
    } as const;
    const status = decide({
      observed: observation([anInstance("main", "exited")], []),
      ended: true,
      failure: { reason: "Preempting", message: "why", event: "Warning", condition },
    });
    expect(status).toMatchObject({ phase: "Failed", reason: "Preempting", message: "why" });
    expect(status.conditions?.at(-1)).toMatchObject(condition);
  });

  it("was not let in: it has no containers and no conditions", () => {
    const pod = { ...aPod(), status: { phase: "Pending", conditions: [{ type: "PodScheduled", status: "True" }] } };
    expect(decideRejectedStatus(pod, { reason: "OutOfcpu", message: "no" }, NOW_MS)).toEqual({
      observedGeneration: 1,
      phase: "Failed",
      reason: "OutOfcpu",
      message: "Pod was rejected: no",
      conditions: [],
      startTime: "2026-01-01T00:00:10Z",
      qosClass: "BestEffort",
    });
  });
});

describe("conditions", () => {
  const running = observation([anInstance("main", "running")]);

  it("keep the time of their last change", () => {
    const previous = decide({ observed: observation([], []) });
    const later = decide({ observed: running, previous, nowMs: NOW_MS + 5_000 });
    const times = Object.fromEntries(
      later.conditions!.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]),
    );
    expect(times).toMatchObject({ Initialized: "2026-01-01T00:00:10Z", Ready: "2026-01-01T00:00:15Z" });
    expect(later.startTime).toBe("2026-01-01T00:00:10Z");
  });

  it("of others are kept, and readiness gates look at them", () => {
    const gate = { readinessGates: [{ conditionType: "example.com/up" }] };
    const without = decide({ pod: aPod(gate), observed: running });
    expect(without.conditions?.find(({ type }) => type === "Ready")).toMatchObject({
      status: "False",
      reason: "ReadinessGatesNotReady",
      message: 'corresponding condition of pod readiness gate "example.com/up" does not exist.',
    });
    const conditions = [{ type: "example.com/up", status: "True" }];
    const withIt = decide({ pod: { ...aPod(gate), status: { conditions } }, observed: running });
    expect(withIt.conditions?.[0]).toEqual(conditions[0]);
    expect(withIt.conditions?.find(({ type }) => type === "Ready")).toMatchObject({ status: "True" });
  });
});

describe("RestartAllContainers (KEP-5532)", () => {
  const rule = { action: "RestartAllContainers", exitCodes: { operator: "In", values: [42] } };
  const pod = aPod({
    restartPolicy: "Never",
    containers: [aContainer("main", { restartPolicy: "Never", restartPolicyRules: [rule] }), aContainer("other")],
  });
  const running = decide({
    pod,
    observed: observation([anInstance("main", "running"), anInstance("other", "running")]),
  });
  const conditionOf = (status: PodStatus) => status.conditions?.find(({ type }) => type === "AllContainersRestarting");

  it("is told in a condition of pods that may do it", () => {
    expect(conditionOf(running)).toMatchObject({ status: "False" });
    expect(conditionOf(decide({ observed: observation([anInstance("main", "running")]) }))).toBeUndefined();
  });

  it("begins when a container ends as the rule says", () => {
    const observed = observation([anInstance("main", "exited", { exitCode: 42 }), anInstance("other", "running")]);
    const status = decide({ pod, observed, previous: running });
    expect(conditionOf(status)).toMatchObject({ status: "True", reason: "RestartAllContainersStarted" });
    expect(status.phase).toBe("Running");
    const gone = decide({ pod, observed: observation([]), previous: status });
    expect(conditionOf(gone)).toMatchObject({ status: "False" });
    const why = { reason: "RestartingAllContainers" };
    expect(gone.containerStatuses).toMatchObject(
      ["main", "other"].map((name) => ({
        name,
        restartCount: 1,
        state: { waiting: why },
        lastState: { terminated: { ...why, exitCode: 137 } },
      })),
    );
  });

  it("does not begin for another code", () => {
    const observed = observation([anInstance("main", "exited", { exitCode: 1 }), anInstance("other", "running")]);
    expect(conditionOf(decide({ pod, observed, previous: running }))).toMatchObject({ status: "False" });
  });
});

describe("container statuses", () => {
  it("share the room for last words", () => {
    const containers = ["a", "b", "c", "d"].map((name) => aContainer(name));
    const instances = containers.map(({ name }) => anInstance(name, "exited", { message: "x".repeat(4000) }));
    const { containerStatuses } = decide({ pod: aPod({ containers }), observed: observation(instances) });
    expect(containerStatuses!.map(({ state }) => state?.terminated?.message?.length)).toEqual([3072, 3072, 3072, 3072]);
  });

  it("do not say of a debugger whether it has started", () => {
    const pod = aPod({ ephemeralContainers: [aContainer("debug")] });
    const observed = observation([anInstance("main", "running"), anInstance("debug", "running")]);
    expect(decide({ pod, observed }).ephemeralContainerStatuses?.[0]).not.toHaveProperty("started");
  });
});
