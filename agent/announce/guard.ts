import { z } from "zod";
import { jsonOrUndefined } from "../../shared/json-or-undefined.ts";
import { applyRuleset, listIfThere } from "../programs/index.ts";

/** A node announces a handful of addresses. */
const MAX_LISTING = 1024 * 1024;

/** The nftables table that guards announced addresses, and holds which they are. */
export const guardTable = (instance: string): string => `hearth-announce-${instance}`;

/**
 * An announced address is one of the machine's own, and whatever listens on all addresses would be reached at it, too. Only
 * what the service proxy led elsewhere passes (its packets have another destination by now), and pings, errors and
 * neighbour discovery.
 * @param addresses empty: without the table
 */
export function renderGuard(instance: string, addresses: readonly string[]): string {
  const table = `inet ${guardTable(instance)}`;
  const gone = `add table ${table}\ndelete table ${table}\n`;
  if (addresses.length === 0) return gone;
  const set = (name: string, type: string, elements: string[]) =>
    `  set ${name} {\n    type ${type};\n${elements.length > 0 ? `    elements = { ${elements.sort().join(", ")} };\n` : ""}  }\n`;
  const isV6 = (address: string) => address.includes(":");
  return `${gone}table ${table} {
${set(
  "addresses",
  "ipv4_addr",
  addresses.filter((address) => !isV6(address)),
)}${set("addresses6", "ipv6_addr", addresses.filter(isV6))}  chain input {
    type filter hook input priority -10; policy accept;
    ip daddr @addresses meta l4proto tcp reject with tcp reset
    ip daddr @addresses meta l4proto != icmp reject
    ip6 daddr @addresses6 meta l4proto tcp reject with tcp reset
    ip6 daddr @addresses6 meta l4proto != ipv6-icmp reject
  }
}
`;
}

const listing = z.object({
  nftables: z.array(z.looseObject({ set: z.looseObject({ elem: z.array(z.string()).optional() }).optional() })),
});

/** The addresses that the table holds, sorted; none if it is not there. @throws Error if there is no nft */
export async function readGuard(instance: string): Promise<string[]> {
  const listed = await listIfThere(["-j", "list", "table", "inet", guardTable(instance)], { maxOutput: MAX_LISTING });
  if (listed === undefined) return [];
  const read = listing.safeParse(jsonOrUndefined(listed));
  return read.success ? read.data.nftables.flatMap(({ set }) => set?.elem ?? []).sort() : [];
}

/** In one transaction. @throws Error with nft's words */
export const writeGuard = (instance: string, addresses: readonly string[]): Promise<void> =>
  applyRuleset(renderGuard(instance, addresses));
