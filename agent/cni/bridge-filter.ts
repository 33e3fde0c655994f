import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { ip, linkExists } from "./link.ts";

const SETTINGS = "/proc/sys/net/bridge";
const FAMILIES = ["iptables", "ip6tables"] as const;

/**
 * Lets the packet filter see what one bridge passes between its ports: two pods of a node talk past it otherwise, and the
 * answers of a service's pod past the connection they belong to. Bridges of others stay as they are. May be repeated;
 * does nothing when there is no such bridge yet.
 * @throws Error if the kernel cannot: it has no br_netfilter
 * @see https://docs.kernel.org/networking/bridge.html#netfilter
 */
export async function filterBridge(name: string): Promise<void> {
  if (!(await linkExists(name))) return;
  if (!existsSync(SETTINGS)) {
    await promisify(execFile)("modprobe", ["br_netfilter"]).catch(() => {});
    if (!existsSync(SETTINGS)) throw new Error("the kernel has no br_netfilter");
    // The module begins with all of the machine's bridges, and nobody but us has asked for it.
    for (const family of FAMILIES) await writeFile(`${SETTINGS}/bridge-nf-call-${family}`, "0\n");
  }
  await ip("link", "set", "dev", name, "type", "bridge", ...FAMILIES.flatMap((family) => [`nf_call_${family}`, "1"]));
}
