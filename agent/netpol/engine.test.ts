import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesLabelSelector } from "../../shared/api/selector.ts";
import { type Packet, passes } from "../../test/builders/judge-packet.ts";
import { PolicyEngine } from "./engine.ts";
import type { Labels, PodFacts, Protocol } from "./pod-facts.ts";
import type { Block, Peer, Policy, PolicyRule, Port } from "./policy.ts";
import { type Change, emptyRuleset, type Ruleset } from "./ruleset.ts";

const NAMESPACES = ["x", "y", "z"];
const OWN_RANGES = ["10.0.0.0/29", "fd00::/125"];
const OUTSIDE = ["10.0.0.7", "10.0.1.9", "192.0.2.1", "fd00::7", "2001:db8::1"];
const ADDRESSES = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.1.1", "10.0.1.2", "fd00::1", "fd00::2", "fd01::1"];

const addressOf = (text: string) => ({ family: text.includes(":") ? (6 as const) : (4 as const), text });
const isOwn = (text: string) => /^(10\.0\.0\.[0-7]|fd00::[0-7])$/.test(text);

const labels = fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("1", "2"), { maxKeys: 2 });
const selector = fc.oneof(
  fc.constant({}),
  fc.record({ matchLabels: labels }),
  fc.record({
    matchExpressions: fc.array(
      fc.oneof(
        fc.record({
          key: fc.constantFrom("a", "b"),
          operator: fc.constantFrom("In", "NotIn"),
          values: fc.subarray(["1", "2"], { minLength: 1 }),
        }),
        fc.record({ key: fc.constantFrom("a", "b"), operator: fc.constantFrom("Exists", "DoesNotExist") }),
      ),
      { minLength: 1, maxLength: 2 },
    ),
  }),
);
const protocol = fc.constantFrom<Protocol>("TCP", "UDP", "SCTP");
const block = fc.constantFrom<Block>(
  { family: 4, cidr: "0.0.0.0/0", except: [] },
  { family: 4, cidr: "10.0.0.0/8", except: ["10.0.0.2/32", "10.0.1.0/24"] },
  { family: 4, cidr: "192.0.2.0/24", except: [] },
  { family: 6, cidr: "::/0", except: ["fd00::/16"] },
  { family: 6, cidr: "fd00::/16", except: [] },
);
const peer: fc.Arbitrary<Peer> = fc.oneof(
  block.map((block): Peer => ({ kind: "block", block })),
  fc
    .record(
      {
        namespace: fc.oneof(fc.constantFrom(...NAMESPACES), fc.record({ selector })),
        podSelector: selector,
      },
      { requiredKeys: ["namespace"] },
    )
    .map((pods): Peer => ({ kind: "pods", pods })),
);
const port: fc.Arbitrary<Port> = fc.oneof(
  fc.record({ protocol }),
  fc.record({ protocol, range: fc.constantFrom<[number, number]>([80, 80], [81, 81], [79, 80], [80, 90]) }),
  fc.record({ protocol, name: fc.constantFrom("web", "other") }),
);
const rule: fc.Arbitrary<PolicyRule> = fc.record(
  { peers: fc.array(peer, { maxLength: 2 }), ports: fc.array(port, { maxLength: 3 }) },
  { requiredKeys: [] },
);
const rules = fc.array(rule, { maxLength: 2 });
const policyBody = fc.record(
  { podSelector: selector, ingress: rules, egress: rules },
  { requiredKeys: ["podSelector"] },
);

type Step =
  | { kind: "namespace"; name: string; labels: Labels | undefined }
  | { kind: "pod"; key: string; facts: PodFacts | undefined }
  | { kind: "policy"; key: string; policy: Policy | undefined };

