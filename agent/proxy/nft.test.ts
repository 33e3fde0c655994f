import { expect, it } from "vitest";
import { createRemovalReader, type Finding } from "./nft.ts";

const MARK = 'add rule ip kube-proxy hearth-t1 counter packets 0 bytes 0 comment "run-1"';
const END = "# new generation 7 by process 4711 (nft)";

it.each<{ name: string; lines: string[]; want: Finding | undefined }>([
  { name: "our own change", lines: ["delete rule ip kube-proxy services handle 4", MARK, END], want: undefined },
  { name: "a flush by hand", lines: ["delete rule ip kube-proxy services handle 4", END], want: "removal" },
  {
    name: "an entry taken away",
    lines: ["delete element ip kube-proxy cluster-ips { 10.96.0.1 }", END],
    want: "removal",
  },
  { name: "the table deleted", lines: ["delete table ip6 kube-proxy", END], want: "removal" },
  { name: "another table", lines: ["delete rule ip kube-proxy-t2 services handle 4", END], want: undefined },
  { name: "an addition", lines: ["add rule ip kube-proxy services counter", END], want: undefined },
  {
    name: "an earlier run's mark",
    lines: ["delete table ip kube-proxy", MARK.replace("run-1", "run-0"), END],
    want: "removal",
  },
  { name: "somebody's after ours", lines: [MARK, END, "delete table ip kube-proxy", END], want: "removal" },
  { name: "changes that went by unseen", lines: ["# ERROR: We lost some netlink events!"], want: "lost" },
  {
    name: "a change that was seen in part",
    lines: ["delete rule ip kube-proxy services handle 4", "# ERROR: We lost some netlink events!", END],
    want: "lost",
  },
  {
    name: "one after it",
    lines: ["# ERROR: We lost some netlink events!", END, "delete table ip kube-proxy", END],
    want: "removal",
  },
])("$name", ({ lines, want }) => {
  const read = createRemovalReader("kube-proxy", "run-1");
  expect(lines.map(read).findLast(Boolean)).toBe(want);
});
