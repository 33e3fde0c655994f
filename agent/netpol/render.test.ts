import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { NetworkPolicy } from "../../shared/api/types.ts";
import { findDrift } from "./drift.ts";
import { PolicyEngine } from "./engine.ts";
import { type Listing, listTable } from "./nft.ts";
import { addressOf, podFacts } from "./pod-facts.ts";
import { readPolicy } from "./policy.ts";
import { hookRules, renderChange, renderWhole, type TableOptions } from "./render.ts";

const OPTIONS = { table: "hearth-policy-test", names: { address: "169.254.40.7", port: 53 } } satisfies TableOptions;

/** Every kind of peer and port, in both directions and families. */
const POLICIES: Record<string, Partial<NetworkPolicy["spec"]>> = {
  "default-deny": { podSelector: {}, policyTypes: ["Ingress", "Egress"] },
  "allow-dns": {
    podSelector: {},
    policyTypes: ["Egress"],
    egress: [
      {
        to: [
          {
            namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
            podSelector: { matchLabels: { "k8s-app": "kube-dns" } },
          },
        ],
        ports: [
          { protocol: "UDP", port: 53 },
          { protocol: "TCP", port: 53 },
        ],
      },
    ],
  },
  orders: {
    podSelector: { matchLabels: { app: "orders" } },
    ingress: [
      {
        from: [
          { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "shop" } } },
          { podSelector: { matchLabels: { app: "api" } } },
          { ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.2.0/24", "10.1.0.0/16", "10.2.0.0/16"] } },
          { ipBlock: { cidr: "0.0.0.0/0", except: ["192.168.0.0/16"] } },
          { ipBlock: { cidr: "::/0" } },
          { ipBlock: { cidr: "2001:db8::/32", except: ["2001:db8:1::/48"] } },
        ],
        ports: [
          { port: 80 },
          { port: 81, endPort: 90 },
          { port: 85, endPort: 95 },
          { port: 9, protocol: "UDP" },
          { port: "web" },
          { protocol: "SCTP" },
        ],
      },
      { ports: [{ port: 36412, endPort: 36422, protocol: "SCTP" }] },
    ],
    egress: [{}],
  },
};

function prepare(): PolicyEngine {
  const engine = new PolicyEngine();
  engine.setOwnRanges(["10.244.1.0/24", "fd00:1::/64"]);
  engine.setNamespace("default", { "kubernetes.io/metadata.name": "default" });
  engine.setNamespace("shop", { "kubernetes.io/metadata.name": "shop" });
  engine.setNamespace("kube-system", { "kubernetes.io/metadata.name": "kube-system" });
  for (const [name, spec] of Object.entries(POLICIES)) {
    const policy = { metadata: { namespace: "default", name }, spec: { podSelector: {}, ...spec } };
    engine.setPolicy(`default/${name}`, readPolicy(policy as NetworkPolicy));
  }
  const pod = (name: string, ips: string[], { nodeName = "n1", namespace = "default" } = {}) =>
    podFacts(
      {
        metadata: { namespace, labels: { app: name } },
        spec: { nodeName, containers: [{ ports: [{ name: "web", containerPort: 8080 }] }] },
        status: { phase: "Running", podIPs: ips.map((ip) => ({ ip })) },
      },
      { nodeName: "n1" },
    );
  engine.setPod("orders", pod("orders", ["10.244.1.5", "fd00:1::5"]));
  engine.setPod("other", pod("other", ["10.244.1.6"]));
  engine.setPod("elsewhere", pod("free", ["10.244.1.7"], { namespace: "shop" }));
  engine.setPod("api", pod("api", ["10.244.2.5", "fd00:2::5"], { nodeName: "n2" }));
  engine.setPod("names", {
    namespace: "kube-system",
    labels: { "k8s-app": "kube-dns" },
    addresses: addressOf(OPTIONS.names.address),
    namedPorts: [],
    isLocal: false,
  });
  return engine;
}

it("is what it was", async () => {
  await expect(renderWhole(prepare().ruleset, OPTIONS)).toMatchFileSnapshot("testdata/whole.nft");
});

