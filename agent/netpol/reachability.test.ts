import { describe, expect, it } from "vitest";
import type { NetworkPolicy } from "../../shared/api/types.ts";
import { passes } from "../../test/builders/judge-packet.ts";
import { PolicyEngine } from "./engine.ts";
import { podFacts } from "./pod-facts.ts";
import { readPolicy } from "./policy.ts";

/*
 * Upstream's end-to-end tests of network policies (test/e2e/network/netpol), each as a row: nine pods in three namespaces,
 * a, b and c of each on three nodes. Both ends of a connection have to let it pass, as in a cluster.
 */

const PODS = ["x", "y", "z"].flatMap((namespace) => ["a", "b", "c"].map((name) => `${namespace}/${name}`));
const PORTS = [80, 81];
const ADDRESS = new Map(PODS.map((pod, index) => [pod, `10.244.${index % 3}.${10 + index}`]));

type Spec = Partial<NetworkPolicy["spec"]>;
type Change = {
  policies?: Record<string, Spec | undefined>;
  pods?: Record<string, object>;
  namespaces?: Record<string, object>;
};

class Nodes {
  readonly #engines = [0, 1, 2].map(() => new PolicyEngine());

  constructor() {
    this.#engines.forEach((engine, node) => void engine.setOwnRanges([`10.244.${node}.0/24`]));
    for (const namespace of ["x", "y", "z"]) this.change({ namespaces: { [namespace]: {} } });
    for (const pod of PODS) this.change({ pods: { [pod]: {} } });
  }

  change({ policies = {}, pods = {}, namespaces = {} }: Change): void {
    this.#engines.forEach((engine, node) => {
      for (const [name, labels] of Object.entries(namespaces)) {
        engine.setNamespace(name, { "kubernetes.io/metadata.name": name, ns: name, ...labels });
      }
      for (const [key, labels] of Object.entries(pods)) {
        const [namespace = "", name = ""] = key.split("/");
        const ports = PORTS.flatMap((containerPort) =>
          ["TCP", "UDP", "SCTP"].map((protocol) => ({
            name: `serve-${containerPort}-${protocol.toLowerCase()}`,
            containerPort,
            protocol,
          })),
        );
        const ip = ADDRESS.get(key)!;
        const pod = {
          metadata: { namespace, labels: { pod: name, ...labels } },
          spec: { nodeName: `node-${ip.split(".")[2]}`, containers: [{ ports }] },
          status: { podIP: ip, phase: "Running" },
        };
        engine.setPod(key, podFacts(pod, { nodeName: `node-${node}` }));
      }
      for (const [key, spec] of Object.entries(policies)) {
        const [namespace = "", name = ""] = key.split("/");
        const object = { metadata: { namespace, name }, spec: { podSelector: {}, ...spec } };
        engine.setPolicy(key, spec && readPolicy(object as NetworkPolicy));
      }
    });
  }

  /** The pairs that cannot talk. */
  denied(port: number, protocol: string): string[] {
    return pairs((from, to) => {
      const packet = { from: ADDRESS.get(from)!, to: ADDRESS.get(to)!, protocol, port };
      return this.#engines.every((engine) => passes(engine.ruleset, packet));
    });
  }
}

const pairs = (isAllowed: (from: string, to: string) => boolean) =>
  PODS.flatMap((from) => PODS.filter((to) => to !== from && !isAllowed(from, to)).map((to) => `${from} to ${to}`));

const label = (pod: string) => ({ podSelector: { matchLabels: { pod } } });
const ns = (name: string) => ({ namespaceSelector: { matchLabels: { ns: name } } });
const nsExpression = (operator: string, ...values: string[]) => ({
  namespaceSelector: { matchExpressions: [{ key: "ns", operator, values }] },
});
const onA = label("a");
const ingress = (...rules: NonNullable<Spec["ingress"]>): Spec => ({ policyTypes: ["Ingress"], ingress: rules });
const egress = (...rules: NonNullable<Spec["egress"]>): Spec => ({ policyTypes: ["Egress"], egress: rules });
const inX = (pod: string) => pod.startsWith("x/");
const inY = (pod: string) => pod.startsWith("y/");
const block = (cidr: string, ...except: string[]) => ({ ipBlock: { cidr, ...(except.length > 0 && { except }) } });
const hostOf = (pod: string) => `${ADDRESS.get(pod)}/32`;

