import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { release } from "node:os";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A server that does not answer must not hold up the node for ever: the pod is tried again. */
const NFS_TIMEOUT_MS = 120_000;

/** The one file of this area that mounts. Errors carry the command's own words. */
export async function mountTmpfs(directory: string, { sizeBytes }: { sizeBytes?: number } = {}): Promise<void> {
  const options = [...(sizeBytes ? [`size=${sizeBytes}`] : []), ...(hasNoSwap() ? ["noswap"] : [])];
  await mount(["-t", "tmpfs", ...(options.length > 0 ? ["-o", options.join(",")] : [])], "tmpfs", directory);
}

/** What is in memory stays there, as nobody looks for a secret in the swap (KEP-2400). Linux has the option since 6.4. */
function hasNoSwap(): boolean {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  return major > 6 || (major === 6 && minor >= 4);
}

/** @param pageSize as a quantity: `2Mi` */
export async function mountHugePages(directory: string, { pageSize }: { pageSize: string }): Promise<void> {
  await mount(["-t", "hugetlbfs", "-o", `pagesize=${pageSize}`], "nodev", directory);
}

export async function mountNfs(
  { server, path, options }: { server: string; path: string; options: string[] },
  directory: string,
): Promise<void> {
  const source = server.includes(":") && !server.startsWith("[") ? `[${server}]:${path}` : `${server}:${path}`;
  const flags = options.length > 0 ? ["-o", options.join(",")] : [];
  await mount(["-t", "nfs", ...flags], source, directory, NFS_TIMEOUT_MS);
}

/** The source is taken as it is: `/proc/<pid>/fd/<n>` means what that handle is on, not a path that is looked up anew. */
export async function bindMount(source: string, target: string): Promise<void> {
  await mount(["--no-canonicalize", "--bind"], source, target);
}

/** Lazily, so that a busy mount cannot hold up a pod's end. */
export async function unmount(directory: string): Promise<void> {
  await run("umount", ["-l", directory]).catch((error: CommandError) => {
    throw new Error(`unmount ${directory}: ${error.stderr?.trim() || error.message}`, { cause: error });
  });
}

interface CommandError extends Error {
  code?: number | string;
  signal?: string;
  stdout?: string;
  stderr?: string;
}

/** @param timeout ms; 0 for none. @throws Error in the words of a kubelet (mount-utils), which users look for */
async function mount(options: string[], source: string, target: string, timeout = 0): Promise<void> {
  await run("mount", [...options, "--", source, target], { timeout }).catch((error: CommandError) => {
    const how = typeof error.code === "number" ? `exit status ${error.code}` : error.message;
    const message = [
      `mount failed: ${error.signal ? `signal: ${error.signal}` : how}`,
      "Mounting command: mount",
      `Mounting arguments: ${[...options, source, target].join(" ")}`,
      `Output: ${error.stdout ?? ""}${error.stderr ?? ""}`,
    ];
    throw new Error(`${message.join("\n")}\n`, { cause: error });
  });
}

/** Mount points at or below a directory, the deepest first. */
export async function mountsUnder(directory: string): Promise<string[]> {
  return mountsIn(await readFile("/proc/self/mountinfo", "utf8"), directory);
}

export const mountsIn = (mountinfo: string, directory: string): string[] =>
  parseMountPoints(mountinfo)
    .filter((path) => path === directory || path.startsWith(`${directory}/`))
    .sort((a, b) => b.length - a.length);

/** The fifth field of each line; the kernel writes blanks and backslashes in octal. */
function parseMountPoints(mountinfo: string): string[] {
  return mountinfo
    .split("\n")
    .map((line) => line.split(" ")[4])
    .filter((path): path is string => path !== undefined)
    .map((path) =>
      path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
    );
}
