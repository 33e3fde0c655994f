import { describe, expect, it } from "vitest";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import type { Container, Pod } from "../api/index.ts";
import type { Hint } from "../topologymanager/index.ts";
import { checkBlocks, countMemory, type MemoryAssignments, type MemoryNode } from "./memory-tables.ts";
import { parseReservedMemory } from "./reserved-memory.ts";
import {
  containerMemoryHints,
  type MemoryPool,
  nodesOfContainer,
  podMemoryHints,
  reserveBlocks,
} from "./static-policy.ts";

const GI = 2 ** 30;
const node = (number: number, gibibytes = 10, hugepages = {}): MemoryNode => ({
  ...{ node: number, memoryBytes: gibibytes * GI, hugepages },
});
/** Two nodes with 9 Gi for pods each. */
const two: MemoryPool = { machine: [node(0), node(1)], reserved: new Map([0, 1].map((of) => [of, { memory: GI }])) };
const four: MemoryPool = { machine: [0, 1, 2, 3].map((number) => node(number)), reserved: new Map() };

const asking = (name: string, memory: string, fields: Partial<Container> = {}, pages?: string) => {
  const amounts = { cpu: "1", memory, ...(pages && { "hugepages-2Mi": pages }) };
  return aContainer(name, { resources: { requests: amounts, limits: amounts }, ...fields });
};
const podOf = (uid: string, ...memory: string[]): Pod =>
  aPod({ containers: memory.map((amount, index) => asking(`c${index}`, amount)) }, { uid });

const ANYWHERE: Hint = { nodes: undefined, preferred: false };
const on = (...nodes: number[]): Hint => ({ nodes, preferred: true });

function give(pod: Pod, pool: MemoryPool, before: MemoryAssignments = {}, hint = ANYWHERE): MemoryAssignments {
  return [...(pod.spec.initContainers ?? []), ...pod.spec.containers].reduce(
    (assignments, container) => reserveBlocks(pod, container, hint, { assignments, pool }),
    before,
  );
}
const shown = (assignments: MemoryAssignments, uid = "u1") =>
  Object.fromEntries(
    Object.entries(assignments[uid] ?? {}).map(([name, blocks]) => [
      name,
      blocks.map(({ nodes, type, sizeBytes }) => `${type} ${sizeBytes / GI} @${nodes.join("+")}`).join(", "),
    ]),
  );

describe("reserveBlocks", () => {
  it("takes the first node with room", () => {
    const first = give(podOf("u1", "6Gi"), two);
    expect(shown(first)).toEqual({ c0: "memory 6 @0" });
    const second = give(podOf("u2", "6Gi"), two, first);
    expect(shown(second, "u2")).toEqual({ c0: "memory 6 @1" });
    expect(nodesOfContainer("u2", "c0", second)).toEqual([1]);
    expect(nodesOfContainer("u3", "c0", second)).toEqual([]);
    expect(() => give(podOf("u3", "6Gi"), two, second)).toThrow(
      "[memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available",
    );
  });

  it("takes several nodes where one is too small, and keeps others off them", () => {
    const wide = give(podOf("u1", "12Gi"), two);
    expect(shown(wide)).toEqual({ c0: "memory 12 @0+1" });
    // They are one group now: whoever comes is on both of them, or does not come if that is not good enough.
    expect(shown(give(podOf("u2", "6Gi"), two, wide), "u2")).toEqual({ c0: "memory 6 @0+1" });
    expect(() => give(podOf("u2", "2Gi"), two, wide, { nodes: undefined, preferred: true })).toThrow(
      "[memorymanager] failed to find the default preferred hint",
    );
    expect(() => give(podOf("u2", "2Gi"), two, wide, on(0))).toThrow(
      "[memorymanager] failed to find the extended preferred hint",
    );
  });

  it.each([
    {
      name: "those who share",
      pod: aPod({ containers: [aContainer("a", { resources: { requests: { memory: "1Gi" } } })] }),
    },
    {
      name: "pods with resources as a whole",
      pod: aPod({ containers: [asking("a", "1Gi")], resources: { limits: { cpu: "1", memory: "2Gi" } } }),
    },
  ])("gives nothing to $name", ({ pod }) => {
    const before = {};
    expect(give(pod, two, before)).toBe(before);
  });

  it("goes where the hint says, and on from there", () => {
    expect(shown(give(podOf("u1", "6Gi"), two, {}, on(1)))).toEqual({ c0: "memory 6 @1" });
    expect(shown(give(podOf("u1", "12Gi"), two, {}, { nodes: [1], preferred: false }))).toEqual({
      c0: "memory 12 @0+1",
    });
  });

  it("does not split what others have on one node", () => {
    const single = give(podOf("u1", "6Gi"), four, {}, on(0));
    expect(() => give(podOf("u2", "4Gi"), four, single, on(0, 1))).toThrow(
      "[memorymanager] preferred hint violates NUMA node allocation",
    );
    expect(() => give(podOf("u2", "14Gi"), four, single, on(0))).toThrow(
      "[memorymanager] failed to find NUMA nodes to extend the current topology hint",
    );
  });

  it("uses again what init containers had, and not what sidecars have", () => {
    const pod = aPod({
      initContainers: [asking("init", "6Gi"), asking("side", "1Gi", { restartPolicy: "Always" })],
      containers: [asking("app", "4Gi")],
    });
    const given = give(pod, two);
    expect(shown(given)).toEqual({ init: "memory 1 @0", side: "memory 1 @0", app: "memory 4 @0" });
    expect(countMemory(two.machine, two.reserved, given).get(0)!.free).toEqual({ memory: 3 * GI });
  });

  it("counts huge pages by themselves", () => {
    const pool = {
      machine: [node(0, 10, { "hugepages-2Mi": GI }), node(1, 10, { "hugepages-2Mi": 4 * GI })],
      reserved: new Map(),
    };
    const pod = aPod({ containers: [asking("a", "1Gi", {}, "2Gi")] });
    expect(shown(give(pod, pool))).toEqual({ a: "memory 1 @1, hugepages-2Mi 2 @1" });
  });

  it("keeps what a container has", () => {
    const before = give(podOf("u1", "6Gi"), two, {}, on(1));
    expect(give(podOf("u1", "6Gi"), two, before)).toBe(before);
  });
});

