import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A transaction of thousands of Services takes seconds on a small machine. */
const TIMEOUT_MS = 120_000;
const MAX_ERROR_CHARS = 4_000;

/**
 * Carries out one transaction: all of it or nothing.
 * @param onPid told the pid of the process that does it, by which the kernel names who changed something
 * @throws Error with what nft says
 */
export function applyRules(lines: readonly string[], onPid?: (pid: number) => void): Promise<void> {
  return runNft(["-f", "-"], `${lines.join("\n")}\n`, onPid).then(() => undefined);
}

/** @returns what `nft` with these arguments prints. @throws Error with what nft says */
export function runNft(args: string[], input = "", onPid?: (pid: number) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("nft", args, { stdio: ["pipe", "pipe", "pipe"], timeout: TIMEOUT_MS });
    let output = "";
    let errors = "";
    if (child.pid !== undefined) onPid?.(child.pid);
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
 * Follows the kernel's rules and tells when somebody else took something away from a table of ours. Ends with the signal,
 * or by itself when nft cannot do it.
 * @param isOurs whether a process is one that we started
 */
export function watchRemovals(
  table: string,
  { isOurs, onRemoval, signal }: { isOurs: (pid: number) => boolean; onRemoval: () => void; signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn("nft", ["monitor"], { stdio: ["ignore", "pipe", "ignore"], signal });
    child.once("error", () => resolve());
    child.once("close", () => resolve());
    let isTouched = false;
    const removal = new RegExp(`^delete \\S+ ip6? ${table.replaceAll(".", "\\.")}(?: |$)`);
    createInterface(child.stdout).on("line", (line) => {
      if (removal.test(line)) isTouched = true;
      const generation = /^# new generation \d+ by process (\d+)/.exec(line);
      if (!generation) return;
      if (isTouched && !isOurs(Number(generation[1]))) onRemoval();
      isTouched = false;
    });
  });
}
