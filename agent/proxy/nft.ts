import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A transaction of thousands of Services takes seconds on a small machine. */
const TIMEOUT_MS = 120_000;
const MAX_ERROR_CHARS = 4_000;

/**
 * Carries out one transaction: all of it or nothing.
 * @throws Error with what nft says
 */
export function applyRules(lines: readonly string[]): Promise<void> {
  return runNft(["-f", "-"], `${lines.join("\n")}\n`).then(() => undefined);
}

/** @returns what `nft` with these arguments prints. @throws Error with what nft says */
export function runNft(args: string[], input = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("nft", args, { stdio: ["pipe", "pipe", "pipe"], timeout: TIMEOUT_MS });
    let output = "";
    let errors = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors = (errors + text).slice(0, MAX_ERROR_CHARS);
    });
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new Error(`nft ${args.join(" ")} failed (${signal ?? code}): ${errors.trim()}`));
    });
    child.stdin.on("error", () => {}); // it may refuse before it has read everything, and says why
    child.stdin.end(input);
  });
}

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
  const tables = await runNft(["list", "tables", family]);
  if (!tables.split("\n").includes(`table ${family} ${table}`)) return undefined;
  const [chains, sets] = await Promise.all([
    runNft(["list", "chains", family]),
    runNft(["-t", "list", "sets", family]),
  ]);
  return { chains: names(chains), sets: names(sets) };
}

/**
 * Reads what `nft monitor` prints, a line at a time. True after the last line of a change by somebody else that took
 * something away from the table, or when changes went by unseen. Ours have the mark in them: process ids, which the
 * kernel tells too, are not those that a program in a container knows itself by. Pure, but for what it remembers.
 */
export function createRemovalReader(table: string, mark: string): (line: string) => boolean {
  const removal = new RegExp(`^delete \\S+ ip6? ${table.replaceAll(".", "\\.")}(?: |$)`);
  let isTouched = false;
  let isOurs = false;
  return (line) => {
    if (line.startsWith("# ERROR")) return true;
    if (removal.test(line)) isTouched = true;
    if (line.startsWith("add rule ") && line.includes(`comment "${mark}"`)) isOurs = true;
    if (!line.startsWith("# new generation")) return false;
    const isRemoval = isTouched && !isOurs;
    isTouched = false;
    isOurs = false;
    return isRemoval;
  };
}

/**
 * Follows the kernel's rules and tells when somebody else took something away from a table of ours. Ends with the signal,
 * or by itself when nft cannot do it.
 */
export function watchRemovals(
  table: string,
  { mark, onRemoval, signal }: { mark: string; onRemoval: () => void; signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn("nft", ["monitor"], { stdio: ["ignore", "pipe", "ignore"], signal });
    child.once("error", () => resolve());
    child.once("close", () => resolve());
    const isRemoval = createRemovalReader(table, mark);
    createInterface(child.stdout).on("line", (line) => isRemoval(line) && onRemoval());
  });
}
