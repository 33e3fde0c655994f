import { describe, expect, it } from "vitest";
import { aCpuMachine } from "../../test/builders/cpu-machine.ts";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import { NO_CPU_OPTIONS, parseCpuOptions } from "../cpumanager/index.ts";
import { createPinning, type PinningDeps } from "./pinning.ts";

const asking = (cpu: string, memory = "1Mi") =>
  aContainer("a", { resources: { requests: { cpu, memory }, limits: { cpu, memory } } });
const pinned = aPod({ containers: [asking("2")] });
const NO_ALIGNMENT: PinningDeps["alignment"] = { policy: "none", scope: "container", machine: { nodes: [0] } };

function start({
  cpus,
  memory,
  ...deps
}: { cpus?: string; memory?: string } & Pick<Partial<PinningDeps>, "alignment"> & {
    pool?: PinningDeps["cpus"] extends infer Pool | undefined ? Partial<Pool> : never;
    nodes?: number;
  } = {}) {
  const seen = { cpus, memory, moved: [] as string[], fails: false, isDiskFull: false };
  let saving = 0;
  const checkpoint = (part: "cpus" | "memory") => ({
    file: `/state/${part}`,
    load: () => Promise.resolve(seen[part]),
    async save(text: string) {
      if (seen.isDiskFull) throw new Error("ENOSPC");
      expect(++saving, "two write one file").toBe(1);
      await Promise.resolve();
      saving -= 1;
      seen[part] = text;
    },
  });
  const { nodes = 1, alignment = NO_ALIGNMENT, pool } = deps;
  return createPinning({
    cpus: {
      topology: aCpuMachine({ sockets: nodes, cores: 4 }),
      ...{ reserved: [0], options: NO_CPU_OPTIONS, ...pool },
      checkpoint: checkpoint("cpus"),
    },
    memory: {
      machine: Array.from({ length: nodes }, (_, node) => ({ node, memoryBytes: 2 ** 30, hugepages: {} })),
      reserved: new Map(),
      checkpoint: checkpoint("memory"),
    },
    alignment,
    setCpus: async (id, { cpusetCpus }) => {
      if (seen.fails) throw new Error("gone");
      seen.moved.push(`${id}=${cpusetCpus}`);
    },
    onFailure: (id, message) => seen.moved.push(`${id}: ${message}`),
  }).then((pinning) => ({ pinning, seen }));
}

