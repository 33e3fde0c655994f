import { beforeEach, describe, expect, it } from "vitest";
import { aContainer, aPod, cgroupSettings } from "../../test/builders/kubelet.ts";
import type { Container, Pod } from "../api/index.ts";
import type { CgroupLimits } from "../cgroup/index.ts";
import type { LinuxResources } from "../cri/index.ts";
import { allocationOf, sameAllocation, withAllocation } from "./allocation.ts";
import { decideChanges } from "./changes.ts";
import { decideResizeConditions } from "./conditions.ts";
import { whyInfeasible } from "./feasible.ts";
import { renderResizeMessage } from "./message.ts";
import { createResizes, type ResizeDeps } from "./resizes.ts";

const MI = 2 ** 20;
type Amounts = Record<string, string>;

const resources = (requests: Amounts, limits: Amounts = {}) => ({ requests, limits });
const container = (name: string, requests: Amounts, limits: Amounts = {}, fields: Partial<Container> = {}) =>
  aContainer(name, { resources: resources(requests, limits), ...fields });
const podOf = (...containers: Container[]) => aPod({ containers }, { generation: 2 });
const RESTART = { resizePolicy: [{ resourceName: "memory", restartPolicy: "RestartContainer" }] };

describe("an allocation", () => {
  const sidecar = container("proxy", { cpu: "1" }, {}, { restartPolicy: "Always" });
  const init = container("migrate", { cpu: "1" });
  const pod = aPod({ containers: [container("app", { cpu: "2" })], initContainers: [init, sidecar] });

  it("is of containers and sidecars", () => {
    expect(Object.keys(allocationOf(pod).containers).sort()).toEqual(["app", "proxy"]);
  });

  it("overrides what the pod asks for, and leaves a pod alone that asks for the same", () => {
    const granted = { containers: { app: resources({ cpu: "1" }), proxy: resources({ cpu: "1000m" }) } };
    expect(withAllocation(pod, granted).spec.containers[0]?.resources).toEqual(resources({ cpu: "1" }));
    expect(withAllocation(pod, granted).spec.initContainers).toEqual([
      init,
      { ...sidecar, resources: resources({ cpu: "1000m" }) },
    ]);
    expect(withAllocation(pod, allocationOf(pod))).toBe(pod);
  });

  it("takes away a pod's own resources that were not granted", () => {
    const whole = aPod({ resources: { limits: { cpu: "1" } } });
    expect(withAllocation(whole, allocationOf(aPod())).spec).not.toHaveProperty("resources");
  });

  it.each([
    [{ cpu: "1" }, { cpu: "1000m" }, true],
    [{ cpu: "1" }, { cpu: "2" }, false],
    [{ cpu: "1" }, {}, false],
  ])("of %j and %j are the same: %s", (a, b, want) => {
    const of = (requests: Amounts) => ({ containers: { app: resources(requests) } });
    expect(sameAllocation(of(a), of(b))).toBe(want);
  });
});

