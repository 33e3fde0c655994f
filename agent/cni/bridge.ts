import { networkInterfaces } from "node:os";
import { bridgePorts, ip, linkExists } from "./link.ts";

/**
 * Makes the pods' bridge as the bridge plugin would with the first pod: whoever looks at the machine's routes sees at once
 * that the range is taken. One that is there for another range, and that no pod hangs on, gives way: the plugin would
 * refuse every pod. May be repeated. IPv4 only; the rest is the plugin's.
 * @throws Error with the words of `ip`
 */
export async function ensureBridge({
  name,
  podCidr,
  mtu,
}: {
  name: string;
  podCidr: string;
  mtu: number;
}): Promise<void> {
  const gateway = gatewayOf(podCidr);
  if (gateway === undefined) return;
  if (await linkExists(name)) {
    const addresses = (networkInterfaces()[name] ?? []).filter(({ family }) => family === "IPv4");
    if (addresses.some(({ cidr }) => cidr === gateway)) return;
    if ((await bridgePorts(name)).length > 0) return;
    await ip("link", "delete", name);
  }
  await ip("link", "add", name, "mtu", String(mtu), "type", "bridge");
  await ip("address", "add", gateway, "dev", name);
  await ip("link", "set", name, "up");
}

/** The first address of a range, which the plugins give to the bridge, with its prefix; undefined if it is no IPv4 range. */
export function gatewayOf(podCidr: string): string | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(podCidr);
  if (!match) return undefined;
  return `${match[1]}.${match[2]}.${match[3]}.${Number(match[4]) + 1}/${match[5]}`;
}
