import { z } from "zod";
import { ip, ipJson } from "../cni/index.ts";

/** So long an address stays when its agent does not renew it: about when others take the node for lost and take over. */
export const CLAIM_SECONDS = 60;

const interfaces = z.array(
  z.looseObject({
    ifname: z.string().optional(),
    addr_info: z.array(z.looseObject({ local: z.string().optional(), prefixlen: z.number().optional() })).optional(),
  }),
);
const routes = z.array(z.looseObject({ dev: z.string(), type: z.string().optional() }));

/** The interface that has each address of the machine. @throws Error with the words of `ip` */
export async function addressesOfMachine(): Promise<Map<string, string>> {
  const found = interfaces.parse(await ipJson("address", "show"));
  return new Map(
    found.flatMap(({ ifname, addr_info = [] }) =>
      addr_info.flatMap(({ local }) => (local && ifname ? [[local, ifname] as const] : [])),
    ),
  );
}

/** The interface over which the address's neighbours are. @throws Error with the words of `ip` if there is no route */
export async function interfaceTowards(address: string): Promise<string> {
  const [route] = routes.parse(await ipJson("route", "get", address));
  if (!route || route.type === "local" || route.dev === "lo") throw new Error(`no interface leads to ${address}`);
  return route.dev;
}

const isV6 = (address: string) => address.includes(":");
const withPrefix = (address: string) => `${address}/${isV6(address) ? 128 : 32}`;

/**
 * Puts an address in place, or renews it. By its scope (IPv4) and lifetime (IPv6) it is never chosen as the source of the
 * machine's own connections.
 * @param options.isLeased it goes by itself unless it is renewed
 * @throws Error with the words of `ip`
 */
export async function claim(address: string, device: string, { isLeased }: { isLeased: boolean }): Promise<void> {
  const lifetime = isLeased ? String(CLAIM_SECONDS) : "forever";
  const traits = isV6(address)
    ? ["valid_lft", lifetime, "preferred_lft", "0"]
    : ["scope", "host", "valid_lft", lifetime, "preferred_lft", lifetime];
  await ip("address", "replace", withPrefix(address), "dev", device, ...traits);
}

export async function withdraw(address: string, device: string): Promise<void> {
  await ip("address", "delete", withPrefix(address), "dev", device);
}
