import { readdirSync, readFileSync } from "node:fs";

/** A process and all its descendants, parents first. */
export function processTree(rootPid: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    const parent = parentOf(pid);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const tree = [rootPid];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

/** The program's name as the kernel has it (15 characters at most); empty when the process is gone. */
export function commandOf(pid: number): string {
  return readProc(pid, "comm").trim();
}

/** Arguments (or another NUL-separated list of /proc) joined by spaces; empty when the process is gone. */
export function commandLineOf(pid: number, file: "cmdline" | "environ" = "cmdline"): string {
  return readProc(pid, file).replaceAll("\0", " ").trim();
}

/** Proportional set size of a process and all its descendants, in bytes (shared pages are counted once). */
export function treeMemoryBytes(rootPid: number): number {
  return processTree(rootPid).reduce((sum, pid) => {
    const match = /^Pss:\s+(\d+) kB/m.exec(readProc(pid, "smaps_rollup"));
    return sum + (match ? Number(match[1]) * 1024 : 0);
  }, 0);
}

function parentOf(pid: number): number | undefined {
  // The command may hold spaces and brackets: what matters comes after the last bracket.
  const fields = readProc(pid, "stat").split(")").at(-1)!.trim().split(" ");
  return fields.length < 2 ? undefined : Number(fields[1]);
}

/** Empty when the process ended meanwhile. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
