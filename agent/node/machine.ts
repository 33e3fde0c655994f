import { readdirSync, readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import os from "node:os";

/** What a Node says of the machine it stands for. */
export interface MachineFacts {
  hostname: string;
  cpuMilli: number;
  memoryBytes: number;
  ephemeralBytes: number;
  swapBytes: number;
  /** How many processes the kernel takes. */
  maxPids: number;
  /** By page size as Kubernetes names it, e.g. `2Mi`. */
  hugepages: Record<string, number>;
  machineId: string;
  systemUuid: string;
  bootId: string;
  kernelVersion: string;
  osImage: string;
  /** GOARCH: amd64, arm64 … */
  architecture: string;
  cgroupVersion: 1 | 2;
}

const GO_ARCH: Record<string, string> = { x64: "amd64", arm64: "arm64", arm: "arm", ia32: "386", s390x: "s390x" };
/** statfs: the magic of a cgroup2 mount. */
const CGROUP2_SUPER_MAGIC = 0x63677270;

/** Reads it all anew: capacity may change while the agent runs. @param disk a path on the pods' disk */
export async function readMachine(disk: string): Promise<MachineFacts> {
  const files = await statfs(disk);
  return {
    hostname: os.hostname().toLowerCase(),
    cpuMilli: 1000 * os.availableParallelism(),
    memoryBytes: meminfo("MemTotal"),
    ephemeralBytes: files.blocks * files.bsize,
    swapBytes: meminfo("SwapTotal"),
    maxPids: Math.min(
      ...["pid_max", "threads-max"].map((name) => Number(text(`/proc/sys/kernel/${name}`)) || Number.MAX_SAFE_INTEGER),
    ),
    hugepages: hugepages(),
    machineId: text("/etc/machine-id") || text("/var/lib/dbus/machine-id"),
    systemUuid: text("/sys/class/dmi/id/product_uuid") || text("/etc/machine-id"),
    bootId: text("/proc/sys/kernel/random/boot_id"),
    kernelVersion: os.release(),
    osImage: /^PRETTY_NAME="?([^"\n]*)/m.exec(text("/etc/os-release"))?.[1] ?? "Linux",
    architecture: GO_ARCH[process.arch] ?? process.arch,
    cgroupVersion: (await statfs("/sys/fs/cgroup")).type === CGROUP2_SUPER_MAGIC ? 2 : 1,
  };
}

function text(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    // Not there, or not ours to read: such a fact stays empty.
    return "";
  }
}

/** Bytes. */
function meminfo(field: string): number {
  const kibibytes = new RegExp(`^${field}: *(\\d+) kB`, "m").exec(text("/proc/meminfo"))?.[1];
  return 1024 * Number(kibibytes ?? 0);
}

function hugepages(): Record<string, number> {
  const sizes: Record<string, number> = {};
  let names: string[] = [];
  try {
    names = readdirSync("/sys/kernel/mm/hugepages");
  } catch {
    // A kernel without huge pages.
  }
  for (const name of names) {
    const kibibytes = Number(/^hugepages-(\d+)kB$/.exec(name)?.[1] ?? 0);
    if (kibibytes === 0) continue;
    const printed = kibibytes >= 1024 * 1024 ? `${kibibytes / 1024 / 1024}Gi` : `${kibibytes / 1024}Mi`;
    sizes[printed] = kibibytes * 1024 * Number(text(`/sys/kernel/mm/hugepages/${name}/nr_hugepages`) || 0);
  }
  return sizes;
}
