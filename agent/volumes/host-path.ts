import { mkdir, open, stat } from "node:fs/promises";

/**
 * Checks, and for the `OrCreate` types makes, what a hostPath volume names.
 * @throws Error in upstream's words if it is not of the type
 */
export async function prepareHostPath({ path, type = "" }: { path: string; type?: string }): Promise<void> {
  if (path.split("/").includes("..")) throw new Error(`invalid HostPath \`${path}\`: must not contain '..'`);
  if (type === "") return;
  const info = await stat(path).catch(() => undefined);
  if (type === "DirectoryOrCreate") {
    if (!info) await mkdir(path, { recursive: true, mode: 0o755 });
    else if (!info.isDirectory()) throw failed(path, "a directory");
    return;
  }
  if (type === "FileOrCreate") {
    if (!info) await (await open(path, "a", 0o644)).close();
    else if (!info.isFile()) throw failed(path, "a file");
    return;
  }
  const checks: Record<string, [boolean | undefined, string]> = {
    Directory: [info?.isDirectory(), "a directory"],
    File: [info?.isFile(), "a file"],
    Socket: [info?.isSocket(), "a socket file"],
    CharDevice: [info?.isCharacterDevice(), "a character device"],
    BlockDevice: [info?.isBlockDevice(), "a block device"],
  };
  const check = checks[type];
  if (!check) throw new Error(`${type} is an invalid volume type`);
  if (!check[0]) throw failed(path, check[1]);
}

const failed = (path: string, what: string) => new Error(`hostPath type check failed: ${path} is not ${what}`);