describe("createPinning", () => {
  it("pins, lifts the quota, and remembers over a restart", async () => {
    const { pinning, seen } = await start();
    expect(await pinning.admit(pinned)).toBeUndefined();
    const own = { cpusetCpus: "1,5", cpusetMems: "0", cpuQuota: -1 };
    expect(pinning.resourcesOf("u1", { name: "a" })).toEqual(own);
    expect(pinning.resourcesOf("u2", { name: "x" })).toEqual({ cpusetCpus: "0,2-4,6-7" });
    const again = await start({ cpus: seen.cpus!, memory: seen.memory! });
    expect(again.pinning.hasExclusive("u1")).toBe(true);
    expect(await again.pinning.admit(pinned)).toBeUndefined();
    expect(again.pinning.resourcesOf("u1", { name: "a" })).toEqual(own);
    await again.pinning.release("u1");
    expect(again.pinning.resourcesOf("u2", { name: "x" })).toEqual({ cpusetCpus: "0-7" });
    expect([again.seen.cpus, again.seen.memory]).toEqual(["{}", "{}"]);
  });

  it("gives back what could not be saved when it is asked again", async () => {
    const { pinning, seen } = await start();
    await pinning.admit(pinned);
    seen.isDiskFull = true;
    await expect(pinning.release("u1")).rejects.toThrow("ENOSPC");
    seen.isDiskFull = false;
    await pinning.release("u1");
    expect([seen.cpus, seen.memory]).toEqual(["{}", "{}"]);
  });

  it("gives back what pods had that are gone", async () => {
    const { pinning, seen } = await start();
    await pinning.admit(pinned);
    await pinning.admit(aPod({ containers: [asking("1")] }, { uid: "u2" }));
    await pinning.retain((uid) => uid === "u2");
    expect([pinning.hasExclusive("u1"), pinning.hasExclusive("u2")]).toEqual([false, true]);
    expect(Object.keys(JSON.parse(seen.cpus!) as object)).toEqual(["u2"]);
  });

  it("saves what several take and give back at the same time, one after the other", async () => {
    const { pinning, seen } = await start();
    const uids = ["u1", "u2", "u3"];
    await Promise.all(uids.map((uid) => pinning.admit(aPod({ containers: [asking("1")] }, { uid }))));
    expect(Object.keys(JSON.parse(seen.cpus!) as object)).toEqual(uids);
    await Promise.all(uids.map((uid) => pinning.release(uid)));
    expect([seen.cpus, seen.memory]).toEqual(["{}", "{}"]);
  });

  it("puts CPUs and memory on one node (single-numa-node)", async () => {
    const alignment = { policy: "single-numa-node", scope: "pod", machine: { nodes: [0, 1] } } as const;
    const { pinning } = await start({ alignment, nodes: 2 });
    // Six CPUs are on either node, the reserved one is on the first; then there is only the second.
    expect(await pinning.admit(aPod({ containers: [asking("6", "900Mi")] }))).toBeUndefined();
    expect(pinning.resourcesOf("u1", { name: "a" })).toMatchObject({ cpusetMems: "0" });
    expect(await pinning.admit(aPod({ containers: [asking("1", "500Mi")] }, { uid: "u2" }))).toBeUndefined();
    expect(pinning.resourcesOf("u2", { name: "a" })).toMatchObject({ cpusetCpus: "4", cpusetMems: "1" });
    expect(await pinning.admit(aPod({ containers: [asking("1", "600Mi")] }, { uid: "u3" }))).toEqual({
      reason: "UnexpectedAdmissionError",
      message:
        "Allocate failed due to [memorymanager] failed to find NUMA nodes to extend the current topology hint, which is unexpected",
    });
    expect(await pinning.admit(aPod({ containers: [asking("8", "1Mi")] }, { uid: "u4" }))).toEqual({
      reason: "TopologyAffinityError",
      message: "Resources cannot be allocated with Topology locality",
    });
    // Who was refused has nothing.
    expect(pinning.hasExclusive("u3")).toBe(false);
  });

  it.each([
    {
      name: "too few CPUs",
      cpu: "8",
      options: {},
      want: {
        reason: "UnexpectedAdmissionError",
        message:
          "Allocate failed due to not enough cpus available to satisfy request: requested=8, available=7, which is unexpected",
      },
    },
    {
      name: "half a core",
      cpu: "3",
      options: { "full-pcpus-only": "true" },
      want: {
        reason: "SMTAlignmentError",
        message: "SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2",
      },
    },
  ])("refuses in upstream's words: $name", async ({ cpu, options, want }) => {
    const { pinning } = await start({
      pool: { options: parseCpuOptions(options as object as Record<string, string>) },
    });
    expect(await pinning.admit(aPod({ containers: [asking(cpu)] }))).toEqual(want);
  });

  it("moves those who share when somebody takes CPUs, once", async () => {
    const { pinning, seen } = await start();
    const running = new Map([["c1", { uid: "u2", name: "x" }]]);
    await pinning.reconcile(running);
    await pinning.admit(pinned);
    seen.fails = true;
    await pinning.reconcile(running);
    seen.fails = false;
    await pinning.reconcile(running);
    await pinning.reconcile(running);
    expect(seen.moved).toEqual(["c1=0-7", "c1: gone", "c1=0,2-4,6-7"]);
  });

  it.each([
    { name: "half a file", saved: { cpus: "{" }, want: "JSON" },
    { name: "no CPUs", saved: { cpus: '{"u1":{"a":"x"}}' }, want: "not a list of CPUs" },
    { name: "CPUs of another machine", saved: { cpus: '{"u1":{"a":"8-9"}}' }, want: "CPU 8 is not there" },
    { name: "no memory", saved: { memory: '{"u1":{"a":[{"nodes":[0]}]}}' }, want: "sizeBytes" },
    {
      name: "memory of another machine",
      saved: { memory: '{"u1":{"a":[{"nodes":[4],"type":"memory","sizeBytes":1}]}}' },
      want: "uses the NUMA that does not exist",
    },
  ])("does not start on $name", async ({ saved, want }) => {
    const started = start(saved as { cpus?: string; memory?: string });
    await expect(started).rejects.toThrow(want);
    const manager =
      "cpus" in saved ? 'CPU manager checkpoint file "/state/cpus"' : 'memory manager checkpoint file "/state/memory"';
    await expect(started).rejects.toThrow(`please drain this node and delete the ${manager} before restarting Kubelet`);
  });
});
