/** The one file that writes to cgroupfs (version 2). */
import { access, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { limitFiles } from "./files.ts";
import type { CgroupLimits } from "./limits.ts";

export const CGROUP_MOUNT = "/sys/fs/cgroup";

/** Those that the kubelet uses, as far as the kernel has them. */
const CONTROLLERS = ["cpuset", "cpu", "memory", "hugetlb", "pids"];

/** Makes a cgroup and those above it, each with the controllers that limits need. May be repeated. */
export async function makeCgroup(path: string, mount = CGROUP_MOUNT): Promise<void> {
  const available = new Set((await readFile(join(mount, "cgroup.controllers"), "utf8")).trim().split(" "));
  const wanted = CONTROLLERS.filter((name) => available.has(name));
  let directory = mount;
  for (const part of path.split("/").filter(Boolean)) {
    await enable(directory, wanted);
    directory = join(directory, part);
    await mkdir(directory, { mode: 0o755 }).catch(ignore("EEXIST"));
  }
  // Containers are to be limited too.
  await enable(directory, wanted);
}

/** One at a time: a controller that the parent has not got must not keep the others away. */
async function enable(directory: string, controllers: string[]): Promise<void> {
  const file = join(directory, "cgroup.subtree_control");
  const enabled = new Set((await readFile(file, "utf8")).trim().split(" "));
  for (const name of controllers) {
    if (!enabled.has(name)) await writeFile(file, `+${name}`).catch(ignore("ENOENT"));
  }
}

export const cgroupExists = (path: string, mount = CGROUP_MOUNT): Promise<boolean> =>
  access(join(mount, path)).then(
    () => true,
    () => false,
  );

/**
 * Limits of controllers that the kernel, or the cgroup above, has not got are left out.
 * @throws Error with the file's name: EBUSY, where more memory is in use than allowed now
 */
export async function writeLimits(path: string, limits: CgroupLimits, mount = CGROUP_MOUNT): Promise<void> {
  for (const [file, value] of limitFiles(limits)) {
    const full = join(mount, path, file);
    // Not "create": a plain directory tree would take any name.
    await writeFile(full, value, { flag: "r+" }).catch(ignore("ENOENT"));
  }
}

const ignore = (code: string) => (error: NodeJS.ErrnoException) => {
  if (error.code !== code) throw error;
};
