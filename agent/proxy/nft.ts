import { applyRuleset, followProgram, runNft } from "../programs/index.ts";

/** Tables of thousands of Services take seconds on a small machine, to write and to list. */
const TIMEOUT_MS = 120_000;

/** Carries out one transaction: all of it or nothing. @throws Error with what nft says */
export const applyRules = (lines: Iterable<string>): Promise<void> => applyRuleset(ended(lines), TIMEOUT_MS);

function* ended(lines: Iterable<string>): Generator<string, void> {
  for (const line of lines) yield `${line}\n`;
}

/** @returns what nft prints. @throws Error with what it says */
export const list = (...args: string[]): Promise<string> => runNft(args, { timeoutMs: TIMEOUT_MS });

/** What a table holds: the names of its chains and of its sets. Undefined when there is no such table. */
export async function readTable(
  family: string,
  table: string,
): Promise<{ chains: string[]; sets: string[] } | undefined> {
  const names = (text: string) => {
    const wanted = new RegExp(`^table ${family} ${table.replaceAll(".", "\\.")} \\{$`);
    let isIn = false;
    const found: string[] = [];
    for (const line of text.split("\n")) {
      if (line.startsWith("table ")) isIn = wanted.test(line);
      const name = isIn ? /^\t(?:chain|set) (\S+) \{/.exec(line)?.[1] : undefined;
      if (name) found.push(name);
    }
    return found;
  };
  const tables = await list("list", "tables", family);
  if (!tables.split("\n").includes(`table ${family} ${table}`)) return undefined;
  const [chains, sets] = await Promise.all([list("list", "chains", family), list("-t", "list", "sets", family)]);
  return { chains: names(chains), sets: names(sets) };
}

/** Somebody else took something away, or changes went by unseen: they came faster than they could be read. */
export type Finding = "removal" | "lost";

/**
 * Reads what `nft monitor` prints, a line at a time. Tells a removal after the last line of a change by somebody else that
 * took something away from the table. Ours have the mark in them: process ids, which the
 * kernel tells too, are not those that a program in a container knows itself by. Pure, but for what it remembers.
 */
export function createRemovalReader(table: string, mark: string): (line: string) => Finding | undefined {
  const removal = new RegExp(`^delete \\S+ ip6? ${table.replaceAll(".", "\\.")}(?: |$)`);
  let isTouched = false;
  let isOurs = false;
  let isTorn = false;
  return (line) => {
    if (line.startsWith("# ERROR")) {
      isTorn = true;
      return "lost";
    }
    if (removal.test(line)) isTouched = true;
    if (line.startsWith("add rule ") && line.includes(`comment "${mark}"`)) isOurs = true;
    if (!line.startsWith("# new generation")) return undefined;
    // The mark may have been among what was lost.
    const finding = isTouched && !isOurs ? (isTorn ? "lost" : "removal") : undefined;
    isTouched = false;
    isOurs = false;
    isTorn = false;
    return finding;
  };
}

/**
 * Follows the kernel's rules and tells when somebody else took something away from a table of ours, or may have. Ends with the signal,
 * or by itself when nft cannot do it.
 */
export async function watchRemovals(
  table: string,
  { mark, onFinding, signal }: { mark: string; onFinding: (finding: Finding) => void; signal: AbortSignal },
): Promise<void> {
  const read = createRemovalReader(table, mark);
  const onLine = (line: string) => {
    const finding = read(line);
    if (finding) onFinding(finding);
  };
  await followProgram("nft", ["monitor"], { onLine, signal }).catch(() => {}); // the caller tries again
}
