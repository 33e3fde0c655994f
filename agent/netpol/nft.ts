import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";

const exec = promisify(execFile);

const TIMEOUT_MS = 20_000;
const MAX_LISTING_BYTES = 256 * 1024 * 1024;
const MAX_ERROR_CHARACTERS = 2_000;

/** Commits one transaction, whole or not at all. @throws Error with nft's words */
export async function applyRuleset(text: string): Promise<void> {
  const child = spawn("nft", ["-f", "-"], { stdio: ["pipe", "ignore", "pipe"], timeout: TIMEOUT_MS });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    if (said.length < MAX_ERROR_CHARACTERS) said += chunk;
  });
  // One that ends before it has read everything says why in its own words.
  child.stdin.on("error", () => {});
  child.stdin.end(text);
  const status = await new Promise<number | string | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? signal));
  });
  if (status !== 0) throw new Error(`nft ended with ${status}: ${said.slice(0, MAX_ERROR_CHARACTERS).trim()}`);
}

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
  let text: string;
  try {
    ({ stdout: text } = await exec("nft", ["-j", ...args], { timeout: TIMEOUT_MS, maxBuffer: MAX_LISTING_BYTES }));
  } catch (error) {
    if (/No such file or directory/.test((error as { stderr?: string }).stderr ?? "")) return undefined;
    throw error;
  }
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
