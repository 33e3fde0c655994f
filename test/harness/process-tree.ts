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

/** Clock ticks a second in /proc (sysconf(_SC_CLK_TCK)): 100 on every Linux of today. */
const TICKS_PER_SECOND = 100;

/** Processor time that a process and all its descendants have used so far, in milliseconds. Those that ended are left out. */
export function treeCpuMs(rootPid: number): number {
  return processTree(rootPid).reduce((sum, pid) => {
    const [user = 0, system = 0] = statFields(pid).slice(11, 13).map(Number);
    return sum + ((user + system) * 1000) / TICKS_PER_SECOND;
  }, 0);
}

/** How long the first threads of a process and its descendants were ready to run while others had the processors, in ms. */
export function treeWaitMs(rootPid: number): number {
  return processTree(rootPid).reduce(
    (sum, pid) => sum + Number(readProc(pid, "schedstat").split(" ")[1] ?? 0) / 1e6,
    0,
  );
}

function parentOf(pid: number): number | undefined {
  const [, parent] = statFields(pid);
  return parent === undefined ? undefined : Number(parent);
}

/** Of /proc/<pid>/stat, from the third on: the command before them may hold spaces and brackets. */
const statFields = (pid: number): string[] => readProc(pid, "stat").split(")").at(-1)!.trim().split(" ");

/** Empty when the process ended meanwhile. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
