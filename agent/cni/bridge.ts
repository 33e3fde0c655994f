import { networkInterfaces } from "node:os";
import { parseCidr, printIp } from "../../shared/api/ip.ts";
import { bridgePorts, ip, linkExists, linkMtu } from "./link.ts";

/**
 * Makes the pods' bridge as the bridge plugin would with the first pod: whoever looks at the machine's routes sees at once
 * that the range is taken. One that is there for another range, and that no pod hangs on, gives way: the plugin would
 * refuse every pod. May be repeated; mends addresses that were taken away.
 * @param podCidrs the node's ranges, one a family
 * @throws Error with the words of `ip`
 */
export async function ensureBridge({
  name,
  podCidrs,
  mtu,
}: {
  name: string;
  podCidrs: string[];
  mtu: number;
}): Promise<void> {
  const gateways = podCidrs.map(gatewayOf);
  const isThere = await linkExists(name);
  const addresses = isThere ? addressesOf(name) : [];
  const hasOthers = addresses.some((address) => !gateways.includes(address));
  const isNew = !isThere || (hasOthers && (await bridgePorts(name)).length === 0);
  if (isThere && isNew) await ip("link", "delete", name);
  if (isNew) await ip("link", "add", name, "mtu", String(mtu), "type", "bridge");
  else if ((await linkMtu(name)) !== mtu) await ip("link", "set", name, "mtu", String(mtu));
  for (const gateway of gateways.filter((each) => isNew || !addresses.includes(each))) {
    await ip("address", "replace", gateway, "dev", name, ...(gateway.includes(":") ? ["nodad"] : []));
  }
  await ip("link", "set", name, "up");
}

/** Takes the bridge away unless pods hang on it. */
export async function removeIdleBridge(name: string): Promise<void> {
  if ((await linkExists(name)) && (await bridgePorts(name)).length === 0) await ip("link", "delete", name);
}

const addressesOf = (name: string): string[] =>
  (networkInterfaces()[name] ?? []).flatMap(({ cidr, address }) =>
    cidr === null || address.startsWith("fe80:") ? [] : [cidr],
  );

/**
 * The first address of a range, which the plugins give to the bridge, with its prefix.
 * @throws RangeError if it is no range
 */
export function gatewayOf(podCidr: string): string {
  const range = parseCidr(podCidr);
  if (!range) throw new RangeError(`${podCidr} is no range of addresses`);
  return `${printIp({ family: range.family, value: range.first + 1n })}/${range.prefixLength}`;
}