const podFields = fc.record({
  namespace: fc.constantFrom(...NAMESPACES),
  labels,
  addresses: fc.subarray(ADDRESSES, { maxLength: 2 }).map((list) => list.map(addressOf)),
  namedPorts: fc.array(fc.record({ name: fc.constantFrom("web", "other"), protocol, port: fc.constantFrom(80, 81) }), {
    maxLength: 3,
  }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant("namespace" as const),
    name: fc.constantFrom(...NAMESPACES),
    labels: fc.option(labels, { nil: undefined, freq: 5 }),
  }),
  fc
    .record({
      kind: fc.constant("pod" as const),
      id: fc.nat(5),
      fields: fc.option(podFields, { nil: undefined, freq: 5 }),
    })
    .map(
      ({ kind, id, fields }): Step => ({
        kind,
        key: `pod-${id}`,
        facts: fields && { ...fields, isLocal: fields.addresses.some(({ text }) => isOwn(text)) },
      }),
    ),
  fc
    .record({
      kind: fc.constant("policy" as const),
      namespace: fc.constantFrom("x", "y"),
      name: fc.constantFrom("p", "q"),
      body: fc.option(policyBody, { nil: undefined, freq: 5 }),
    })
    .map(
      ({ kind, namespace, name, body }): Step => ({
        kind,
        key: `${namespace}/${name}`,
        policy: body && ({ namespace, name, ...body } as Policy),
      }),
    ),
);

interface World {
  namespaces: Map<string, Labels>;
  pods: Map<string, PodFacts>;
  policies: Map<string, Policy>;
}

const newWorld = (): World => ({ namespaces: new Map(), pods: new Map(), policies: new Map() });

function take(world: World, step: Step): void {
  const put = <T>(map: Map<string, T>, key: string, value: T | undefined) =>
    void (value === undefined ? map.delete(key) : map.set(key, value));
  if (step.kind === "namespace") put(world.namespaces, step.name, step.labels);
  else if (step.kind === "pod") put(world.pods, step.key, step.facts);
  else put(world.policies, step.key, step.policy);
}

function tell(engine: PolicyEngine, step: Step): void {
  if (step.kind === "namespace") engine.setNamespace(step.name, step.labels);
  else if (step.kind === "pod") engine.setPod(step.key, step.facts);
  else engine.setPolicy(step.key, step.policy);
}

function whole({ namespaces, pods, policies }: World): PolicyEngine {
  const engine = new PolicyEngine();
  engine.setOwnRanges(OWN_RANGES);
  for (const [key, policy] of policies) engine.setPolicy(key, policy);
  for (const [name, labels] of namespaces) engine.setNamespace(name, labels);
  for (const [key, facts] of pods) engine.setPod(key, facts);
  return engine;
}

const plain = ({ sets, chains }: Ruleset) => ({
  sets: Object.fromEntries(
    [...sets].map(([name, { type, elements }]) => [name, { type, elements: Object.fromEntries([...elements].sort()) }]),
  ),
  chains: Object.fromEntries(chains),
});

/** As the kernel takes a change: what is not there cannot be changed, and nothing that is referred to may go. */
function applyChange({ sets, chains }: Ruleset, change: Change): void {
  for (const [name, type] of change.newSets) {
    if (sets.has(name)) throw new Error(`the set ${name} is there`);
    sets.set(name, { type, elements: new Map() });
  }
  for (const [name, chain] of change.chains) chains.set(name, { ...chain, rules: [] });
  for (const name of change.removedChains) chains.get(name)!.rules = [];
  for (const [name, elements] of change.removed) {
    for (const each of elements) if (!sets.get(name)!.elements.delete(each)) throw new Error(`${name} has no ${each}`);
  }
  for (const [name, elements] of change.added) {
    for (const [each, verdict] of elements) {
      if (sets.get(name)!.elements.has(each)) throw new Error(`${name} has ${each}`);
      if (verdict.startsWith("goto ") && !chains.has(verdict.slice(5))) throw new Error(`no chain for ${verdict}`);
      sets.get(name)!.elements.set(each, verdict);
    }
  }
  for (const [name, chain] of change.chains) chains.set(name, chain);
  for (const name of change.removedChains) chains.delete(name);
  for (const [name] of change.removedSets) sets.delete(name);
  const used = JSON.stringify([[...chains.values()], [...sets.values()].map(({ elements }) => [...elements.values()])]);
  for (const name of change.removedChains) if (used.includes(`"${name}"`)) throw new Error(`${name} is in use`);
  for (const [name] of change.removedSets) if (used.includes(`"${name}"`)) throw new Error(`${name} is in use`);
}

