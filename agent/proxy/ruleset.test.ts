import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { EndpointSlice, Service } from "../../shared/api/types.ts";
import { rolls } from "../../test/builders/effort.ts";
import { renderBase } from "./base.ts";
import type { Piece } from "./pieces.ts";
import { planService } from "./plan.ts";
import type { Family } from "./service-port.ts";
import { Applied, diff, type Found, renderWhole } from "./transaction.ts";

const AT = "ip kube-proxy";
const PLACE = { nodeName: "here", zone: "a" };
const BASE = {
  ...{ family: "ip" as Family, table: "kube-proxy", owner: "t1", serviceCidrs: ["10.96.0.0/16"] },
  ...{ podCidrs: ["10.244.1.0/24"], nodeIps: ["192.0.2.11"] },
};

const service = (name: string, spec: Partial<Service["spec"]>, status: Service["status"] = {}): Service => ({
  metadata: { name, namespace: "shop" },
  spec: { clusterIP: "10.96.0.7", ports: [{ port: 80, protocol: "TCP" }], ...spec },
  status,
});

/** @param nodes whose pods they are; the address ends in the place in the list, from 1 */
const slice = (...nodes: string[]): EndpointSlice => ({
  metadata: { name: "s" },
  addressType: "IPv4",
  ports: [{ port: 8080, protocol: "TCP" }],
  endpoints: nodes.map((nodeName, i) => ({ addresses: [`10.244.1.${i + 1}`], nodeName })),
});

const piecesOf = (made: Service, ...slices: EndpointSlice[]): Map<string, Piece> => {
  const inputs = {
    family: "ip" as const,
    place: PLACE,
    slices,
    local: [],
    podCidrs: BASE.podCidrs,
    nodeIp: "192.0.2.11",
  };
  return new Map([[made.metadata.name, planService(made, inputs).piece]]);
};

function whole(pieces: Map<string, Piece>, found: Found = { chains: [], sets: [] }) {
  const applied = new Applied();
  return { applied, lines: [...renderWhole(AT, pieces, { found, applied, nowMs: 0 })] };
}