describe("hints", () => {
  const print = (hints: ReturnType<typeof podMemoryHints>) =>
    hints &&
    Object.entries(hints).map(
      ([type, list]) =>
        `${type} ${list.map(({ nodes, preferred }) => `${nodes!.join("+")}${preferred ? "*" : ""}`).join(" ")}`,
    );
  const of = (pod: Pod, pool = two, assignments: MemoryAssignments = {}) =>
    print(containerMemoryHints(pod, pod.spec.containers[0]!, { assignments, pool }));
  const before = give(podOf("other", "6Gi"), two);

  it.each([
    { name: "either node, or both", pod: podOf("u1", "6Gi"), assignments: {}, want: ["memory 0* 1* 0+1"] },
    {
      name: "a node that is partly taken is of no group",
      pod: podOf("u1", "6Gi"),
      assignments: before,
      want: ["memory 1*"],
    },
    { name: "both, as it takes them anyway", pod: podOf("u1", "12Gi"), assignments: {}, want: ["memory 0+1*"] },
    { name: "nothing to say where there is no room", pod: podOf("u1", "30Gi"), assignments: {}, want: [] },
    { name: "those who share do not care", pod: aPod(), assignments: {}, want: undefined },
    { name: "where it is", pod: podOf("other", "6Gi"), assignments: before, want: ["memory 0*"] },
    { name: "not where it is with another amount", pod: podOf("other", "5Gi"), assignments: before, want: undefined },
  ])("$name", ({ pod, assignments, want }) => expect(of(pod, two, assignments)).toEqual(want));

  it("of a pod: what it has at a time", () => {
    const pod = aPod({
      initContainers: [asking("side", "3Gi", { restartPolicy: "Always" }), asking("init", "7Gi")],
      containers: [asking("app", "2Gi")],
    });
    expect(print(podMemoryHints(pod, { assignments: {}, pool: two }))).toEqual(["memory 0+1*"]);
    expect(print(podMemoryHints(podOf("u1", "4Gi", "4Gi"), { assignments: {}, pool: two }))).toEqual([
      "memory 0* 1* 0+1",
    ]);
    expect(print(podMemoryHints(podOf("other", "6Gi"), { assignments: before, pool: two }))).toEqual(["memory 0*"]);
    expect(podMemoryHints(aPod(), { assignments: {}, pool: two })).toBeUndefined();
  });
});

describe("parseReservedMemory", () => {
  const parse = (limits: Record<string, string>[], kept: Record<string, string>[]) =>
    parseReservedMemory(
      limits.map((each, numaNode) => ({ numaNode, limits: each })),
      two.machine,
      kept,
    );
  it("divides what is kept back over the nodes", () => {
    const reserved = parse(
      [{ memory: "1Gi" }, { memory: "600Mi" }],
      [{ memory: "1Gi", cpu: "1" }, { memory: "500Mi" }, { memory: "100Mi" }],
    );
    expect(Object.fromEntries(reserved)).toEqual({ 0: { memory: GI }, 1: { memory: 600 * 2 ** 20 } });
  });
  it.each([
    {
      limits: [{ memory: "1Gi" }],
      kept: [{ memory: "1Gi" }, { memory: "100Mi" }],
      want: 'the total amount "1Gi" of type "memory" is not equal to the value "1124Mi" determined by Node Allocatable feature',
    },
    {
      limits: [{ memory: "1Gi", "hugepages-2Mi": "2Mi" }],
      kept: [{ memory: "1Gi" }],
      want: 'the total amount "2Mi" of type "hugepages-2Mi" is not equal to the value "0" determined',
    },
    { limits: [], kept: [], want: "[memorymanager] you should specify the system reserved memory" },
    {
      limits: [{}, {}, { memory: "1Gi" }],
      kept: [{ memory: "1Gi" }],
      want: "the reserved memory configuration references a NUMA node 2 that does not exist on this machine",
    },
  ])("refuses: $want", ({ limits, kept, want }) => {
    expect(() => parse(limits as Record<string, string>[], kept as Record<string, string>[])).toThrow(want);
  });
});

describe("checkBlocks", () => {
  const blocks = (type: string, of: number) => ({ u1: { a: [{ nodes: [of], type, sizeBytes: 1 }] } });
  it("goes on with what is there", () => expect(() => checkBlocks(two.machine, blocks("memory", 1))).not.toThrow());
  it.each([
    { of: 2, type: "memory", want: "the memory assignment uses the NUMA that does not exist" },
    { of: 0, type: "hugepages-1Gi", want: "the memory assignment uses memory resource that does not exist" },
  ])("$want", ({ of, type, want }) => {
    expect(() => checkBlocks(two.machine, blocks(type, of))).toThrow(`[memorymanager] (pod: u1, container: a) ${want}`);
  });
});