type Step = Change & { port?: number; protocol?: string; allowed: (from: string, to: string) => boolean };

const all = () => true;
const toXa =
  (isAllowed: (from: string) => boolean) =>
  (from: string, to: string): boolean =>
    to !== "x/a" || isAllowed(from);
const fromXa =
  (isAllowed: (to: string) => boolean) =>
  (from: string, to: string): boolean =>
    from !== "x/a" || isAllowed(to);

const ONLY_Y_ON_81 = { ...onA, ...ingress({ from: [ns("y")], ports: [{ port: 81, protocol: "TCP" }] }) };

const CASES: { name: string; steps: Step[] }[] = [
  {
    name: "default deny of ingress",
    steps: [{ policies: { "x/p": ingress() }, allowed: (_from, to) => !inX(to) }],
  },
  {
    name: "default deny of ingress over UDP",
    steps: [{ policies: { "x/p": ingress() }, protocol: "UDP", allowed: (_from, to) => !inX(to) }],
  },
  {
    name: "default deny of ingress over SCTP",
    steps: [{ policies: { "x/p": ingress() }, protocol: "SCTP", allowed: (_from, to) => !inX(to) }],
  },
  {
    name: "default deny of all",
    steps: [
      {
        policies: { "x/p": { policyTypes: ["Ingress", "Egress"] } },
        allowed: (from, to) => !inX(from) && !inX(to),
      },
    ],
  },
  {
    name: "from pods of the same namespace by a podSelector",
    steps: [
      { policies: { "x/p": { ...onA, ...ingress({ from: [label("b")] }) } }, allowed: toXa((from) => from === "x/b") },
    ],
  },
  {
    name: "ingress for one target in a closed namespace",
    steps: [
      {
        policies: {
          "x/deny": ingress(),
          "x/p": { ...onA, ...ingress({ from: [{ podSelector: {}, namespaceSelector: {} }] }) },
        },
        allowed: (_from, to) => !inX(to) || to === "x/a",
      },
    ],
  },
  {
    name: "from pods in all namespaces",
    steps: [{ policies: { "x/p": ingress({ from: [{ namespaceSelector: {} }] }) }, allowed: all }],
  },
  {
    name: "only from another namespace by a namespaceSelector",
    steps: [{ policies: { "x/p": { ...onA, ...ingress({ from: [ns("y")] }) } }, allowed: toXa(inY) }],
  },
  {
    name: "podSelector with matchExpressions",
    steps: [
      {
        policies: {
          "x/p": {
            ...onA,
            ...ingress({
              from: [{ podSelector: { matchExpressions: [{ key: "pod", operator: "In", values: ["b"] }] } }],
            }),
          },
        },
        allowed: toXa((from) => from === "x/b"),
      },
    ],
  },
  {
    name: "namespaceSelector with matchExpressions",
    steps: [{ policies: { "x/p": { ...onA, ...ingress({ from: [nsExpression("In", "y")] }) } }, allowed: toXa(inY) }],
  },
  {
    name: "podSelector or namespaceSelector (two items) (NP-07)",
    steps: [
      {
        policies: { "x/p": { ...onA, ...ingress({ from: [nsExpression("NotIn", "x"), label("b")] }) } },
        allowed: toXa((from) => !inX(from) || from === "x/b"),
      },
    ],
  },
  {
    name: "podSelector and namespaceSelector (one item) (NP-06)",
    steps: [
      {
        policies: { "x/p": { ...onA, ...ingress({ from: [{ ...nsExpression("NotIn", "x"), ...label("b") }] }) } },
        allowed: toXa((from) => !inX(from) && from.endsWith("/b")),
      },
    ],
  },
  {
    name: "several podSelectors and namespaceSelectors",
    steps: [
      {
        policies: {
          "x/p": {
            ...onA,
            ...ingress({
              from: [
                {
                  ...nsExpression("NotIn", "x"),
                  podSelector: { matchExpressions: [{ key: "pod", operator: "In", values: ["b", "c"] }] },
                },
              ],
            }),
          },
        },
        allowed: toXa((from) => !inX(from) && !from.endsWith("/a")),
      },
    ],
  },
  {
    name: "any of several podSelectors",
    steps: [
      {
        policies: { "x/p": { ...onA, ...ingress({ from: [label("b"), label("c")] }) } },
        allowed: toXa((from) => from === "x/b" || from === "x/c"),
      },
    ],
  },
  {
    name: "only from one pod of another namespace",
    steps: [
      {
        policies: { "x/p": { ...onA, ...ingress({ from: [{ ...ns("y"), ...label("a") }] }) } },
        allowed: toXa((from) => from === "y/a"),
      },
    ],
  },
  {
    name: "the same over UDP",
    steps: [
      {
        policies: { "x/p": { ...onA, ...ingress({ from: [{ ...ns("y"), ...label("a") }] }) } },
        protocol: "UDP",
        allowed: toXa((from) => from === "y/a"),
      },
    ],
  },
  {
    name: "the same over SCTP",
    steps: [
      {
        policies: { "x/p": { ...onA, ...ingress({ from: [{ ...ns("y"), ...label("a") }] }) } },
        protocol: "SCTP",
        allowed: toXa((from) => from === "y/a"),
      },
    ],
  },
  {
    name: "by port",
    steps: [
      { policies: { "x/p": ONLY_Y_ON_81 }, port: 81, allowed: toXa(inY) },
      { port: 80, allowed: toXa(() => false) },
    ],
  },
  ...["UDP", "SCTP"].map((protocol) => ({
    name: `by port over ${protocol}`,
    steps: [
      {
        policies: { "x/p": { ...onA, ...ingress({ from: [ns("y")], ports: [{ port: 81, protocol }] }) } },
        protocol,
        port: 81,
        allowed: toXa(inY),
      },
      { protocol: "TCP", port: 81, allowed: toXa(() => false) },
    ],
  })),
  {
    name: "stacked policies with overlapping podSelectors",
    steps: [
      { policies: { "x/81": ONLY_Y_ON_81 }, port: 81, allowed: toXa(inY) },
      { port: 80, allowed: toXa(() => false) },
      {
        policies: { "x/80": { ...onA, ...ingress({ from: [ns("y")], ports: [{ port: 80, protocol: "TCP" }] }) } },
        port: 80,
        allowed: toXa(inY),
      },
    ],
  },
  {
    name: "allow all",
    steps: [
      { policies: { "x/p": ingress({}) }, port: 80, allowed: all },
      { port: 81, allowed: all },
    ],
  },
  {
    name: "ingress on one named port",
    steps: [
      { policies: { "x/p": ingress({ ports: [{ port: "serve-81-tcp" }] }) }, port: 81, allowed: all },
      { port: 80, allowed: (_from, to) => !inX(to) },
    ],
  },
  {
    name: "ingress from a namespace on one named port",
    steps: [
      {
        policies: {
          "x/p": { ...onA, ...ingress({ from: [ns("y")], ports: [{ port: "serve-80-tcp", protocol: "TCP" }] }) },
        },
        port: 80,
        allowed: toXa(inY),
      },
      { port: 81, allowed: toXa(() => false) },
    ],
  },
  {
    name: "egress on one named port",
    steps: [
      { policies: { "x/p": egress({ ports: [{ port: "serve-80-tcp" }] }) }, port: 80, allowed: all },
      { port: 81, allowed: (from) => !inX(from) },
    ],
  },
  {
    name: "a policy that is changed",
    steps: [
      { policies: { "x/p": ingress({}) }, port: 81, allowed: all },
      { policies: { "x/p": ingress() }, port: 81, allowed: (_from, to) => !inX(to) },
    ],
  },
  {
    name: "a namespace whose labels change",
    steps: [
      {
        policies: {
          "x/p": { ...onA, ...ingress({ from: [{ namespaceSelector: { matchLabels: { ns2: "updated" } } }] }) },
        },
        allowed: toXa(() => false),
      },
      { namespaces: { y: { ns2: "updated" } }, allowed: toXa(inY) },
    ],
  },
  {
    name: "a pod whose labels change",
    steps: [
      {
        policies: {
          "x/p": { ...onA, ...ingress({ from: [{ podSelector: { matchLabels: { pod: "b", pod2: "updated" } } }] }) },
        },
        allowed: toXa(() => false),
      },
      { pods: { "x/b": { pod2: "updated" } }, allowed: toXa((from) => from === "x/b") },
    ],
  },
  {
    name: "no ingress from other namespaces",
    steps: [
      { policies: { "x/p": ingress({ from: [{ podSelector: {} }] }) }, allowed: (from, to) => !inX(to) || inX(from) },
    ],
  },
  {
    name: "a pod that gets isolated by its new labels",
    steps: [
      { policies: { "x/p": { ...ingress(), podSelector: { matchLabels: { target: "isolated" } } } }, allowed: all },
      { pods: { "x/a": { target: "isolated" } }, allowed: toXa(() => false) },
    ],
  },
  {
    name: "no egress from pods of a podSelector",
    steps: [{ policies: { "x/p": { ...onA, ...egress() } }, allowed: fromXa(() => false) }],
  },
  {
    name: "no egress from a namespace",
    steps: [{ policies: { "x/p": egress() }, allowed: (from) => !inX(from) }],
  },
  {
    name: "ingress and egress in one policy",
    steps: [
      {
        policies: {
          "x/p": {
            ...onA,
            policyTypes: ["Egress", "Ingress"],
            ingress: [{ from: [label("b")] }],
            egress: [{ ports: [{ port: 80 }] }],
          },
        },
        port: 80,
        allowed: toXa((from) => from === "x/b"),
      },
      { port: 81, allowed: (from, to) => from !== "x/a" && (to !== "x/a" || from === "x/b") },
    ],
  },
  {
    name: "egress denied by the client's side though the server's allows it",
    steps: [
      {
        policies: {
          "x/p": { ...onA, ...egress({ to: [{ ...ns("y"), ...label("a") }] }) },
          "y/a": { ...onA, ...ingress({ from: [{ ...ns("x"), ...label("a") }] }) },
          "y/b": { ...label("b"), ...ingress({ from: [{ ...ns("x"), ...label("a") }] }) },
        },
        allowed: (from, to) => (from === "x/a" ? to === "y/a" : to !== "y/a" && to !== "y/b"),
      },
    ],
  },
  {
    name: "egress to one pod of another namespace",
    steps: [
      {
        policies: { "x/p": { ...onA, ...egress({ to: [{ ...ns("y"), ...label("a") }] }) } },
        allowed: fromXa((to) => to === "y/a"),
      },
    ],
  },
  {
    name: "any port of one protocol",
    steps: [
      { policies: { "x/p": { ...onA, ...ingress({ ports: [{ protocol: "TCP" }] }) } }, allowed: all },
      { protocol: "UDP", allowed: toXa(() => false) },
    ],
  },
  {
    name: "ingress: what allows all wins over what allows less",
    steps: [
      { policies: { "x/80": ingress({ ports: [{ port: 80 }] }) }, port: 81, allowed: (_from, to) => !inX(to) },
      { policies: { "x/all": ingress({}) }, port: 81, allowed: all },
    ],
  },
  {
    name: "egress: what allows all wins over what allows less",
    steps: [
      { policies: { "x/80": egress({ ports: [{ port: 80 }] }) }, port: 81, allowed: (from) => !inX(from) },
      { policies: { "x/all": egress({}) }, port: 81, allowed: all },
    ],
  },
  {
    name: "policies that are deleted",
    steps: [
      {
        policies: { "x/p": { policyTypes: ["Ingress", "Egress"] } },
        allowed: (from, to) => !inX(from) && !inX(to),
      },
      { policies: { "x/p": undefined }, allowed: all },
    ],
  },
  {
    name: "egress to a block",
    steps: [
      {
        policies: { "x/p": { ...onA, ...egress({ to: [block(hostOf("y/b"))] }) } },
        allowed: fromXa((to) => to === "y/b"),
      },
    ],
  },
  {
    name: "egress to a block with a hole",
    steps: [
      {
        policies: { "x/p": { ...onA, ...egress({ to: [block("10.244.0.0/16", hostOf("x/b"))] }) } },
        allowed: fromXa((to) => to !== "x/b"),
      },
    ],
  },
  {
    name: "an address in the hole of one block and in another block",
    steps: [
      {
        policies: { "x/p": { ...onA, ...egress({ to: [block("10.244.0.0/16", hostOf("x/b"))] }) } },
        allowed: fromXa((to) => to !== "x/b"),
      },
      { policies: { "x/q": { ...onA, ...egress({ to: [block(hostOf("x/b"))] }) } }, allowed: all },
      { policies: { "x/p": undefined }, allowed: fromXa((to) => to === "x/b") },
    ],
  },
  {
    name: "ingress and egress of one pod apart",
    steps: [
      { policies: { "x/out": { ...onA, ...egress({}) } }, allowed: all },
      { policies: { "x/in": { ...onA, ...ingress() } }, allowed: toXa(() => false) },
    ],
  },
  {
    name: "SCTP is not TCP",
    steps: [
      {
        policies: { "x/deny": ingress(), "x/p": { ...onA, ...ingress({ ports: [{ port: 81, protocol: "SCTP" }] }) } },
        port: 81,
        allowed: (_from, to) => !inX(to),
      },
      { protocol: "SCTP", port: 81, allowed: (_from, to) => !inX(to) || to === "x/a" },
    ],
  },
  {
    name: "a policy for SCTP alone isolates",
    steps: [
      {
        policies: { "x/p": { ...onA, ...ingress({ ports: [{ port: 80, protocol: "SCTP" }] }) } },
        port: 81,
        allowed: toXa(() => false),
      },
    ],
  },
  {
    name: "UDP is not TCP",
    steps: [
      {
        policies: { "x/p": { ...onA, ...ingress({ ports: [{ port: 81, protocol: "UDP" }] }) } },
        port: 81,
        allowed: toXa(() => false),
      },
      { protocol: "UDP", port: 81, allowed: all },
    ],
  },
  {
    name: "a namespace by the label with its name (NP-05)",
    steps: [
      {
        policies: {
          "x/p": {
            ...onA,
            ...ingress({ from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "y" } } }] }),
          },
        },
        allowed: toXa(inY),
      },
    ],
  },
  {
    name: "namespaces by expressions over the label with their name",
    steps: [
      {
        policies: {
          "x/p": {
            ...onA,
            ...egress({
              to: [
                {
                  namespaceSelector: {
                    matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["y"] }],
                  },
                },
              ],
            }),
          },
        },
        allowed: fromXa((to) => !inY(to)),
      },
    ],
  },
  {
    name: "a range of ports (endPort)",
    steps: [
      { policies: { "x/p": { ...onA, ...ingress({ ports: [{ port: 70, endPort: 80 }] }) } }, port: 80, allowed: all },
      { port: 81, allowed: toXa(() => false) },
    ],
  },
  {
    name: "policy types that are not given: Egress with its rules alone (NP-03)",
    steps: [
      { policies: { "x/p": { ...onA, ingress: [{}] } }, allowed: all },
      {
        policies: { "x/p": { ...onA, egress: [{ to: [ns("y")] }] } },
        allowed: (from, to) => to !== "x/a" && (from !== "x/a" || inY(to)),
      },
    ],
  },
];

describe("who reaches whom", () => {
  it.each(CASES)("$name", ({ steps }) => {
    const nodes = new Nodes();
    expect(nodes.denied(80, "TCP")).toEqual([]);
    for (const { port = 80, protocol = "TCP", allowed, ...change } of steps) {
      nodes.change(change);
      expect(nodes.denied(port, protocol)).toEqual(pairs(allowed));
    }
  });
});
