import { describe, expect, it } from "vitest";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import { AdmissionError } from "./admission-error.ts";
import { alignPod, type Provider } from "./align.ts";
import { type Hint, type Hints, isNarrower, subsetsOf } from "./hint.ts";
import { mergeHints, type NumaMachine, type TopologyPolicy } from "./merge.ts";
import { parseTopologyOptions } from "./options.ts";

it("lists the sets of nodes, small ones first", () => {
  expect(subsetsOf([0, 1, 3]).map((nodes) => nodes.join(""))).toEqual(["0", "1", "3", "01", "03", "13", "013"]);
  expect(subsetsOf([])).toEqual([]);
});

it.each([
  { a: [3], b: [0, 1], want: true },
  { a: [0, 1], b: [3], want: false },
  { a: [0, 2], b: [1, 2], want: true },
  { a: [0, 3], b: [1, 2], want: false },
  { a: [1], b: [1], want: false },
])("$a narrower than $b: $want", ({ a, b, want }) => expect(isNarrower(a, b)).toBe(want));

/** `0*` is node 0, preferred; `01` are both. */
const hints = (...texts: string[]): Hint[] =>
  texts.map((text) => ({
    nodes: text.replace("*", "") === "any" ? undefined : [...text.replace("*", "")].map(Number),
    preferred: text.endsWith("*"),
  }));
const show = ({ nodes, preferred }: Hint) => `${nodes?.join("") ?? "any"}${preferred ? "*" : ""}`;

const two: NumaMachine = { nodes: [0, 1] };
const four: NumaMachine = { nodes: [0, 1, 2, 3] };

describe("mergeHints", () => {
  interface Case {
    name: string;
    providers: (Hints | undefined)[];
    machine?: NumaMachine;
    /** Of best-effort, restricted and single-numa-node; a refusal in brackets. */
    want: [string, string, string];
  }
  it.each<Case>([
    { name: "nobody cares", providers: [undefined, {}], want: ["01*", "01*", "any*"] },
    { name: "one cannot", providers: [{ cpu: [] }], want: ["01", "(01)", "(any)"] },
    { name: "one cannot, the other can", providers: [{ cpu: [] }, { gpu: hints("0*") }], want: ["0", "(0)", "(any)"] },
    { name: "a single wish", providers: [{ cpu: hints("0*", "1*", "01") }], want: ["0*", "0*", "0*"] },
    {
      name: "the node that both have",
      providers: [{ cpu: hints("0*", "1*", "01") }, { memory: hints("1*", "01") }],
      want: ["1*", "1*", "1*"],
    },
    {
      name: "different nodes",
      providers: [{ cpu: hints("0*") }, { memory: hints("1*") }],
      want: ["01", "(01)", "(any)"],
    },
    {
      name: "one needs both nodes",
      providers: [{ cpu: hints("01*") }, { memory: hints("0*", "1*", "01") }],
      want: ["01", "(0)", "(any)"],
    },
    {
      name: "both need both",
      providers: [{ cpu: hints("01*") }, { memory: hints("01*") }],
      want: ["01*", "01*", "(any)"],
    },
    {
      name: "not what the empty machine would give",
      providers: [{ cpu: hints("01") }],
      want: ["01", "(01)", "(any)"],
    },
    {
      name: "two resources of one provider",
      providers: [{ memory: hints("0*", "1*"), "hugepages-2Mi": hints("1*") }],
      want: ["1*", "1*", "1*"],
    },
    {
      name: "as many nodes as the neediest wants, where nothing is preferred",
      providers: [{ cpu: hints("01*", "23*", "0123") }, { memory: hints("0*", "3*", "03") }],
      machine: four,
      want: ["03", "(03)", "(any)"],
    },
    {
      name: "nearer to what the neediest wants",
      providers: [{ cpu: hints("01", "0123") }, { memory: hints("02", "0123") }],
      machine: four,
      want: ["01", "(01)", "(any)"],
    },
  ])("$name", ({ providers, machine = two, want }) => {
    const policies: Exclude<TopologyPolicy, "none">[] = ["best-effort", "restricted", "single-numa-node"];
    const got = policies.map((policy) => {
      const { hint, admitted } = mergeHints(providers, policy, machine);
      return admitted ? show(hint) : `(${show(hint)})`;
    });
    // What is refused goes nowhere: only that it is.
    expect(got.map((text, index) => (want[index]!.startsWith("(") ? text.startsWith("(") : text))).toEqual(
      want.map((text) => (text.startsWith("(") ? true : text)),
    );
  });

  it("prefers nodes that lie close together, if asked", () => {
    const far = [
      [10, 31, 11, 31],
      [31, 10, 31, 11],
      [11, 31, 10, 31],
      [31, 11, 31, 10],
    ];
    const distances = new Map(far.map((row, from) => [from, new Map(row.entries())]));
    const providers = [{ cpu: hints("01*", "02*", "13*", "0123") }];
    expect(show(mergeHints(providers, "restricted", four).hint)).toBe("01*");
    expect(show(mergeHints(providers, "restricted", { ...four, distances }).hint)).toBe("02*");
    // One node is one node.
    const single = [{ cpu: hints("0*", "3*") }];
    expect(show(mergeHints(single, "single-numa-node", { ...four, distances }).hint)).toBe("0*");
  });

  it("does not try all ways one by one: eight nodes, six resources", () => {
    const nodes = [0, 1, 2, 3, 4, 5, 6, 7];
    const every = subsetsOf(nodes).map((each) => ({ nodes: each, preferred: each.length === 1 }));
    const providers = Array.from({ length: 6 }, (_, index) => ({ [`r${index}`]: every }));
    expect(show(mergeHints(providers, "restricted", { nodes }).hint)).toBe("0*");
  });
});

