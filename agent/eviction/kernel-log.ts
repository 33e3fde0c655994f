import { closeSync, constants, openSync, readSync } from "node:fs";

const KERNEL_LOG = "/dev/kmsg";
/** The kernel's largest record. */
const RECORD_BYTES = 8192;
/** Records in one look; the rest is for the next one. */
const MAX_RECORDS = 10_000;

/** A process that the kernel ended because the machine, not a cgroup, was out of memory. */
export interface SystemOom {
  process: string;
  pid: number;
}

/**
 * From a line of the kernel's log; undefined for others, and for those of a cgroup's limit: these are a container's matter.
 * @see dump_oom_summary in mm/oom_kill.c
 */
export function parseSystemOom(line: string): SystemOom | undefined {
  const match = /oom-kill:constraint=CONSTRAINT_NONE,.*,task=(.*),pid=(\d+),uid=\d+/.exec(line);
  return match ? { process: match[1]!, pid: Number(match[2]) } : undefined;
}

/** What the kernel has said since the last call; what it had said before the first one is left out. */
export interface KernelLog {
  read(): string[];
  close(): void;
}

/** @returns undefined where we may not read it: in a container, say */
export function openKernelLog(path = KERNEL_LOG): KernelLog | undefined {
  let file: number;
  try {
    // A read would wait for the next record.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  const buffer = Buffer.alloc(RECORD_BYTES);

  function read(): string[] {
    const records: string[] = [];
    for (let count = 0; count < MAX_RECORDS; count++) {
      try {
        const bytes = readSync(file, buffer);
        if (bytes === 0) break;
        records.push(buffer.toString("utf8", 0, bytes));
      } catch (error) {
        // The kernel has overwritten what we had not read: the next read goes on with what there is.
        if ((error as NodeJS.ErrnoException).code === "EPIPE") continue;
        break;
      }
    }
    return records;
  }

  read();
  return { read, close: () => closeSync(file) };
}
