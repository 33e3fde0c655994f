import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import type { Container } from "../api/index.ts";
import { takeCpus } from "./assign.ts";
import { createStaticCpuManager } from "./cpu-manager.ts";
import { parseCpuSet, printCpuSet } from "./cpu-set.ts";
import { assignPod, exclusiveCount, reserveCpus, sharedCpus } from "./static-policy.ts";
import { type Cpu, readTopology } from "./topology.ts";

/** Two threads a core, n and n + half, as the kernel numbers them; cores fill sockets in turn. */
function machine({
  sockets,
  cores,
  numaPerSocket = 1,
}: {
  sockets: number;
  cores: number;
  numaPerSocket?: number;
}): Cpu[] {
  const half = sockets * cores;
  return Array.from({ length: 2 * half }, (_, cpu) => {
    const core = cpu % half;
    const socket = Math.floor(core / cores);
    const numa = socket * numaPerSocket + Math.floor((core % cores) / (cores / numaPerSocket));
    return { cpu, core, socket, numa };
  });
}
/** 0-7: cores {0,4} {1,5} {2,6} {3,7}. */
const small = machine({ sockets: 1, cores: 4 });
/** 0-15: socket 0 has 0-3 and 8-11, socket 1 the rest. */
const large = machine({ sockets: 2, cores: 4 });
/** As large, with NUMA nodes of two cores. */
const split = machine({ sockets: 2, cores: 4, numaPerSocket: 2 });

it.each([
  ["0-3,8", [0, 1, 2, 3, 8]],
  ["", []],
  ["3,1,2\n", [1, 2, 3]],
])("reads %j", (text, want) => expect(parseCpuSet(text)).toEqual(want));
it.each(["3-1", "a", "1-", "0-99999"])("refuses %s", (text) =>
  expect(() => parseCpuSet(text)).toThrow("not a list of CPUs"),
);
it.each([
  [[0, 1, 2, 3, 8], "0-3,8"],
  [[], ""],
  [[5, 4], "4-5"],
])("prints %j", (cpus, want) => expect(printCpuSet(cpus)).toBe(want));

describe("takeCpus", () => {
  const all = (topology: Cpu[]) => topology.map(({ cpu }) => cpu);
  const but = (topology: Cpu[], taken: string) => all(topology).filter((cpu) => !parseCpuSet(taken).includes(cpu));
  it.each([
    { name: "a single thread", topology: small, from: all(small), count: 1, want: "0" },
    { name: "a whole core", topology: small, from: all(small), count: 2, want: "0,4" },
    { name: "a core and a thread", topology: small, from: all(small), count: 3, want: "0-1,4" },
    { name: "everything", topology: small, from: all(small), count: 8, want: "0-7" },
    {
      name: "a whole core though a half one comes first",
      topology: small,
      from: but(small, "0"),
      count: 2,
      want: "1,5",
    },
    { name: "the thread that is alone", topology: small, from: but(small, "0"), count: 1, want: "4" },
    { name: "a whole socket", topology: large, from: all(large), count: 8, want: "0-3,8-11" },
    { name: "the socket that is whole", topology: large, from: but(large, "0"), count: 8, want: "4-7,12-15" },
    { name: "cores of the fuller socket", topology: large, from: but(large, "4,12"), count: 2, want: "5,13" },
    { name: "a whole NUMA node", topology: split, from: all(split), count: 4, want: "0-1,8-9" },
    { name: "the NUMA node that is whole", topology: split, from: but(split, "0"), count: 4, want: "2-3,10-11" },
    { name: "a socket and a core beyond", topology: large, from: all(large), count: 10, want: "0-4,8-12" },
  ])("$name", ({ topology, from, count, want }) => expect(printCpuSet(takeCpus(topology, from, count))).toBe(want));

  it("says how many there are when they are too few", () => {
    expect(() => takeCpus(small, [1, 2], 3)).toThrow(
      "not enough cpus available to satisfy request: requested=3, available=2",
    );
  });
});

const asking = (name: string, cpu: string, fields: Partial<Container> = {}) =>
  aContainer(name, { resources: { requests: { cpu, memory: "1Mi" }, limits: { cpu, memory: "1Mi" } }, ...fields });

describe("exclusiveCount", () => {
  it.each([
    { name: "whole CPUs", pod: aPod({ containers: [asking("a", "2")] }), want: 2 },
    { name: "written in thousandths", pod: aPod({ containers: [asking("a", "2000m")] }), want: 2 },
    { name: "a part", pod: aPod({ containers: [asking("a", "1500m")] }), want: 0 },
    {
      name: "not guaranteed",
      pod: aPod({ containers: [aContainer("a", { resources: { requests: { cpu: "2" } } })] }),
      want: 0,
    },
    {
      name: "of the pod as a whole",
      pod: aPod({ containers: [asking("a", "2")], resources: { limits: { cpu: "2" } } }),
      want: 0,
    },
  ])("$name: $want", ({ pod, want }) => expect(exclusiveCount(pod, pod.spec.containers[0]!)).toBe(want));
});

