import { expect, it } from "vitest";
import { hostPortChainsToRemove, isEmptyTable, rulesToRemove } from "./network.ts";

const rule = (chain: string, network: string, target: string) =>
  `-A ${chain} -s 10.244.0.2/32 -m comment --comment "name: \\"${network}\\" id: \\"1f\\"" -j ${target}`;

const SAVED = [
  "*nat",
  ":POSTROUTING ACCEPT [0:0]",
  ":CNI-0a - [0:0]",
  ":CNI-0b - [0:0]",
  "-A POSTROUTING -j CNI-HOSTPORT-MASQ",
  rule("POSTROUTING", "hearth-me", "CNI-0a"),
  rule("POSTROUTING", "hearth-me2", "CNI-0b"),
  rule("CNI-0a", "hearth-me", "ACCEPT"),
  rule("CNI-0b", "hearth-me2", "MASQUERADE"),
  '-A CNI-HOSTPORT-DNAT -p tcp -m comment --comment "dnat name: \\"hearth-me\\" id: \\"1f\\"" -m multiport --dports 80 -j CNI-DN-0c',
  "COMMIT",
].join("\n");

it("takes the rules and chains of the one network, and no others", () => {
  expect(rulesToRemove(SAVED, "hearth-me").split("\n")).toEqual([
    "*nat",
    rule("POSTROUTING", "hearth-me", "CNI-0a").replace("-A", "-D"),
    '-D CNI-HOSTPORT-DNAT -p tcp -m comment --comment "dnat name: \\"hearth-me\\" id: \\"1f\\"" -m multiport --dports 80 -j CNI-DN-0c',
    "-F CNI-0a",
    "-F CNI-DN-0c",
    "-X CNI-0a",
    "-X CNI-DN-0c",
    "COMMIT",
    "",
  ]);
});

it("finds nothing where nothing was left", () => expect(rulesToRemove(SAVED, "hearth-other")).toBe(""));

it("takes the chains of host ports away when no pod has one", () => {
  const chains = [
    "*nat",
    ":POSTROUTING ACCEPT [0:0]",
    ":CNI-HOSTPORT-DNAT - [0:0]",
    ":CNI-HOSTPORT-MASQ - [0:0]",
    '-A POSTROUTING -m comment --comment "CNI portfwd requiring masquerade" -j CNI-HOSTPORT-MASQ',
    "-A POSTROUTING -j MASQUERADE",
    "-A CNI-HOSTPORT-MASQ -m mark --mark 0x2000/0x2000 -j MASQUERADE",
    "COMMIT",
  ].join("\n");
  expect(hostPortChainsToRemove(chains).split("\n")).toEqual([
    "*nat",
    '-D POSTROUTING -m comment --comment "CNI portfwd requiring masquerade" -j CNI-HOSTPORT-MASQ',
    "-F CNI-HOSTPORT-DNAT",
    "-F CNI-HOSTPORT-MASQ",
    "-X CNI-HOSTPORT-DNAT",
    "-X CNI-HOSTPORT-MASQ",
    "COMMIT",
    "",
  ]);
  expect(hostPortChainsToRemove(`${chains}\n-A CNI-HOSTPORT-DNAT -p tcp -j CNI-DN-0c`)).toBe("");
  expect(hostPortChainsToRemove("*nat\nCOMMIT\n")).toBe("");
});

it.each([
  { name: "no chains", body: "", want: true },
  {
    name: "base chains without rules",
    body: "chain OUTPUT {\n\t\ttype nat hook output priority -100; policy accept;\n\t}",
    want: true,
  },
  { name: "a rule", body: "chain OUTPUT {\n\t\tip daddr 1.2.3.4 counter\n\t}", want: false },
  { name: "a set", body: "set x {\n\t\ttype ipv4_addr\n\t}", want: false },
])("a table with $name is empty: $want", ({ body, want }) => {
  expect(
    isEmptyTable(`# Warning: table ip nat is managed by iptables-nft, do not touch!\ntable ip nat {\n\t${body}\n}\n`),
  ).toBe(want);
});