describe("decideChanges", () => {
  const change = {
    name: "app",
    needsRestart: false,
    changesMemory: false,
    changesCpu: false,
    shrinksMemory: false,
    shrinksCpu: false,
  };
  it.each([
    { name: "nothing", now: resources({ cpu: "1" }), before: resources({ cpu: "1000m" }), want: [] },
    {
      name: "a CPU limit goes up",
      now: resources({}, { cpu: "2" }),
      before: resources({}, { cpu: "1" }),
      want: [{ ...change, changesCpu: true }],
    },
    {
      name: "a CPU limit goes down",
      now: resources({}, { cpu: "1" }),
      before: resources({}, { cpu: "2" }),
      want: [{ ...change, changesCpu: true, shrinksCpu: true }],
    },
    {
      name: "a memory limit is new",
      now: resources({}, { memory: "1Mi" }),
      before: resources({}),
      want: [{ ...change, changesMemory: true, shrinksMemory: true }],
    },
    {
      name: "a memory limit is gone",
      now: resources({}),
      before: resources({}, { memory: "1Mi" }),
      want: [{ ...change, changesMemory: true }],
    },
    {
      name: "a memory request",
      now: resources({ memory: "2Mi" }),
      before: resources({ memory: "1Mi" }),
      want: [{ ...change, changesMemory: true }],
    },
    {
      name: "memory, by a restart",
      now: resources({ memory: "2Mi" }),
      before: resources({ memory: "1Mi" }),
      fields: RESTART,
      want: [{ ...change, changesMemory: true, needsRestart: true }],
    },
    {
      name: "CPU, which the policy does not restart for",
      now: resources({ cpu: "2" }),
      before: resources({ cpu: "1" }),
      fields: RESTART,
      want: [{ ...change, changesCpu: true }],
    },
  ])("$name", ({ now, before, fields = {}, want }) => {
    const pod = podOf(aContainer("app", { resources: now, ...fields }));
    expect(decideChanges(pod, { containers: { app: before } }, new Set(["app"]))).toEqual(want);
    expect(decideChanges(pod, { containers: { app: before } }, new Set())).toEqual([]);
  });

  it("counts the pod's limit where the container has none", () => {
    const pod = aPod({ containers: [aContainer("app")], resources: { limits: { cpu: "2" } } });
    const before = { containers: { app: {} }, pod: { limits: { cpu: "1" } } };
    expect(decideChanges(pod, before, new Set(["app"]))).toMatchObject([{ changesCpu: true }]);
  });
});

describe("whyInfeasible", () => {
  const none = { swapBehavior: "NoSwap", cpuManagerPolicy: "none", memoryManagerPolicy: "None" } as const;
  const guaranteed = (cpu: string, memory: string) => podOf(container("app", { cpu, memory }, { cpu, memory }));
  const burstable = (memory: string, fields = {}) => podOf(container("app", { memory }, { memory: "9Mi" }, fields));
  it.each([
    {
      name: "nothing of the kind",
      wanted: guaranteed("2", "1Mi"),
      granted: guaranteed("1", "1Mi"),
      policies: none,
      want: undefined,
    },
    {
      name: "exclusive CPUs",
      wanted: guaranteed("2", "1Mi"),
      granted: guaranteed("1", "1Mi"),
      policies: { ...none, cpuManagerPolicy: "static" as const },
      want: 'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"',
    },
    {
      name: "memory beside exclusive CPUs",
      wanted: guaranteed("1", "2Mi"),
      granted: guaranteed("1", "1Mi"),
      policies: { ...none, cpuManagerPolicy: "static" as const },
      want: undefined,
    },
    {
      name: "pinned memory",
      wanted: guaranteed("1", "2Mi"),
      granted: guaranteed("1", "1Mi"),
      policies: { ...none, memoryManagerPolicy: "Static" as const },
      want: 'Resize is infeasible for Guaranteed Pods alongside Memory Manager policy "Static"',
    },
    {
      name: "swap",
      wanted: burstable("2Mi"),
      granted: burstable("1Mi"),
      policies: { ...none, swapBehavior: "LimitedSwap" as const },
      want: "In-place resize of containers with swap is not supported.",
    },
    {
      name: "swap, with a restart",
      wanted: burstable("2Mi", RESTART),
      granted: burstable("1Mi", RESTART),
      policies: { ...none, swapBehavior: "LimitedSwap" as const },
      want: undefined,
    },
  ])("$name", ({ wanted, granted, policies, want }) => expect(whyInfeasible(wanted, granted, policies)).toBe(want));
});

it("prints a resize as upstream does", () => {
  expect(
    renderResizeMessage("Pod resize started", podOf(container("app", { memory: "1Mi", cpu: "1" }, { cpu: "1" }))),
  ).toBe(
    'Pod resize started: {"containers":[{"name":"app","resources":{"limits":{"cpu":"1"},"requests":{"cpu":"1","memory":"1Mi"}}}],"generation":2}',
  );
  expect(renderResizeMessage("Pod resize error", podOf(aContainer("app")), "no")).toBe(
    'Pod resize error: {"containers":[{"name":"app","resources":{}}],"generation":2,"error":"no"}',
  );
});