describe("assignPod", () => {
  const pool = { topology: small, reserved: [0, 4] };
  const shown = (pod: ReturnType<typeof aPod>, before = {}) =>
    Object.fromEntries(
      Object.entries(assignPod(pod, before, pool)[pod.metadata.uid] ?? {}).map(([name, cpus]) => [
        name,
        printCpuSet(cpus),
      ]),
    );

  it("takes from what nobody has and nothing is reserved of", () => {
    const first = assignPod(aPod({ containers: [asking("a", "2")] }), {}, pool);
    expect(first).toEqual({ u1: { a: [1, 5] } });
    expect(shown(aPod({ containers: [asking("b", "2")] }, { uid: "u2" }), first)).toEqual({ b: "2,6" });
    expect(printCpuSet(sharedCpus(pool, first))).toBe("0,2-4,6-7");
  });

  it("gives what an init container had to those after it, and not what a sidecar has", () => {
    const pod = aPod({
      containers: [asking("app", "4")],
      initContainers: [asking("init", "4"), asking("proxy", "2", { restartPolicy: "Always" })],
    });
    expect(shown(pod)).toEqual({ init: "1-2,5-6", proxy: "1,5", app: "2-3,6-7" });
  });

  it("keeps what a container has", () => {
    const before = { u1: { a: [3, 7] } };
    expect(assignPod(aPod({ containers: [asking("a", "2")] }), before, pool)).toEqual(before);
  });

  it("changes nothing for those who share", () => {
    const before = {};
    expect(assignPod(aPod(), before, pool)).toBe(before);
  });
});

it.each([
  { named: [3], milli: 500, want: [3] },
  { named: [], milli: 500, want: [0] },
  { named: [], milli: 2000, want: [0, 4] },
])("reserves $want of $milli", ({ named, milli, want }) => expect(reserveCpus(small, named, milli)).toEqual(want));
it("wants something reserved", () => {
  expect(() => reserveCpus(small, [], 0)).toThrow("systemreserved.cpu + kubereserved.cpu to be greater than zero");
});

it("reads the machine; a core is named by its lowest CPU", async () => {
  const root = mkdtempSync(join(tmpdir(), "topology-"));
  const put = (path: string, text: string) => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  put("cpu/online", "0-3\n");
  for (const cpu of [0, 1, 2, 3]) {
    put(`cpu/cpu${cpu}/topology/core_id`, "0\n");
    put(`cpu/cpu${cpu}/topology/physical_package_id`, `${cpu % 2}\n`);
  }
  put("node/node0/cpulist", "0,2\n");
  put("node/node1/cpulist", "1,3\n");
  expect(await readTopology(root)).toEqual([
    { cpu: 0, core: 0, socket: 0, numa: 0 },
    { cpu: 1, core: 1, socket: 1, numa: 1 },
    { cpu: 2, core: 0, socket: 0, numa: 0 },
    { cpu: 3, core: 1, socket: 1, numa: 1 },
  ]);
  rmSync(root, { recursive: true });
});

describe("createStaticCpuManager", () => {
  const pinned = aPod({ containers: [asking("a", "2")] });
  const start = (saved?: string) => {
    const seen = { saved, moved: [] as string[], fails: false };
    const manager = createStaticCpuManager({
      pool: { topology: small, reserved: [0] },
      load: () => Promise.resolve(seen.saved),
      async save(text) {
        seen.saved = text;
      },
      setCpus: async (id, { cpusetCpus }) => {
        if (seen.fails) throw new Error("gone");
        seen.moved.push(`${id}=${cpusetCpus}`);
      },
      onFailure: (id, message) => seen.moved.push(`${id}: ${message}`),
    });
    return manager.then((cpus) => ({ cpus, seen }));
  };

  it("pins, lifts the quota, and remembers", async () => {
    const { cpus, seen } = await start();
    expect(await cpus.admit(pinned)).toBeUndefined();
    expect(cpus.resourcesOf("u1", { name: "a" })).toEqual({ cpusetCpus: "1,5", cpuQuota: -1 });
    expect(cpus.resourcesOf("u2", { name: "x" })).toEqual({ cpusetCpus: "0,2-4,6-7" });
    const again = await start(seen.saved);
    expect(again.cpus.hasExclusive("u1")).toBe(true);
    await again.cpus.release("u1");
    expect(again.cpus.resourcesOf("u2", { name: "x" })).toEqual({ cpusetCpus: "0-7" });
  });

  it("refuses in upstream's words", async () => {
    const { cpus } = await start();
    expect(await cpus.admit(aPod({ containers: [asking("a", "8")] }))).toBe(
      "Allocate failed due to not enough cpus available to satisfy request: requested=8, available=7, which is unexpected",
    );
  });

  it("moves those who share when somebody takes CPUs, once", async () => {
    const { cpus, seen } = await start();
    const running = new Map([["c1", { uid: "u2", name: "x" }]]);
    await cpus.reconcile(running);
    await cpus.admit(pinned);
    seen.fails = true;
    await cpus.reconcile(running);
    seen.fails = false;
    await cpus.reconcile(running);
    await cpus.reconcile(running);
    expect(seen.moved).toEqual(["c1=0-7", "c1: gone", "c1=0,2-4,6-7"]);
  });

  it("does not start on a damaged memory", async () => {
    await expect(start("{")).rejects.toThrow();
    await expect(start('{"u1":{"a":"x"}}')).rejects.toThrow("not a list of CPUs");
  });
});
