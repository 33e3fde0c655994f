import { describe, expect, it } from "vitest";
import { aCpuMachine } from "../../test/builders/cpu-machine.ts";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import { takeCpus } from "./assign.ts";
import { cpuHints } from "./cpu-hints.ts";
import { type CpuOptions, NO_CPU_OPTIONS, parseCpuOptions } from "./cpu-options.ts";
import { type CpuSet, parseCpuSet, printCpuSet } from "./cpu-set.ts";
import { planSpread } from "./spread.ts";
import {
  type Assignments,
  assignContainer,
  type CpuPool,
  checkOptions,
  containerCpuHints,
  podCpuHints,
  reserveCpus,
  sharedCpus,
} from "./static-policy.ts";
import type { Cpu } from "./topology.ts";

const OPTIONS = [
  "full-pcpus-only",
  "distribute-cpus-across-numa",
  "align-by-socket",
  "distribute-cpus-across-cores",
  "strict-cpu-reservation",
  "prefer-align-cpus-by-uncorecache",
];

describe("parseCpuOptions", () => {
  it.each(OPTIONS)("knows %s", (name) => {
    const parsed = parseCpuOptions({ [name]: "true" });
    expect(Object.values(parsed).filter(Boolean)).toHaveLength(1);
    expect(parseCpuOptions({ [name]: "F" })).toEqual(NO_CPU_OPTIONS);
  });

  it("knows as many as there are", () => expect(OPTIONS).toHaveLength(Object.keys(NO_CPU_OPTIONS).length));

  it.each<{ options: Record<string, string>; want: string }>([
    { options: { "full-cores": "true" }, want: 'unknown CPU Manager Policy option: "full-cores"' },
    {
      options: { "full-pcpus-only": "yes" },
      want: 'bad value for option "full-pcpus-only": strconv.ParseBool: parsing "yes": invalid syntax',
    },
    ...[
      ["full-pcpus-only", "distribute-cpus-across-cores"],
      ["distribute-cpus-across-numa", "distribute-cpus-across-cores"],
      ["prefer-align-cpus-by-uncorecache", "distribute-cpus-across-cores"],
      ["prefer-align-cpus-by-uncorecache", "distribute-cpus-across-numa"],
    ].map(([one, other]) => ({
      options: { [one!]: "true", [other!]: "1" },
      want: `static policy options ${one} and ${other} can not be used at the same time`,
    })),
  ])("refuses $options", ({ options, want }) => expect(() => parseCpuOptions(options)).toThrow(want));
});

/** 0-7: cores {0,4} {1,5} {2,6} {3,7}. */
const small = aCpuMachine({ sockets: 1, cores: 4 });
/** 0-15: socket and node 0 has 0-3 and 8-11, the other the rest. */
const large = aCpuMachine({ sockets: 2, cores: 4 });
/** 0-31: each socket has two nodes of four cores: node 0 has 0-3 and 16-19. */
const split = aCpuMachine({ sockets: 2, cores: 8, numaPerSocket: 2 });
/** 0-15: one socket, two caches of four cores: 0-3 and 8-11, and the rest. */
const cached = aCpuMachine({ sockets: 1, cores: 8, cachesPerSocket: 2 });
const single = aCpuMachine({ sockets: 1, cores: 8, cachesPerSocket: 2, threads: 1 });

const all = (topology: Cpu[]) => topology.map(({ cpu }) => cpu);
const but = (topology: Cpu[], taken: string) => all(topology).filter((cpu) => !parseCpuSet(taken).includes(cpu));

