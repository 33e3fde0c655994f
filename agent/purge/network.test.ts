import { expect, it } from "vitest";
import { rulesToRemove } from "./network.ts";

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