it("tells what is pending before what is in progress", () => {
  expect(
    decideResizeConditions({
      pending: { reason: "Deferred", message: "no room", generation: 3 },
      inProgress: { error: "busy", generation: 2 },
    }),
  ).toEqual([
    { type: "PodResizePending", status: "True", reason: "Deferred", message: "no room", observedGeneration: 3 },
    { type: "PodResizeInProgress", status: "True", reason: "Error", message: "busy", observedGeneration: 2 },
  ]);
  expect(decideResizeConditions({})).toEqual([]);
});

describe("createResizes", () => {
  const running = new Map([["app", "c1"]]);
  const small = podOf(container("app", { cpu: "1", memory: "10Mi" }, { cpu: "1", memory: "10Mi" }));
  const large = podOf(container("app", { cpu: "2", memory: "20Mi" }, { cpu: "2", memory: "20Mi" }));
  let done: string[];
  let events: string[];
  let saved: Map<string, object>;
  let room: string | undefined;
  let usage: number;
  let deps: ResizeDeps;
  const note = (_: string, reason: string) => void events.push(reason);
  const show = ({ cpuWeight, cpuMax, memoryMax }: CgroupLimits) => [
    ...(memoryMax === undefined ? [] : [`memory ${Number(memoryMax) / MI}`]),
    ...(cpuMax === undefined ? [] : [`cpu ${cpuMax.quota}`]),
    ...(cpuWeight === undefined ? [] : [`weight ${cpuWeight}`]),
  ];
  beforeEach(() => {
    done = [];
    events = [];
    saved = new Map();
    room = undefined;
    usage = 0;
    deps = {
      settings: cgroupSettings(),
      policies: { swapBehavior: "NoSwap", cpuManagerPolicy: "none", memoryManagerPolicy: "None" },
      state: {
        allocation: (uid) => Promise.resolve(structuredClone(saved.get(uid))),
        saveAllocation: async (uid, record) => void saved.set(uid, structuredClone(record)),
      },
      makeRoom: () => Promise.resolve(room),
      cgroups: {
        update: () => Promise.resolve(),
        enforceReserve: () => Promise.resolve(true),
        ensure: () => Promise.resolve(),
        remove: () => Promise.resolve(),
        resize: async (_pod: Pod, limits?: CgroupLimits) => void done.push(`pod: ${show(limits!).join(", ")}`),
      },
      cri: {
        updateContainerResources: async (id: string, linux: LinuxResources) =>
          void done.push(`${id}: memory ${linux.memoryLimitInBytes! / MI}, cpu ${linux.cpuQuota}`),
        containerStats: () => Promise.resolve({ memory: { usageBytes: { value: usage } } } as never),
      },
    };
  });

  it("grants, changes and completes: the pod grows before its containers", async () => {
    const resizes = createResizes(deps);
    resizes.granted(small);
    expect(await resizes.consider(large, running, note)).toBe(large);
    expect(resizes.conditions("u1")).toMatchObject([{ type: "PodResizeInProgress", observedGeneration: 2 }]);
    await resizes.actuate(large, running, note);
    expect(done).toEqual([
      "pod: memory 20",
      "c1: memory 20, cpu 100000",
      "pod: cpu 200000, weight 79",
      "c1: memory 20, cpu 200000",
    ]);
    expect(events).toEqual(["ResizeStarted", "ResizeCompleted"]);
    expect(resizes.conditions("u1")).toEqual([]);
    expect(resizes.actuated("u1")).toEqual(allocationOf(large).containers);
  });

  it("shrinks containers before their pod", async () => {
    const resizes = createResizes(deps);
    resizes.granted(large);
    await resizes.consider(small, running, note);
    await resizes.actuate(small, running, note);
    expect(done).toEqual([
      "c1: memory 10, cpu 200000",
      "pod: memory 10",
      "c1: memory 10, cpu 100000",
      "pod: cpu 100000, weight 39",
    ]);
  });

  it("does not take memory away that is in use", async () => {
    const resizes = createResizes(deps);
    resizes.granted(large);
    await resizes.consider(small, running, note);
    usage = 15 * MI;
    await resizes.actuate(small, running, note);
    await resizes.actuate(small, running, note);
    expect(done).toEqual([]);
    expect(events).toEqual(["ResizeStarted", "ResizeError"]);
    const pod = `attempting to set pod memory limit (${10 * MI}) below current usage (${15 * MI})`;
    const app = `attempting to set container "app" memory limit (${10 * MI}) below current usage (${15 * MI})`;
    expect(resizes.conditions("u1")).toMatchObject([
      { reason: "Error", message: `cannot decrease memory limits: [${pod}, ${app}]` },
    ]);
    usage = 5 * MI;
    await resizes.actuate(small, running, note);
    expect(events).toEqual(["ResizeStarted", "ResizeError", "ResizeCompleted"]);
  });

  it("waits for room, and tells it once", async () => {
    const resizes = createResizes(deps);
    resizes.granted(small);
    room = "no cpu";
    for (let round = 0; round < 2; round++) {
      expect((await resizes.consider(large, running, note)).spec).toEqual(small.spec);
    }
    expect(events).toEqual(["ResizeDeferred"]);
    expect(resizes.isPending("u1")).toBe(true);
    expect(resizes.conditions("u1")).toMatchObject([
      { type: "PodResizePending", reason: "Deferred", message: "no cpu" },
    ]);
    room = undefined;
    await resizes.consider(large, running, note);
    expect(resizes.isPending("u1")).toBe(false);
    expect(events).toEqual(["ResizeDeferred", "ResizeStarted"]);
  });

  it("forgets a wish that is taken back", async () => {
    const resizes = createResizes(deps);
    resizes.granted(small);
    room = "no cpu";
    await resizes.consider(large, running, note);
    await resizes.consider(small, running, note);
    expect(resizes.conditions("u1")).toEqual([]);
  });

  it("says what is never granted here", async () => {
    const resizes = createResizes({ ...deps, policies: { ...deps.policies, cpuManagerPolicy: "static" } });
    resizes.granted(small);
    await resizes.consider(large, running, note);
    expect(events).toEqual(["ResizeInfeasible"]);
    expect(resizes.conditions("u1")).toMatchObject([{ type: "PodResizePending", reason: "Infeasible" }]);
  });

  it("restarts where the policy says so; the new instance has what is granted", async () => {
    const withPolicy = (pod: Pod) => podOf({ ...pod.spec.containers[0]!, ...RESTART });
    const resizes = createResizes(deps);
    resizes.granted(withPolicy(small));
    const granted = await resizes.consider(withPolicy(large), running, note);
    expect(resizes.restarts(granted, running)).toEqual(["app"]);
    await resizes.actuate(granted, running, note);
    expect(done).toEqual(["pod: memory 20", "pod: cpu 200000"]);
    expect(events).toEqual(["ResizeStarted"]);
    const restarted = new Map([["app", "c2"]]);
    await resizes.consider(granted, restarted, note);
    expect(resizes.restarts(granted, restarted)).toEqual([]);
    await resizes.actuate(granted, restarted, note);
    expect(events).toEqual(["ResizeStarted", "ResizeCompleted"]);
    expect(done.filter((step) => step.startsWith("c2"))).toEqual([]);
  });

  it("goes on after a restart of the agent", async () => {
    const before = createResizes(deps);
    before.granted(small);
    await before.consider(large, running, note);
    const after = createResizes(deps);
    await after.recall(large);
    expect(after.granted(large)).toBe(large);
    await after.actuate(large, running, note);
    expect(done).toContain("c1: memory 20, cpu 200000");
    expect(events).toEqual(["ResizeStarted", "ResizeCompleted"]);
  });

  it("does not grant again after a restart what it had not", async () => {
    const before = createResizes(deps);
    before.granted(small);
    room = "no cpu";
    await before.consider(large, running, note);
    const after = createResizes(deps);
    await after.recall(large);
    expect(after.granted(large).spec).toEqual(small.spec);
  });
});