describe("takeCpus", () => {
  it.each<{ name: string; option: string; topology: Cpu[]; from?: CpuSet; count: number; want: string }>([
    { name: "two", option: "distribute-cpus-across-cores", topology: small, count: 2, want: "0-1" },
    { name: "four", option: "distribute-cpus-across-cores", topology: small, count: 4, want: "0-3" },
    { name: "more than cores", option: "distribute-cpus-across-cores", topology: small, count: 5, want: "0-4" },
    { name: "what one node has", option: "distribute-cpus-across-numa", topology: large, count: 8, want: "0-3,8-11" },
    {
      name: "half of each, where one does not do",
      option: "distribute-cpus-across-numa",
      topology: large,
      count: 10,
      want: "0-2,4-6,8-9,12-13",
    },
    {
      name: "all over where nodes are partly taken",
      option: "distribute-cpus-across-numa",
      topology: large,
      from: but(large, "0-1,8-9"),
      count: 8,
      want: "4-7,12-15",
    },
    {
      name: "evenly, as far as the fuller one has them",
      option: "distribute-cpus-across-numa",
      topology: large,
      from: but(large, "0-1,8-9"),
      count: 9,
      want: "2-6,10-13",
    },
    {
      name: "the cache that is whole",
      option: "prefer-align-cpus-by-uncorecache",
      topology: cached,
      from: but(cached, "0"),
      count: 8,
      want: "4-7,12-15",
    },
    {
      name: "a part of the fuller cache",
      option: "prefer-align-cpus-by-uncorecache",
      topology: cached,
      from: but(cached, "0,8"),
      count: 4,
      want: "1-2,9-10",
    },
    {
      name: "an odd number out of one cache",
      option: "prefer-align-cpus-by-uncorecache",
      topology: cached,
      count: 3,
      want: "0-1,8",
    },
    {
      name: "the other cache, where the fuller one has too little",
      option: "prefer-align-cpus-by-uncorecache",
      topology: cached,
      from: but(cached, "0-2,8-10"),
      count: 4,
      want: "4-5,12-13",
    },
    {
      name: "a cache and a part of the next",
      option: "prefer-align-cpus-by-uncorecache",
      topology: cached,
      count: 10,
      want: "0-4,8-12",
    },
    {
      name: "an odd number without threads",
      option: "prefer-align-cpus-by-uncorecache",
      topology: single,
      count: 3,
      want: "0-2",
    },
    {
      name: "several caches, if it must be",
      option: "prefer-align-cpus-by-uncorecache",
      topology: cached,
      from: parseCpuSet("0,4,8,12"),
      count: 4,
      want: "0,4,8,12",
    },
  ])("$option: $name", ({ option, topology, from = all(topology), count, want }) => {
    expect(printCpuSet(takeCpus(topology, from, count, parseCpuOptions({ [option]: "true" })))).toBe(want);
  });

  it("spreads whole cores over nodes with both options", () => {
    const options = parseCpuOptions({ "distribute-cpus-across-numa": "true", "full-pcpus-only": "true" });
    const taken = takeCpus(large, all(large), 12, options);
    const perNode = [0, 1].map((node) => large.filter(({ cpu, numa }) => numa === node && taken.includes(cpu)));
    expect(perNode.map(({ length }) => length)).toEqual([6, 6]);
    expect(perNode.map((cpus) => new Set(cpus.map(({ core }) => core)).size)).toEqual([3, 3]);
  });
});

describe("planSpread", () => {
  const plan = (counts: number[], count: number, groupSize = 1) => {
    const found = planSpread(new Map(counts.entries()), { count, groupSize, groupsPerNode: 8 / groupSize });
    return found && { nodes: found.nodes, each: found.each, rest: Object.fromEntries(found.rest) };
  };
  it.each([
    { name: "one node does", counts: [8, 8, 8], count: 8, want: { nodes: [0], each: 8, rest: {} } },
    { name: "two, evenly", counts: [8, 8, 8], count: 10, want: { nodes: [0, 1], each: 5, rest: {} } },
    {
      name: "what is over goes where most is left",
      counts: [6, 8],
      count: 11,
      want: { nodes: [0, 1], each: 5, rest: { 1: 1 } },
    },
    { name: "the pair that leaves all alike", counts: [4, 8, 8], count: 8, want: { nodes: [1], each: 8, rest: {} } },
    { name: "three", counts: [4, 4, 4], count: 12, want: { nodes: [0, 1, 2], each: 4, rest: {} } },
    { name: "no nodes with as many each", counts: [2, 8], count: 10, want: undefined },
  ])("$name", ({ counts, count, want }) => expect(plan(counts, count)).toEqual(want));
  it("gives out groups", () => {
    expect(plan([8, 8], 10, 2)).toEqual({ nodes: [0, 1], each: 4, rest: { 0: 1 } });
  });
});

