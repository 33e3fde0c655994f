/** What a node gets of the pod network, which is 10.244.0.0/16 as kubeadm's usually is. */
const NODE_PREFIX = 24;

/** How many ranges there are. */
const RANGES = 2 ** (NODE_PREFIX - 16);

/** Where a node tells which ranges its machine reaches already (agent/node/routes.ts): `192.0.2.0/24,10.244.0.0/24`. */
const ROUTES_ANNOTATION = "hearth.dev/routes";

export const routesOf = (annotations: Record<string, string> | undefined): string[] =>
  (annotations?.[ROUTES_ANNOTATION] ?? "").split(",").filter((cidr) => CIDR.test(cidr));

const CIDR = /^\d{1,3}(\.\d{1,3}){3}\/\d{1,2}$/;

/**
 * The first range that nobody has, and that does not hide what the node's machine reaches (another cluster's pods on the
 * same machine, say): rather one that does than none.
 * @param taken the podCIDRs of all nodes, and those that were refused
 * @param routes of the node's machine
 * @returns e.g. `10.244.3.0/24`; undefined when all are taken
 */
export function decidePodCidr(taken: ReadonlySet<string>, routes: string[] = []): string | undefined {
  const free = Array.from({ length: RANGES }, (_, i) => `10.244.${i}.0/${NODE_PREFIX}`).filter(
    (cidr) => !taken.has(cidr),
  );
  return free.find((cidr) => !routes.some((route) => overlaps(cidr, route))) ?? free[0];
}

function overlaps(a: string, b: string): boolean {
  const [first, second] = [a, b].map((cidr) => cidr.split("/") as [string, string]);
  const prefix = Math.min(Number(first![1]), Number(second![1]));
  return bits(first![0]).slice(0, prefix) === bits(second![0]).slice(0, prefix);
}

const bits = (address: string) =>
  address
    .split(".")
    .map((part) => Number(part).toString(2).padStart(8, "0"))
    .join("");
