/** The one file of this area that looks at the machine. */
import { readFileSync } from "node:fs";
import { readdir, statfs } from "node:fs/promises";
import os from "node:os";
import { type CgroupSettings, machineMemory, nodeCgroupPath, readUsage } from "../cgroup/index.ts";
import type { Observations } from "./decide.ts";

export interface Disks {
  /** A path on the disk of volumes and logs. */
  node: string;
  /** A path on the disk of images; undefined while the runtime does not tell. */
  images: string | undefined;
}

export async function observeNode(settings: CgroupSettings, disks: Disks): Promise<Observations> {
  const capacity = os.totalmem();
  const { workingSetBytes } = machineMemory(readFileSync("/proc/meminfo", "utf8"));
  const path = nodeCgroupPath(settings);
  const ofPods = settings.version === 2 ? (await readUsage(path)).memory : undefined;
  const processes = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).length;
  const maxPids = Number(readFileSync("/proc/sys/kernel/pid_max", "utf8"));
  return {
    "memory.available": { available: capacity - workingSetBytes, capacity },
    ...(ofPods && {
      "allocatableMemory.available": {
        available: settings.allocatable.memoryBytes - ofPods.workingSetBytes,
        capacity: settings.allocatable.memoryBytes,
      },
    }),
    "pid.available": { available: maxPids - processes, capacity: maxPids },
    ...(await observeDisk("nodefs", disks.node)),
    ...(disks.images !== undefined && (await observeDisk("imagefs", disks.images))),
  };
}

async function observeDisk(name: "nodefs" | "imagefs", path: string): Promise<Observations> {
  const disk = await statfs(path).catch(() => undefined);
  if (!disk) return {};
  return {
    [`${name}.available`]: { available: disk.bavail * disk.bsize, capacity: disk.blocks * disk.bsize },
    // Some file systems have no limit of inodes, and say 0.
    ...(disk.files > 0 && { [`${name}.inodesFree`]: { available: disk.ffree, capacity: disk.files } }),
  };
}
