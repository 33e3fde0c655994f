import { createHash } from "node:crypto";
import { networkInterfaces } from "node:os";
import { printIp } from "../../shared/api/ip.ts";
import { ip, linkExists } from "../cni/index.ts";

/** The interface that has the local address; 15 characters are what Linux allows. */
export const localInterface = (instance: string) => `hearthl-${instance}`.slice(0, 15);

/**
 * A link-local address (RFC 3927) of this agent's own, on which it serves its node's pods and nobody else: no router
 * passes such addresses on. 169.254.32.0/19 has none that clouds or Kubernetes' own node cache use. For IPv6, whose
 * link-local addresses are heard on their own link alone, it is a unique local one (RFC 4193) of a range of its own.
 */
export function localAddress(instance: string, family: 4 | 6): string {
  const digest = createHash("sha256").update(instance).digest();
  if (family === 6) {
    const [a, b, c] = [digest.readUInt16BE(2), digest.readUInt16BE(4), digest.readUInt8(1)];
    return printIp({ family, value: ((0xfd00n + BigInt(c)) << 112n) | (BigInt(a) << 96n) | (BigInt(b) << 80n) | 1n });
  }
  const [third, fourth] = digest;
  return `169.254.${32 + (third! % 32)}.${1 + (fourth! % 254)}`;
}

/**
 * Puts the address in place, on an interface of its own so that no plugin of the user's has a say in it: a bridge without
 * ports, since any kernel that runs pods has bridges. May be repeated.
 * @throws Error with the words of `ip`
 */
export async function ensureLocalAddress(instance: string, family: 4 | 6): Promise<void> {
  const name = localInterface(instance);
  const address = localAddress(instance, family);
  if (!(await linkExists(name))) await ip("link", "add", name, "type", "bridge");
  const has = (networkInterfaces()[name] ?? []).some((each) => each.address === address);
  // Nobody else is on that link to have the address, and it is to be listened on at once.
  const range = family === 6 ? [`${address}/128`, "dev", name, "nodad"] : [`${address}/32`, "dev", name];
  if (!has) await ip("address", "replace", ...range);
  await ip("link", "set", name, "up");
}
