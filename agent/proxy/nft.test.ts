import { expect, it } from "vitest";
import { createRemovalReader } from "./nft.ts";

const MARK = 'add rule ip kube-proxy hearth-t1 counter packets 0 bytes 0 comment "run-1"';
const END = "# new generation 7 by process 4711 (nft)";

it.each<{ name: string; lines: string[]; want: boolean }>([
  { name: "our own change", lines: ["delete rule ip kube-proxy services handle 4", MARK, END], want: false },
  { name: "a flush by hand", lines: ["delete rule ip kube-proxy services handle 4", END], want: true },
  { name: "an entry taken away", lines: ["delete element ip kube-proxy cluster-ips { 10.96.0.1 }", END], want: true },
  { name: "the table deleted", lines: ["delete table ip6 kube-proxy", END], want: true },
  { name: "another table", lines: ["delete rule ip kube-proxy-t2 services handle 4", END], want: false },
  { name: "an addition", lines: ["add rule ip kube-proxy services counter", END], want: false },
  {
    name: "an earlier run's mark",
    lines: ["delete table ip kube-proxy", MARK.replace("run-1", "run-0"), END],
    want: true,
  },
  { name: "somebody's after ours", lines: [MARK, END, "delete table ip kube-proxy", END], want: true },
  { name: "changes that went by unseen", lines: ["# ERROR: We lost some netlink events!"], want: true },
])("$name", ({ lines, want }) => {
  const read = createRemovalReader("kube-proxy", "run-1");
  expect(lines.map(read).some(Boolean)).toBe(want);
});