it("holds names to policies in the cluster's family", () => {
  const whole = renderWhole(prepare().ruleset, { ...OPTIONS, names: { address: "fd12:3456:789a::1", port: 53 } });
  expect(whole).toContain(
    "names ip6 daddr fd12:3456:789a::1 meta l4proto { tcp, udp } th dport 53 ip6 saddr vmap @pods-egress6\n",
  );
  expect(whole).not.toContain(`ip daddr ${OPTIONS.names.address}`);
});

it("writes only what has changed", async () => {
  const engine = prepare();
  engine.take();
  engine.setPod("orders", undefined);
  engine.setPolicy("default/orders", undefined);
  engine.setPod("new", {
    namespace: "default",
    labels: { app: "new" },
    addresses: addressOf("10.244.1.8"),
    namedPorts: [],
    isLocal: true,
  });
  await expect(renderChange(engine.take(), OPTIONS)).toMatchFileSnapshot("testdata/change.nft");
});

describe.skipIf(process.getuid?.() !== 0)("to the kernel (as root)", () => {
  const inNamespace = (command: string, input = "") => {
    const { status, stdout, stderr } = spawnSync("unshare", ["-n", "sh", "-ec", command], { input, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    return stdout;
  };

  it.each([OPTIONS.names.address, "fd12:3456:789a::1"])("the whole is valid, SCTP and all, names at %s", (address) => {
    const options = { ...OPTIONS, names: { ...OPTIONS.names, address } };
    inNamespace("nft -c -f -", renderWhole(prepare().ruleset, options));
  });

  it("a change is valid on it, and leads to what the whole would be", () => {
    const engine = prepare();
    const before = renderWhole(engine.ruleset, OPTIONS);
    engine.take();
    for (const name of ["orders", "allow-dns"]) engine.setPolicy(`default/${name}`, undefined);
    engine.setPod("orders", undefined);
    const change = renderChange(engine.take(), OPTIONS);
    const list = `nft -j list table inet ${OPTIONS.table}`;
    const changed = inNamespace(`nft -f - <<'E'\n${before}E\nnft -f - <<'E'\n${change}E\n${list}`);
    const whole = inNamespace(`nft -f -; ${list}`, renderWhole(engine.ruleset, OPTIONS));
    const names = (text: string) => {
      const { nftables } = JSON.parse(text) as {
        nftables: Record<string, { name?: string; elem?: unknown[]; chain?: string }>[];
      };
      return nftables.flatMap((entry) =>
        Object.entries(entry).map(([kind, { name, chain, elem = [] }]) => `${kind} ${name ?? chain} ${elem.length}`),
      );
    };
    expect(names(changed).sort()).toEqual(names(whole).sort());
  });

  it("a table that is not there is no error", async () => {
    expect(await listTable("hearth-policy-none")).toBeUndefined();
  });
});

describe("findDrift", () => {
  const { ruleset } = prepare();
  const asItShouldBe = (): Listing => ({
    chains: new Map([
      ...hookRules(OPTIONS),
      ...[...ruleset.chains].map(([name, { rules }]) => [name, rules.length] as const),
    ]),
    sets: new Map([...ruleset.sets].map(([name, { elements }]) => [name, elements.size])),
  });

  it.each<[string, (found: Listing) => void, string | undefined]>([
    ["nothing", () => {}, undefined],
    ["an element that is gone", ({ sets }) => sets.set("self4", 0), "elements of set self4: 0 instead of 3"],
    ["a hook's rules that are gone", ({ chains }) => chains.set("egress", 0), "rules of chain egress: 0 instead of 8"],
    ["a chain that is gone", ({ chains }) => chains.delete("ingress"), "rules of chain ingress: it is gone"],
    ["a chain of somebody else", ({ chains }) => chains.set("x", 1), "rules of chain x: not ours"],
  ])("finds %s", (_name, change, want) => {
    const found = asItShouldBe();
    change(found);
    expect(findDrift(found, ruleset, OPTIONS)).toBe(want);
  });

  it("finds that the table is gone", () => expect(findDrift(undefined, ruleset, OPTIONS)).toBe("the table is gone"));
});
