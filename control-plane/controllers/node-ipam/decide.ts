/** kubeadm's usual pod network, and what a node gets of it. */
export const CLUSTER_CIDR = "10.244.0.0/16";
const NODE_PREFIX = 24;

/** How many ranges there are. */
const RANGES = 2 ** (NODE_PREFIX - 16);

/**
 * The first range that nobody has.
 * @param taken the podCIDRs of all nodes, and those that were refused
 * @returns e.g. `10.244.3.0/24`; undefined when all are taken
 */
export function decidePodCidr(taken: ReadonlySet<string>): string | undefined {
  for (let i = 0; i < RANGES; i++) {
    const cidr = `10.244.${i}.0/${NODE_PREFIX}`;
    if (!taken.has(cidr)) return cidr;
  }
  return undefined;
}