/** The API's documentation, read without any thought of speed. */
function isAllowed(world: World, { from, to, protocol, port }: Packet): boolean {
  const owners = (address: string) =>
    [...world.pods.values()].filter(({ addresses }) => addresses.some(({ text }) => text === address));
  const isLocal = (address: string) => owners(address).some((pod) => pod.isLocal);
  if (from === to && isLocal(from)) return true;
  return (["egress", "ingress"] as const).every((direction) => {
    const [own, other] = direction === "egress" ? [from, to] : [to, from];
    const subjects = owners(own).filter((pod) => pod.isLocal);
    if (subjects.length === 0) return !isOwn(own);
    const selecting = [...world.policies.values()].filter(
      (policy) =>
        policy[direction] &&
        subjects.some(
          (pod) => pod.namespace === policy.namespace && matchesLabelSelector(policy.podSelector, pod.labels),
        ),
    );
    return selecting.length === 0 || selecting.some((policy) => policy[direction]!.some((rule) => allows(rule, other)));
  });

  function allows({ peers, ports }: PolicyRule, other: string): boolean {
    return (!peers || peers.some((peer) => isPeer(peer, other))) && (!ports || ports.some(isPort));
  }

  function isPeer(peer: Peer, address: string): boolean {
    if (peer.kind === "block") return inBlock(peer.block, address);
    const { namespace, podSelector } = peer.pods;
    const found = owners(address);
    return (
      found.length > 0 &&
      found.every(
        (pod) =>
          (!podSelector || matchesLabelSelector(podSelector, pod.labels)) &&
          (typeof namespace === "string"
            ? pod.namespace === namespace
            : world.namespaces.has(pod.namespace)
              ? matchesLabelSelector(namespace.selector, world.namespaces.get(pod.namespace))
              : Object.values(namespace.selector).every((part) => Object.keys(part as object).length === 0)),
      )
    );
  }

  function isPort({ protocol: wanted, range, name }: Port): boolean {
    if (wanted !== protocol) return false;
    if (range) return range[0] <= port && port <= range[1];
    if (name === undefined) return true;
    const found = owners(to);
    const has = (pod: PodFacts) =>
      pod.namedPorts.some((each) => each.name === name && each.protocol === protocol && each.port === port);
    return found.length > 0 && found.every(has);
  }
}

/** By the texts of the few blocks above. */
function inBlock({ cidr, except }: Block, address: string): boolean {
  const tests: Record<string, RegExp> = {
    "0.0.0.0/0": /\./,
    "::/0": /:/,
    "10.0.0.0/8": /^10\./,
    "10.0.0.2/32": /^10\.0\.0\.2$/,
    "10.0.1.0/24": /^10\.0\.1\./,
    "192.0.2.0/24": /^192\.0\.2\./,
    "fd00::/16": /^fd00:/,
  };
  return tests[cidr]!.test(address) && !except.some((hole) => tests[hole]!.test(address));
}

function* packets(): Generator<Packet> {
  const addresses = [...ADDRESSES, ...OUTSIDE];
  for (const from of addresses) {
    for (const to of addresses) {
      if (from.includes(":") !== to.includes(":")) continue;
      for (const protocol of ["TCP", "UDP", "SCTP"]) for (const port of [80, 81]) yield { from, to, protocol, port };
    }
  }
}

