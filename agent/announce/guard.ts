import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";
import { jsonOrUndefined } from "../../shared/json-or-undefined.ts";

const exec = promisify(execFile);

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
  try {
    const { stdout } = await exec("nft", ["-j", "list", "table", "inet", guardTable(instance)]);
    const read = listing.safeParse(jsonOrUndefined(stdout));
    return read.success ? read.data.nftables.flatMap(({ set }) => set?.elem ?? []).sort() : [];
  } catch (error) {
    if (String(error).includes("No such file or directory") && (error as { code?: unknown }).code !== "ENOENT")
      return [];
    throw error;
  }
}

/** In one transaction. @throws Error with nft's words */
export async function writeGuard(instance: string, addresses: readonly string[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn("nft", ["-f", "-"], { stdio: ["pipe", "ignore", "pipe"] });
  let words = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    words += text;
  });
  child.on("error", reject);
  child.stdin.on("error", () => undefined); // it ended before it had read all: its exit says why
  child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`nft: ${words.trim()}`))));
  child.stdin.end(renderGuard(instance, addresses));
  await promise;
}