const asking = (name: string, cpu: string) =>
  aContainer(name, { resources: { requests: { cpu, memory: "1Mi" }, limits: { cpu, memory: "1Mi" } } });
const podOf = (...cpus: string[]) => aPod({ containers: cpus.map((cpu, index) => asking(`c${index}`, cpu)) });
const pool = (topology: Cpu[], reserved: CpuSet, options: Record<string, string> = {}): CpuPool => ({
  ...{ topology, reserved },
  options: parseCpuOptions(options),
});

describe("full-pcpus-only", () => {
  const cores = { "full-pcpus-only": "true" };
  const assign = (cpu: string, from: CpuPool, assignments = {}) => {
    const pod = podOf(cpu);
    return assignContainer(pod, pod.spec.containers[0]!, undefined, { assignments, pool: from });
  };
  it("gives whole cores", () => expect(assign("2", pool(small, [0, 4], cores))).toEqual({ u1: { c0: [1, 5] } }));
  it.each([
    {
      name: "half a core",
      cpu: "3",
      from: pool(small, [0, 4], cores),
      want: "SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2",
    },
    {
      name: "a core whose other thread is the system's",
      cpu: "6",
      from: pool(small, [0, 1], cores),
      want: "SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 4, requested CPUs = 6, CPUs per core = 2",
    },
  ])("refuses $name", ({ cpu, from, want }) => {
    expect(() => assign(cpu, from)).toThrow(expect.objectContaining({ reason: "SMTAlignmentError", message: want }));
  });
});

describe("strict-cpu-reservation", () => {
  const strict = { "strict-cpu-reservation": "true" };
  it("leaves the reserved CPUs to the system alone", () => {
    expect(printCpuSet(sharedCpus(pool(small, [0, 4], strict), {}))).toBe("1-3,5-7");
    expect(printCpuSet(sharedCpus(pool(small, [0, 4]), {}))).toBe("0-7");
  });
});

it("reserves as the options choose", () => {
  const spread: CpuOptions = parseCpuOptions({ "distribute-cpus-across-cores": "true" });
  expect(reserveCpus(small, [], 2000, spread)).toEqual([0, 1]);
});

