/** Reads what is left of the node's memory, disks and processes. */
import { readFile, stat, statfs } from "node:fs/promises";
import { type CgroupSettings, machineMemory, nodeCgroupPath, readUsage } from "../cgroup/index.ts";
import type { Observation, Observations } from "./signals.ts";

export interface ObservedPlaces {
  /** On the disk of volumes and logs. */
  nodeDirectory: string;
  /** On the disk of images and writable layers; undefined while the runtime does not say. */
  imageDirectory: string | undefined;
  cgroups: CgroupSettings;
}

export async function observeNode({ nodeDirectory, imageDirectory, cgroups }: ObservedPlaces): Promise<Observations> {
  const [memory, allPods, nodeDisk, imageDisk, pids] = await Promise.all([
    readFile("/proc/meminfo", "utf8").then((text) => observeMemory(text)),
    cgroups.version === 2 ? observePods(nodeCgroupPath(cgroups)) : undefined,
    observeDisk(nodeDirectory),
    imageDirectory === undefined ? undefined : observeDisk(imageDirectory).catch(() => undefined),
    observeProcesses(),
  ]);
  return {
    "memory.available": memory,
    "allocatableMemory.available": allPods,
    "nodefs.available": nodeDisk.bytes,
    "nodefs.inodesFree": nodeDisk.inodes,
    "imagefs.available": imageDisk?.bytes,
    "imagefs.inodesFree": imageDisk?.inodes,
    "pid.available": pids,
  };
}

/** Images on a disk of their own: then each of the two disks is relieved by what lies on it. */
export async function hasImageDisk({ nodeDirectory, imageDirectory }: ObservedPlaces): Promise<boolean> {
  if (imageDirectory === undefined) return false;
  const [node, images] = await Promise.all([stat(nodeDirectory), stat(imageDirectory)]);
  return node.dev !== images.dev;
}

/** EVI-02: capacity less the working set. @param meminfo /proc/meminfo */
export function observeMemory(meminfo: string): Observation {
  const capacity = 1024 * Number(/^MemTotal: *(\d+) kB/m.exec(meminfo)?.[1] ?? 0);
  return { capacity, available: Math.max(0, capacity - machineMemory(meminfo).workingSetBytes) };
}

/** Of the limit of all pods together; without one they have what the machine has. */
async function observePods(path: string): Promise<Observation | undefined> {
  const { memory } = await readUsage(path);
  if (memory?.limitBytes === undefined) return undefined;
  const { limitBytes, workingSetBytes } = memory;
  return { capacity: limitBytes, available: Math.max(0, limitBytes - workingSetBytes) };
}

/** What root may not use either is not there. */
export async function observeDisk(path: string): Promise<{ bytes: Observation; inodes: Observation }> {
  const { bavail, blocks, bsize, ffree, files } = await statfs(path);
  return {
    bytes: { available: bavail * bsize, capacity: blocks * bsize },
    inodes: { available: ffree, capacity: files },
  };
}

async function observeProcesses(): Promise<Observation> {
  const number = async (file: string) => Number(await readFile(`/proc/sys/kernel/${file}`, "utf8"));
  const [pidMax, threadsMax, loadavg] = await Promise.all([
    number("pid_max"),
    number("threads-max"),
    readFile("/proc/loadavg", "utf8"),
  ]);
  const capacity = Math.min(pidMax, threadsMax);
  return { capacity, available: capacity - countTasks(loadavg) };
}

/** `0.20 0.18 0.12 1/80 11206`: after the slash all tasks that there are. */
export const countTasks = (loadavg: string): number => Number(/ \d+\/(\d+) /.exec(loadavg)?.[1] ?? 0);
