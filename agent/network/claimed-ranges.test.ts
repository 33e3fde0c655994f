import { describe, expect, it } from "vitest";
import { parseCidr } from "../../shared/api/ip.ts";
import type { Node, ServiceCIDR } from "../../shared/api/types.ts";
import type { Informer } from "../informer/index.ts";
import { checkedNodes, withoutServiceRanges } from "./claimed-ranges.ts";

const SERVICES = ["10.96.0.0/16", "fd00:10:96::/112"];
const node = (name: string, { addresses = [] as string[], podCidrs = [] as string[] }): Node => ({
  metadata: { name },
  spec: { ...(podCidrs[0] && { podCIDR: podCidrs[0], podCIDRs: podCidrs }), taints: [] },
  status: { addresses: addresses.map((address) => ({ type: "InternalIP", address })), conditions: [] },
});
const claimsOf = ({ spec, status }: Node) => ({
  addresses: (status?.addresses ?? []).map(({ address }) => address),
  podCidrs: spec?.podCIDRs ?? [],
});

describe("what a Node claims of the Services' ranges", () => {
  it.each([
    { name: "an address", addresses: ["192.0.2.7", "10.96.0.10"], podCidrs: [], left: [["192.0.2.7"], []] },
    { name: "one of IPv6", addresses: ["fd00:10:96::a"], podCidrs: [], left: [[], []] },
    { name: "one in another form", addresses: ["::ffff:10.96.0.10"], podCidrs: [], left: [[], []] },
    { name: "a range", addresses: [], podCidrs: ["10.96.7.0/24", "fd00::/64"], left: [[], ["fd00::/64"]] },
    { name: "one around them", addresses: [], podCidrs: ["10.0.0.0/8"], left: [[], []] },
    { name: "a host name", addresses: ["n1"], podCidrs: [], left: [["n1"], []] },
  ])("$name", ({ addresses, podCidrs, left }) => {
    const kept = claimsOf(
      withoutServiceRanges(
        node("n", { addresses, podCidrs }),
        SERVICES.map((each) => parseCidr(each)!),
      ),
    );
    expect([kept.addresses, kept.podCidrs]).toEqual(left);
  });

  it("leaves all else of it, and an honest Node as it is", () => {
    const honest = node("n", { addresses: ["192.0.2.7"], podCidrs: ["10.244.1.0/24"] });
    const ranges = SERVICES.map((each) => parseCidr(each)!);
    expect(withoutServiceRanges(honest, ranges)).toBe(honest);
    const kept = withoutServiceRanges(node("n", { podCidrs: ["10.96.0.0/24"] }), ranges);
    expect(kept).toEqual({ metadata: { name: "n" }, spec: { taints: [] }, status: { addresses: [], conditions: [] } });
  });
});

describe("the nodes of a network", () => {
  function prepare() {
    const nodes = new Map<string, Node>();
    let cidrs = SERVICES;
    const listeners = { nodes: [] as ((keys: ReadonlySet<string>) => void)[], cidrs: [] as (() => void)[] };
    const said: unknown[] = [];
    const checked = checkedNodes(
      {
        isKnown: () => true,
        isSynced: () => true,
        known: Promise.resolve(),
        list: () => [...nodes.values()],
        get: (key: string) => nodes.get(key),
        onChange: (listener) => {
          listeners.nodes.push(listener);
          return () => true;
        },
      } as Informer<Node>,
      {
        isKnown: () => cidrs.length > 0,
        known: Promise.resolve(),
        list: () => [{ metadata: { name: "kubernetes" }, spec: { cidrs } }] as ServiceCIDR[],
        onChange: (listener) => {
          listeners.cidrs.push(listener as () => void);
          return () => true;
        },
      },
      { nodeName: "own", log: (_level, _message, fields) => void said.push(fields) },
    );
    const setCidrs = (...now: string[]) => {
      cidrs = now;
      for (const listener of listeners.cidrs) listener();
    };
    return { nodes, checked, said, setCidrs };
  }

  it("are seen without such claims, which is said once; the own one as it is", () => {
    const { nodes, checked, said } = prepare();
    const claim = { addresses: ["192.0.2.7", "10.96.0.10"] };
    for (const name of ["own", "evil"]) nodes.set(name, node(name, claim));
    for (let i = 0; i < 2; i++) {
      expect(claimsOf(checked.get("own")!).addresses).toEqual(claim.addresses);
      expect(checked.list().map((each) => claimsOf(each).addresses)).toEqual([claim.addresses, ["192.0.2.7"]]);
      nodes.set("evil", node("evil", claim));
    }
    expect(said).toEqual([{ node: "evil" }]);
    expect(checked.get("none")).toBeUndefined();
  });

  it("are nobody but the own one before the ranges are known", () => {
    const { nodes, checked, setCidrs } = prepare();
    setCidrs();
    for (const name of ["own", "n"]) nodes.set(name, node(name, { addresses: ["192.0.2.7"] }));
    const names = () => checked.list().map(({ metadata }) => metadata.name);
    expect([checked.isKnown(), names(), checked.get("n")]).toEqual([false, ["own"], undefined]);
    setCidrs(...SERVICES);
    expect([checked.isKnown(), names()]).toEqual([true, ["own", "n"]]);
  });

  it("are looked at anew when the ranges change", () => {
    const { nodes, checked, setCidrs } = prepare();
    nodes.set("n", node("n", { podCidrs: ["10.97.0.0/24"] }));
    const told: string[] = [];
    checked.onChange((keys) => told.push(...keys));
    expect(claimsOf(checked.get("n")!).podCidrs).toEqual(["10.97.0.0/24"]);
    setCidrs("10.96.0.0/16", "10.97.0.0/16");
    expect(told).toEqual(["n"]);
    expect(claimsOf(checked.get("n")!).podCidrs).toEqual([]);
    setCidrs("10.96.0.0/16");
    expect(claimsOf(checked.get("n")!).podCidrs).toEqual(["10.97.0.0/24"]);
  });
});