describe("alignPod", () => {
  const pod = aPod({ initContainers: [aContainer("init")], containers: [aContainer("a"), aContainer("b")] });
  /** Gives each container what it is told, and has room for two on a node. */
  const provider = (able: string[]): Provider<string[]> => ({
    containerHints: (_pod, _container, given) => ({ r: hints(...able).filter(({ nodes }) => fits(nodes!, given)) }),
    podHints: () => ({ r: hints(...able) }),
    allocate: (_pod, { name }, hint, given) => {
      if (name === "b" && able.includes("fails")) throw new Error("not enough");
      return [...given, `${name}:${show(hint)}`];
    },
  });
  const fits = (nodes: readonly number[], given: string[]) =>
    nodes.length > 1 || given.filter((text) => text.includes(`:${nodes[0]}`)).length < 2;
  const align = (policy: TopologyPolicy, scope: "container" | "pod", able = ["0*", "1*", "01"]) =>
    alignPod(pod, [provider(able)], [], { policy, scope, machine: two });

  it("looks at no nodes with none", () => expect(align("none", "container")).toEqual(["init:any", "a:any", "b:any"]));
  it("chooses for each container, with what those before it have", () => {
    expect(align("single-numa-node", "container")).toEqual(["init:0*", "a:0*", "b:1*"]);
  });
  it("chooses once for the pod", () => {
    expect(align("single-numa-node", "pod")).toEqual(["init:0*", "a:0*", "b:0*"]);
  });
  it.each(["container", "pod"] as const)("refuses a %s in upstream's words", (scope) => {
    expect(() => align("restricted", scope, ["01"])).toThrow(
      expect.objectContaining({
        reason: "TopologyAffinityError",
        message: "Resources cannot be allocated with Topology locality",
      }),
    );
    expect(() => align("restricted", scope, ["01"])).toThrow(AdmissionError);
    expect(align("best-effort", scope, ["01"])).toEqual(["init:01", "a:01", "b:01"]);
  });
});

describe("parseTopologyOptions", () => {
  it.each([
    { options: {}, want: { prefersClosest: false, maxNodes: 8 } },
    { options: { "prefer-closest-numa-nodes": "true" }, want: { prefersClosest: true, maxNodes: 8 } },
    { options: { "max-allowable-numa-nodes": "12" }, want: { prefersClosest: false, maxNodes: 12 } },
  ])("$options", ({ options, want }) =>
    expect(parseTopologyOptions(options as object as Record<string, string>)).toEqual(want),
  );
  it.each<{ options: Record<string, string>; want: string }>([
    { options: { closest: "true" }, want: 'unknown Topology Manager Policy option: "closest"' },
    {
      options: { "prefer-closest-numa-nodes": "on" },
      want: 'bad value for option "prefer-closest-numa-nodes": strconv',
    },
    {
      options: { "max-allowable-numa-nodes": "x" },
      want: 'unable to convert policy option to integer "max-allowable-numa-nodes": strconv.Atoi: parsing "x": invalid syntax',
    },
    {
      options: { "max-allowable-numa-nodes": "7" },
      want: 'the minimum value of "max-allowable-numa-nodes" should not be less than 8',
    },
  ])("refuses $options", ({ options, want }) => expect(() => parseTopologyOptions(options)).toThrow(want));
});