describe("the ruleset", () => {
  it("is by increments what it is by the whole, and each increment can be applied", () => {
    fc.assert(
      fc.property(fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 12 }), (turns) => {
        const world = newWorld();
        const engine = new PolicyEngine();
        engine.setOwnRanges(OWN_RANGES);
        const kernel = emptyRuleset();
        for (const steps of turns) {
          for (const each of steps) {
            take(world, each);
            tell(engine, each);
          }
          applyChange(kernel, engine.take());
          expect(plain(engine.ruleset)).toEqual(plain(whole(world).ruleset));
          expect(plain(kernel)).toEqual(plain(engine.ruleset));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("lets through what the policies say, and nothing else", () => {
    let passed = 0;
    let dropped = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 25 }), (steps) => {
        const world = newWorld();
        for (const each of steps) take(world, each);
        const { ruleset } = whole(world);
        for (const packet of packets()) {
          const want = isAllowed(world, packet);
          if (passes(ruleset, packet) !== want) throw new Error(`${JSON.stringify(packet)}: should be ${want}`);
          if (want) passed++;
          else dropped++;
        }
      }),
      { numRuns: 150 },
    );
    expect(Math.min(passed, dropped)).toBeGreaterThan(5_000);
  });
});

const facts = (namespace: string, address: string, pod: Partial<PodFacts> = {}): PodFacts => ({
  namespace,
  labels: {},
  addresses: [addressOf(address)],
  namedPorts: [],
  isLocal: isOwn(address),
  ...pod,
});

describe("addresses", () => {
  const fromB: Policy = {
    namespace: "x",
    name: "p",
    podSelector: { matchLabels: { app: "a" } },
    ingress: [{ peers: [{ kind: "pods", pods: { namespace: "x", podSelector: { matchLabels: { app: "b" } } } }] }],
  };
  const packet = { from: "10.0.1.1", to: "10.0.0.1", protocol: "TCP", port: 80 };

  function prepare(): PolicyEngine {
    const engine = new PolicyEngine();
    engine.setOwnRanges(OWN_RANGES);
    engine.setPolicy("x/p", fromB);
    engine.setPod("a", facts("x", packet.to, { labels: { app: "a" } }));
    engine.setPod("b", facts("x", packet.from, { labels: { app: "b" } }));
    return engine;
  }

  it("a pod that takes over the address of another has nothing of its rights, in either order", () => {
    const engine = prepare();
    expect(passes(engine.ruleset, packet)).toBe(true);
    engine.setPod("c", facts("x", packet.from));
    expect(passes(engine.ruleset, packet)).toBe(false);
    engine.setPod("b", undefined);
    expect(passes(engine.ruleset, packet)).toBe(false);
    engine.setPod("c", undefined);
    engine.setPod("b", facts("x", packet.from, { labels: { app: "b" } }));
    expect(passes(engine.ruleset, packet)).toBe(true);
  });

  it("one of this node that no pod is known for is let nowhere, until it is", () => {
    const engine = prepare();
    const unknown = "10.0.0.5";
    const tries = [
      { ...packet, from: unknown, to: "192.0.2.1" },
      { ...packet, to: unknown },
    ];
    expect(tries.map((each) => passes(engine.ruleset, each))).toEqual([false, false]);
    engine.setPod("new", facts("y", unknown));
    expect(tries.map((each) => passes(engine.ruleset, each))).toEqual([true, true]);
  });

  it("a change costs what changes, however much there is", () => {
    const engine = prepare();
    for (let i = 0; i < 2_000; i++) {
      engine.setPod(`many-${i}`, facts("x", `10.1.${i >> 8}.${i & 255}`, { labels: { app: "b" } }));
      engine.setPolicy(`x/many-${i}`, { ...fromB, name: `many-${i}`, podSelector: { matchLabels: { app: `c${i}` } } });
    }
    engine.take();
    engine.setPod("one-more", facts("x", "10.9.0.1", { labels: { app: "b" } }));
    const change = engine.take();
    expect(change.added.flatMap(([, elements]) => elements)).toEqual([["10.9.0.1", ""]]);
    expect([change.chains, change.removed, change.newSets]).toEqual([[], [], []]);
  });
});
