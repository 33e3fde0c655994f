import { NODE_PREFIX } from "../../../shared/api/cluster-network.ts";
import { type IpRange, parseCidr, printCidr, rangesOverlap } from "../../../shared/api/ip.ts";

/** Where a node tells which ranges its machine reaches already (agent/node/routes.ts): `192.0.2.0/24,10.244.0.0/24`. */
const ROUTES_ANNOTATION = "hearth.dev/routes";

export const routesOf = (annotations: Record<string, string> | undefined): string[] =>
  (annotations?.[ROUTES_ANNOTATION] ?? "").split(",").filter((cidr) => cidr.includes("/") && parseCidr(cidr));

/**
 * A part of each of the cluster's ranges for one node: the first that nobody has, and that does not hide what the node's
 * machine reaches (another cluster's pods on the same machine, say): rather one that does than none.
 * @param clusterCidrs one a family
 * @param taken the podCIDRs of all nodes, and those that were refused, as somebody wrote them: in any spelling, and of any size
 * @param routes of the node's machine
 * @returns e.g. `10.244.3.0/24`, in the order of the cluster's ranges; undefined when there is none left of one of them
 */
export function decidePodCidrs(
  clusterCidrs: readonly string[],
  taken: readonly string[],
  routes: readonly string[] = [],
): string[] | undefined {
  const [takenRanges, reached] = [parseRanges(taken), parseRanges(routes)];
  const cidrs = clusterCidrs.map((cidr) => decidePodCidr(cidr, takenRanges, reached));
  return cidrs.every((cidr) => cidr !== undefined) ? cidrs : undefined;
}

const parseRanges = (cidrs: readonly string[]): IpRange[] =>
  cidrs.map(parseCidr).filter((range) => range !== undefined);

function decidePodCidr(clusterCidr: string, taken: IpRange[], reached: IpRange[]): string | undefined {
  const range = parseCidr(clusterCidr);
  if (!range) return undefined;
  const { family } = range;
  const prefixLength = NODE_PREFIX[family];
  const hostBits = BigInt((family === 4 ? 32 : 128) - prefixLength);
  const ofFamily = taken.filter((each) => each.family === family);
  // Thousands of nodes have a range of the usual size, each of which takes one part; a larger one takes several.
  const takenParts = new Set(
    ofFamily.filter((each) => each.prefixLength >= prefixLength).map(({ first }) => first >> hostBits),
  );
  const larger = ofFamily.filter((each) => each.prefixLength < prefixLength);
  let rather: string | undefined;
  for (let part = 0n; part < 1n << BigInt(prefixLength - range.prefixLength); part++) {
    const candidate = { family, first: range.first + (part << hostBits), prefixLength };
    if (takenParts.has(candidate.first >> hostBits)) continue;
    if (larger.some((each) => rangesOverlap(candidate, each))) continue;
    const cidr = printCidr(candidate);
    if (!reached.some((route) => rangesOverlap(candidate, route))) return cidr;
    rather ??= cidr;
  }
  return rather;
}
