import { z } from "zod";
import { applyRuleset, listIfThere } from "../programs/index.ts";

/** What the kernel has of a table, in numbers. */
export interface Listing {
  /** The rules of each chain. */
  chains: Map<string, number>;
  /** The elements of each set or map. */
  sets: Map<string, number>;
}

const elements = z.object({ name: z.string(), elem: z.array(z.unknown()).optional() });
const listing = z.object({
  nftables: z.array(
    z.object({
      chain: z.object({ name: z.string() }).optional(),
      rule: z.object({ chain: z.string() }).optional(),
      set: elements.optional(),
      map: elements.optional(),
    }),
  ),
});

/**
 * The whole table: as expensive as there is much in it.
 * @returns undefined if there is no such table
 * @throws Error with nft's words
 */
export const listTable = (table: string): Promise<Listing | undefined> => list("list", "table", "inet", table);

/**
 * The rules of one chain; cheap.
 * @returns undefined if there is no such chain or table
 * @throws Error with nft's words
 */
export async function countRules(table: string, chain: string): Promise<number | undefined> {
  return (await list("-t", "list", "chain", "inet", table, chain))?.chains.get(chain);
}

async function list(...args: string[]): Promise<Listing | undefined> {
  const text = await listIfThere(["-j", ...args]);
  if (text === undefined) return undefined;
  const found: Listing = { chains: new Map(), sets: new Map() };
  for (const { chain, rule, set, map } of listing.parse(JSON.parse(text)).nftables) {
    if (chain) found.chains.set(chain.name, found.chains.get(chain.name) ?? 0);
    if (rule) found.chains.set(rule.chain, (found.chains.get(rule.chain) ?? 0) + 1);
    const named = set ?? map;
    if (named) found.sets.set(named.name, (named.elem ?? []).length);
  }
  return found;
}

/** @throws Error with nft's words; none if there was no such table */
export const deleteTable = (table: string): Promise<void> =>
  applyRuleset(`add table inet ${table}\ndelete table inet ${table}\n`);
