import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CGROUP_MOUNT } from "./cgroupfs.ts";

/** What a cgroup v2 uses. What the kernel does not count there (in the root, say) is left out. */
export interface CgroupUsage {
  cpuNanoSeconds?: number;
  memory?: {
    usageBytes: number;
    /** Without file pages that nobody has touched for long. */
    workingSetBytes: number;
    rssBytes: number;
    pageFaults: number;
    majorPageFaults: number;
    /** Undefined: no limit. */
    limitBytes?: number;
  };
  swapBytes?: number;
  processes?: number;
  /** How long processes had to wait, by what they waited for (PSI). */
  pressure: Partial<Record<"cpu" | "memory" | "io", Pressure>>;
}

export interface Pressure {
  full: PressureLine;
  some: PressureLine;
}

/** Shares of the last 10, 60 and 300 seconds in percent; `total` in microseconds. */
export interface PressureLine {
  total: number;
  avg10: number;
  avg60: number;
  avg300: number;
}

/** @param path as the runtime gets it; `/` is the machine */
export async function readUsage(path: string, mount = CGROUP_MOUNT): Promise<CgroupUsage> {
  const text = (file: string) => readFile(join(mount, path, file), "utf8").catch(() => undefined);
  const [cpu, current, stat, max, swap, pids, ...pressures] = await Promise.all([
    text("cpu.stat"),
    text("memory.current"),
    text("memory.stat"),
    text("memory.max"),
    text("memory.swap.current"),
    text("pids.current"),
    ...(["cpu", "memory", "io"] as const).map((resource) => text(`${resource}.pressure`)),
  ]);
  return parseUsage({ cpu, current, stat, max, swap, pids, pressures });
}

export function parseUsage(texts: {
  cpu?: string;
  current?: string;
  stat?: string;
  max?: string;
  swap?: string;
  pids?: string;
  /** Of cpu, memory and io. */
  pressures: readonly (string | undefined)[];
}): CgroupUsage {
  const cpu = parseFlat(texts.cpu ?? "");
  const stat = parseFlat(texts.stat ?? "");
  const usageBytes = texts.current === undefined ? undefined : Number(texts.current);
  const limitBytes = texts.max === undefined || texts.max.trim() === "max" ? undefined : Number(texts.max);
  return {
    ...(cpu.has("usage_usec") && { cpuNanoSeconds: cpu.get("usage_usec")! * 1000 }),
    ...(usageBytes !== undefined && {
      memory: {
        usageBytes,
        workingSetBytes: Math.max(0, usageBytes - (stat.get("inactive_file") ?? 0)),
        rssBytes: stat.get("anon") ?? 0,
        pageFaults: stat.get("pgfault") ?? 0,
        majorPageFaults: stat.get("pgmajfault") ?? 0,
        ...(limitBytes !== undefined && { limitBytes }),
      },
    }),
    ...(texts.swap !== undefined && { swapBytes: Number(texts.swap) }),
    ...(texts.pids !== undefined && { processes: Number(texts.pids) }),
    pressure: Object.fromEntries(
      (["cpu", "memory", "io"] as const).flatMap((resource, index) => {
        const pressure = parsePressure(texts.pressures[index] ?? "");
        return pressure ? [[resource, pressure]] : [];
      }),
    ),
  };
}

/** `name value` lines. */
const parseFlat = (text: string): Map<string, number> =>
  new Map(
    text
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split(" "))
      .map(([name, value]) => [name!, Number(value)]),
  );

const NO_PRESSURE: PressureLine = { total: 0, avg10: 0, avg60: 0, avg300: 0 };

/**
 * A `*.pressure` file; undefined where the kernel counts none. Before Linux 5.13 the CPU has no `full` line.
 * @see Documentation/accounting/psi.rst
 */
export function parsePressure(text: string): Pressure | undefined {
  const lines = new Map(text.split("\n").map((line) => [line.split(" ")[0], parsePressureLine(line)]));
  const some = lines.get("some");
  return some && { full: lines.get("full") ?? NO_PRESSURE, some };
}

function parsePressureLine(line: string): PressureLine | undefined {
  const values = new Map([...line.matchAll(/(\w+)=([\d.]+)/g)].map(([, name, value]) => [name!, Number(value)]));
  if (!values.has("total")) return undefined;
  const value = (name: string) => values.get(name) ?? 0;
  return { total: value("total"), avg10: value("avg10"), avg60: value("avg60"), avg300: value("avg300") };
}

/** The root has no count of its own: everything that is not free, as the kubelet counts it. @param meminfo /proc/meminfo */
export function machineMemory(meminfo: string): NonNullable<CgroupUsage["memory"]> {
  const field = (name: string) => 1024 * Number(new RegExp(`^${name}: *(\\d+) kB`, "m").exec(meminfo)?.[1] ?? 0);
  const usageBytes = field("MemTotal") - field("MemFree");
  return {
    usageBytes,
    workingSetBytes: Math.max(0, usageBytes - field("Inactive\\(file\\)")),
    rssBytes: field("AnonPages"),
    pageFaults: 0,
    majorPageFaults: 0,
  };
}

/** Kernel ticks in /proc are hundredths of a second (USER_HZ). */
const TICK_NANOSECONDS = 10_000_000;

/** What all CPUs have worked since the start, without idling and waiting for disks. @param stat /proc/stat */
export function machineCpu(stat: string): number {
  const [user, nice, system, , , irq, softirq, steal] = /^cpu +(.*)$/m.exec(stat)?.[1]?.split(" ").map(Number) ?? [];
  const ticks = [user, nice, system, irq, softirq, steal].reduce<number>((sum, value) => sum + (value ?? 0), 0);
  return ticks * TICK_NANOSECONDS;
}
