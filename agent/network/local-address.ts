import { createHash } from "node:crypto";
import { networkInterfaces } from "node:os";
import { ip, linkExists } from "../cni/index.ts";

/** The interface that has the local address; 15 characters are what Linux allows. */
export const localInterface = (instance: string) => `hearthl-${instance}`.slice(0, 15);

/**
 * A link-local address (RFC 3927) of this agent's own, on which it serves its node's pods and nobody else: no router
 * passes such addresses on. 169.254.32.0/19 has none that clouds or Kubernetes' own node cache use.
 */
export function localAddress(instance: string): string {
  const [third, fourth] = createHash("sha256").update(instance).digest();
  return `169.254.${32 + (third! % 32)}.${1 + (fourth! % 254)}`;
}

/**
 * Puts the address in place, on an interface of its own so that no plugin of the user's has a say in it: a bridge without
 * ports, since any kernel that runs pods has bridges. May be repeated.
 * @throws Error with the words of `ip`
 */
export async function ensureLocalAddress(instance: string): Promise<void> {
  const name = localInterface(instance);
  const address = localAddress(instance);
  if (!(await linkExists(name))) await ip("link", "add", name, "type", "bridge");
  const has = (networkInterfaces()[name] ?? []).some((each) => each.address === address);
  if (!has) await ip("address", "replace", `${address}/32`, "dev", name);
  await ip("link", "set", name, "up");
}
