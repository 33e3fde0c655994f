import { readFile } from "node:fs/promises";
import type { Link, Peer } from "./peer.ts";

/** What a node must have set to pass pods' packets on. Bridged ones too go past the rules of Services. */
export async function forwarding(self: Peer, links: Link[]): Promise<Record<string, string>> {
  const has6 = self.podCidrs.some(({ family }) => family === 6);
  return {
    "net/ipv4/ip_forward": "1",
    "net/bridge/bridge-nf-call-iptables": "1",
    ...(has6 && {
      // A router takes no other router's word unless it is told to: the node would lose its own default route.
      ...Object.fromEntries(
        (await takingAdvertisements(links)).map((name) => [`net/ipv6/conf/${name}/accept_ra`, "2"]),
      ),
      "net/bridge/bridge-nf-call-ip6tables": "1",
      "net/ipv6/conf/all/forwarding": "1",
    }),
  };
}

async function takingAdvertisements(links: Link[]): Promise<string[]> {
  const answers = links.map(async ({ name }) => {
    const value = await readFile(`/proc/sys/net/ipv6/conf/${name}/accept_ra`, "utf8").catch(() => "0");
    return value.trim() === "1" ? [name] : [];
  });
  return (await Promise.all(answers)).flat();
}