const rulesOf = (pieces: Map<string, Piece>) =>
  whole(pieces).lines.map((line) => line.replaceAll(/-[A-Z2-7]{8}-shop\//g, "-").replaceAll(`${AT} `, ""));

describe("the rules of a Service", () => {
  const NODE_PORT: Partial<Service["spec"]> = { type: "NodePort", ports: [{ port: 80, nodePort: 30080 }] };
  const balancer = { loadBalancer: { ingress: [{ ip: "192.0.2.200" }] } };

  it.each<{ name: string; made: Service; slices: EndpointSlice[] }>([
    { name: "ClusterIP", made: service("web", {}), slices: [slice("here", "there")] },
    { name: "many endpoints", made: service("web", {}), slices: [slice(...Array<string>(9).fill("there"))] },
    { name: "no endpoints", made: service("web", NODE_PORT), slices: [] },
    { name: "NodePort", made: service("web", NODE_PORT), slices: [slice("there")] },
    {
      name: "externalTrafficPolicy Local, endpoints elsewhere",
      made: service("web", { ...NODE_PORT, externalTrafficPolicy: "Local" }),
      slices: [slice("there")],
    },
    {
      name: "externalTrafficPolicy Local, an endpoint here",
      made: service("web", { ...NODE_PORT, externalTrafficPolicy: "Local" }),
      slices: [slice("here", "there")],
    },
    {
      name: "internalTrafficPolicy Local, endpoints elsewhere",
      made: service("web", { internalTrafficPolicy: "Local" }),
      slices: [slice("there")],
    },
    {
      name: "LoadBalancer with source ranges",
      made: service(
        "web",
        {
          type: "LoadBalancer",
          ports: [{ port: 80, nodePort: 30080 }],
          loadBalancerSourceRanges: ["192.0.2.0/24", "192.0.2.0/25", "198.51.100.1/32"],
        },
        balancer,
      ),
      slices: [slice("there")],
    },
    {
      name: "session affinity",
      made: service("web", {
        sessionAffinity: "ClientIP",
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
      }),
      slices: [slice("here", "there")],
    },
    { name: "external addresses", made: service("web", { externalIPs: ["198.51.100.7"] }), slices: [slice("there")] },
  ])("$name", ({ made, slices }) => expect(rulesOf(piecesOf(made, ...slices))).toMatchSnapshot());

  it("the base of the table", () => expect(renderBase(BASE)).toMatchSnapshot());
  it("the base of the table for IPv6", () =>
    expect(
      renderBase({
        ...BASE,
        family: "ip6",
        serviceCidrs: [],
        podCidrs: ["fd00:1::/64"],
        nodeIps: ["2001:db8::11"],
      }),
    ).toMatchSnapshot());

  it("of two Services that claim one address the first by name has it, and the other when that is gone", () => {
    const claims = (name: string) =>
      piecesOf(service(name, { externalIPs: ["198.51.100.7"], clusterIP: `10.96.0.${name.length}` }), slice("there"));
    const applied = new Applied();
    const step = (pieces: ReadonlyMap<string, Piece | null>) => {
      const { lines, commit } = diff(AT, applied, pieces, 0);
      commit();
      return lines
        .filter((line) => line.includes("198.51.100.7"))
        .map((line) => line.replace(/ element .*external-/, " external-"));
    };
    expect(step(claims("bb"))).toHaveLength(1);
    expect(step(claims("a"))).toEqual([]);
    expect(step(new Map([...claims("bb").keys()].map((key) => [key, null])))).toHaveLength(2);
  });
});

describe("a change", () => {
  it("is as large as what changed, however much there is", () => {
    const all = new Map<string, Piece>();
    for (let i = 0; i < 1_000; i++) {
      const made = service(`web-${i}`, { clusterIP: `10.96.${i >> 8}.${i & 255}` });
      for (const [key, piece] of piecesOf(made, slice("there", "there"))) all.set(key, piece);
    }
    const { applied } = whole(all);
    const changed = piecesOf(service("web-7", { clusterIP: "10.96.0.7" }), slice("there", "there", "there"));
    expect(diff(AT, applied, changed, 0).lines).toHaveLength(5); // the chain, emptied, and a rule an endpoint
    expect(
      diff(AT, applied, piecesOf(service("web-7", { clusterIP: "10.96.0.7" }), slice("there", "there")), 0).lines,
    ).toEqual([]);
  });
});

interface Wanted {
  name: string;
  spec: Partial<Service["spec"]>;
  nodes: string[];
}

const wanted = fc.record<Wanted>({
  name: fc.constantFrom("a", "b", "c"),
  spec: fc.record({
    clusterIP: fc.constantFrom("10.96.0.1", "10.96.0.2", "10.96.0.3"),
    type: fc.constantFrom("ClusterIP", "NodePort"),
    ports: fc.constantFrom(
      [{ port: 80, protocol: "TCP" }],
      [{ port: 80, protocol: "TCP", nodePort: 30080 }],
      [{ port: 53, protocol: "UDP", nodePort: 30053 }],
    ),
    externalIPs: fc.constantFrom([], ["198.51.100.7"]),
    sessionAffinity: fc.constantFrom("None", "ClientIP"),
    sessionAffinityConfig: fc.constantFrom({ clientIP: { timeoutSeconds: 60 } }, { clientIP: { timeoutSeconds: 90 } }),
    externalTrafficPolicy: fc.constantFrom("Cluster", "Local"),
    internalTrafficPolicy: fc.constantFrom("Cluster", "Local"),
  }) as fc.Arbitrary<Partial<Service["spec"]>>,
  nodes: fc.array(fc.constantFrom("here", "there"), { maxLength: 10 }),
});
/** Some Services at a time; one of no nodes may also be gone altogether. */
const states = fc.array(fc.uniqueArray(wanted, { selector: ({ name }) => name, maxLength: 3 }), {
  minLength: 2,
  maxLength: 6,
});

const piecesIn = (state: Wanted[]): Map<string, Piece> =>
  new Map(state.flatMap(({ name, spec, nodes }) => [...piecesOf(service(name, spec), slice(...nodes))]));

const netns = `proxy-${process.pid}`;
const nft = (args: string[], input = "") => {
  const { status, stdout, stderr } = spawnSync("ip", ["netns", "exec", netns, "nft", ...args], {
    input,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`nft ${args.join(" ")}: ${stderr}\n${input}`);
  return stdout;
};

describe.skipIf(process.getuid?.() !== 0)("in a kernel (as root)", () => {
  beforeAll(() => void spawnSync("ip", ["netns", "add", netns]));
  afterAll(() => void spawnSync("ip", ["netns", "delete", netns]));

  /** What the kernel has, without the chains that only wait to be deleted. */
  const listed = (stale: ReadonlySet<string>) =>
    (
      JSON.parse(nft(["-j", "list", "table", "ip", "kube-proxy"])) as {
        nftables: Record<string, Record<string, unknown>>[];
      }
    ).nftables
      .map((entry) => Object.entries(entry)[0]!)
      .filter(([kind, { name, chain }]) => kind !== "metainfo" && !stale.has(String(kind === "rule" ? chain : name)))
      .map(([kind, { handle: _, elem, ...rest }]) =>
        JSON.stringify([kind, rest, Array.isArray(elem) ? elem.map((each) => JSON.stringify(each)).sort() : elem]),
      )
      .sort();

  const { seed, times } = rolls(inject("effort"), { seed: 5, times: 15 });
  // It takes some two seconds; where many share a machine it has taken thirty.
  it(`increments come to the same as the whole (seed ${seed})`, { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(states, (all) => {
        nft(["-f", "-"], "flush ruleset");
        const first = whole(piecesIn(all[0]!));
        nft(["-f", "-"], [...renderBase(BASE), ...first.lines].join("\n"));
        const { applied } = first;
        let nowMs = 0;
        for (const state of all.slice(1)) {
          nowMs += 10_000; // long enough for what went before to be deleted
          const next = piecesIn(state);
          const changed = new Map(["a", "b", "c"].map((key) => [key, next.get(key) ?? null]));
          const { lines, commit } = diff(AT, applied, changed, nowMs);
          nft(["-f", "-"], `${lines.join("\n")}\n`);
          commit();
        }
        const byIncrements = listed(new Set(applied.stale.keys()));
        nft(["-f", "-"], "flush ruleset");
        nft(["-f", "-"], [...renderBase(BASE), ...whole(piecesIn(all.at(-1)!)).lines].join("\n"));
        expect(byIncrements).toEqual(listed(new Set()));
      }),
      { seed, numRuns: times },
    );
  });

  it("the whole over what an earlier run left: its chains are emptied, and who was sticky stays so", () => {
    nft(["-f", "-"], "flush ruleset");
    const sticky = piecesOf(service("a", { sessionAffinity: "ClientIP" }), slice("here", "there"));
    nft(["-f", "-"], [...renderBase(BASE), ...whole(sticky).lines].join("\n"));
    const set = [...sticky.values()][0]!.affinitySets.keys().next().value!;
    nft(["add", "element", "ip", "kube-proxy", set, "{ 10.244.1.9 }"]);
    const found = {
      chains: [...sticky.values()].flatMap(({ chains }) => [...chains.keys()]),
      sets: [...sticky.values()].flatMap(({ affinitySets }) => [...affinitySets.keys()]),
    };
    const again = whole(sticky, found);
    nft(["-f", "-"], [...renderBase(BASE), ...again.lines].join("\n"));
    expect(nft(["list", "set", "ip", "kube-proxy", set])).toContain("10.244.1.9");
    const none = whole(new Map(), found);
    nft(["-f", "-"], [...renderBase(BASE), ...none.lines].join("\n"));
    expect(none.applied.stale.size).toBe(found.chains.length);
    const { lines } = diff(AT, none.applied, new Map(), 10_000);
    nft(["-f", "-"], lines.join("\n"));
    expect(nft(["list", "table", "ip", "kube-proxy"])).not.toContain("shop/");
  });
});
