/** The addresses of load balancers on this machine: they are not the node's own. */
const announced = new Set<string>();

export const isAnnounced = (address: string): boolean => announced.has(address);

export function noteAnnounced(addresses: Iterable<string>): void {
  announced.clear();
  for (const address of addresses) announced.add(address);
}