describe("cpuHints", () => {
  const shown = (hints: ReturnType<typeof cpuHints>) =>
    hints.map(({ nodes, preferred }) => `${nodes!.join("+")}${preferred ? "*" : ""}`);
  it.each([
    { name: "either node", available: all(large), count: 4, want: ["0*", "1*", "0+1"] },
    { name: "the node that has them", available: but(large, "0-3,8"), count: 4, want: ["1*", "0+1"] },
    {
      name: "both, where one has too little left",
      available: but(large, "0-2,4-6,8-9,12-13"),
      count: 4,
      want: ["0+1"],
    },
    { name: "both, as it takes them anyway", available: all(large), count: 10, want: ["0+1*"] },
    { name: "none", available: [0, 1], count: 4, want: [] },
  ])("$name", ({ available, count, want }) => {
    expect(shown(cpuHints(large, { available, kept: [], count, alignsBySocket: false }))).toEqual(want);
  });

  it("only nodes that have what the pod keeps", () => {
    const hints = cpuHints(large, { available: but(large, "0,8"), kept: [0, 8], count: 4, alignsBySocket: false });
    expect(shown(hints)).toEqual(["0*", "0+1"]);
  });

  it("align-by-socket prefers all nodes of as few sockets", () => {
    const inputs = { available: all(split), kept: [], count: 10 };
    const preferred = (alignsBySocket: boolean) =>
      shown(cpuHints(split, { ...inputs, alignsBySocket })).filter((hint) => hint.endsWith("*"));
    expect(preferred(false)).toEqual(["0+1*", "0+2*", "0+3*", "1+2*", "1+3*", "2+3*"]);
    expect(preferred(true)).toEqual(preferred(false));
    const few = { available: all(split), kept: [], count: 2 };
    expect(shown(cpuHints(split, { ...few, alignsBySocket: true })).filter((hint) => hint.endsWith("*"))).toEqual([
      ...["0*", "1*", "2*", "3*"],
      ...["0+1*", "2+3*"],
    ]);
  });

  it("of containers that share: none; of one that has CPUs: where they are", () => {
    const from = pool(large, [0]);
    const [pod, sharing] = [podOf("4", "2"), podOf("500m")];
    expect(containerCpuHints(sharing, sharing.spec.containers[0]!, { assignments: {}, pool: from })).toBeUndefined();
    const of = (assignments: Assignments) =>
      containerCpuHints(pod, pod.spec.containers[0]!, { assignments, pool: from })!["cpu"]!;
    expect(shown([...of({ u1: { c0: [4, 5, 12, 13] } })])).toEqual(["1*", "0+1"]);
    expect(of({ u1: { c0: [4, 5] } })).toEqual([]);
    expect(shown([...podCpuHints(pod, { assignments: {}, pool: from })!["cpu"]!])).toEqual(["0*", "1*", "0+1"]);
    const two = { assignments: { u1: { c0: [4, 5, 12, 13] } }, pool: from };
    expect(shown([...podCpuHints(pod, two)!["cpu"]!])).toEqual(["1*", "0+1"]);
    expect(podCpuHints(sharing, { assignments: {}, pool: from })).toBeUndefined();
  });

  it("counts what a pod has at a time", () => {
    const pod = aPod({
      initContainers: [{ ...asking("side", "2"), restartPolicy: "Always" }, asking("init", "7")],
      containers: [asking("app", "6")],
    });
    // 9 at most, of 8 on a node.
    expect(shown([...podCpuHints(pod, { assignments: {}, pool: pool(large, [0]) })!["cpu"]!])).toEqual(["0+1*"]);
  });
});

describe("CPUs by nodes", () => {
  const take = (nodes: number[], cpu: string, options = {}) => {
    const pod = podOf(cpu);
    const state = { assignments: {}, pool: pool(split, [0, 16], options) };
    return printCpuSet(assignContainer(pod, pod.spec.containers[0]!, nodes, state)["u1"]!["c0"]!);
  };
  it.each([
    { name: "on the node", nodes: [3], cpu: "2", options: {}, want: "12,28" },
    { name: "on it, then elsewhere", nodes: [0], cpu: "8", options: {}, want: "1-4,17-20" },
    {
      name: "align-by-socket: anywhere on its socket",
      nodes: [2],
      cpu: "10",
      options: { "align-by-socket": "1" },
      want: "8-12,24-28",
    },
  ])("$name", ({ nodes, cpu, options, want }) => expect(take(nodes, cpu, options)).toBe(want));
});

describe("checkOptions", () => {
  const bySocket = { "align-by-socket": "true" };
  it("has nothing against most", () => {
    expect(() => checkOptions(pool(large, [0], bySocket), "restricted")).not.toThrow();
    expect(() => checkOptions(pool(large, [0]), "single-numa-node")).not.toThrow();
  });
  it.each([
    {
      topology: large,
      policy: "single-numa-node",
      want: "Topolgy manager single-numa-node policy is incompatible with CPUManager align-by-socket policy option",
    },
    {
      topology: large.map((cpu) => ({ ...cpu, numa: 0 })),
      policy: "none",
      want: "Align by socket is not compatible with hardware where number of sockets are more than number of NUMA",
    },
  ])("refuses $want", ({ topology, policy, want }) => {
    expect(() => checkOptions(pool(topology, [0], bySocket), policy)).toThrow(want);
  });
});
