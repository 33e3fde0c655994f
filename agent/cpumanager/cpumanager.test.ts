import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aCpuMachine } from "../../test/builders/cpu-machine.ts";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import type { Container } from "../api/index.ts";
import { takeCpus } from "./assign.ts";
import { NO_CPU_OPTIONS } from "./cpu-options.ts";
import { parseCpuSet, printCpuSet } from "./cpu-set.ts";
import {
  type Assignments,
  assignContainer,
  type CpuPool,
  checkAssignments,
  exclusiveCount,
  reserveCpus,
  sharedCpus,
} from "./static-policy.ts";
import { type Cpu, readNumaNodes, readTopology } from "./topology.ts";

/** 0-7: cores {0,4} {1,5} {2,6} {3,7}. */
const small = aCpuMachine({ sockets: 1, cores: 4 });
/** 0-15: socket 0 has 0-3 and 8-11, socket 1 the rest. */
const large = aCpuMachine({ sockets: 2, cores: 4 });
/** As large, with NUMA nodes of two cores. */
const split = aCpuMachine({ sockets: 2, cores: 4, numaPerSocket: 2 });

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

const assignPod = (pod: ReturnType<typeof aPod>, before: Assignments, pool: CpuPool): Assignments =>
  [...(pod.spec.initContainers ?? []), ...pod.spec.containers].reduce(
    (assignments, container) => assignContainer(pod, container, undefined, { assignments, pool }),
    before,
  );

describe("assignContainer", () => {
  const pool = { topology: small, reserved: [0, 4], options: NO_CPU_OPTIONS };
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
])("reserves $want of $milli", ({ named, milli, want }) =>
  expect(reserveCpus(small, named, milli, NO_CPU_OPTIONS)).toEqual(want),
);
it("wants something reserved", () => {
  expect(() => reserveCpus(small, [], 0, NO_CPU_OPTIONS)).toThrow(
    "systemreserved.cpu + kubereserved.cpu to be greater than zero",
  );
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
    { cpu: 0, core: 0, socket: 0, numa: 0, cache: 0 },
    { cpu: 1, core: 1, socket: 1, numa: 1, cache: 1 },
    { cpu: 2, core: 0, socket: 0, numa: 0, cache: 0 },
    { cpu: 3, core: 1, socket: 1, numa: 1, cache: 1 },
  ]);
  put("cpu/cpu2/cache/index3/shared_cpu_list", "2-3\n");
  expect((await readTopology(root)).map(({ cache }) => cache)).toEqual([0, 1, 2, 1]);
  for (const node of [0, 1]) {
    put(
      `node/node${node}/meminfo`,
      `Node ${node} MemTotal:       ${1024 * (node + 1)} kB\nNode ${node} MemFree: 5 kB\n`,
    );
    put(`node/node${node}/distance`, node === 0 ? "10 21\n" : "21 10\n");
  }
  put("node/node1/hugepages/hugepages-2048kB/nr_hugepages", "3\n");
  put("node/node1/hugepages/hugepages-1048576kB/nr_hugepages", "0\n");
  expect(await readNumaNodes(root)).toEqual([
    {
      node: 0,
      memoryBytes: 2 ** 20,
      hugepages: {},
      distances: new Map([
        [0, 10],
        [1, 21],
      ]),
    },
    {
      node: 1,
      memoryBytes: 2 ** 21,
      hugepages: { "hugepages-2Mi": 6 * 2 ** 20, "hugepages-1Gi": 0 },
      distances: new Map([
        [0, 21],
        [1, 10],
      ]),
    },
  ]);
  rmSync(join(root, "node"), { recursive: true });
  put("meminfo", "MemTotal:  4096 kB\n");
  expect(await readNumaNodes(root, join(root, "meminfo"))).toMatchObject([{ node: 0, memoryBytes: 2 ** 22 }]);
  rmSync(root, { recursive: true });
});

it.each([
  { name: "CPUs that are not there any more", cpus: [9], want: "CPU 9 is not there" },
  { name: "CPUs that are reserved now", cpus: [1, 4], want: "CPU 4 is reserved" },
])("does not go on with $name", ({ cpus, want }) => {
  const pool = { topology: small, reserved: [0, 4], options: NO_CPU_OPTIONS };
  expect(() => checkAssignments({ u1: { a: cpus } }, pool)).toThrow(want);
});
