import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { makeBelow } from "./pinned-path.ts";

/** @throws Error in upstream's words for a path that does not stay in its volume */
export function checkSubPath(subPath: string): void {
  if (subPath.startsWith("/")) throw new Error(`error SubPath \`${subPath}\` must not be an absolute path`);
  if (subPath.split("/").includes("..")) {
    throw new Error(`unable to provision SubPath \`${subPath}\`: must not contain '..'`);
  }
}

/**
 * Makes the directories of a subPath that are missing, as open to others as the volume's root. Links are followed, and
 * must not lead out of the volume: a container that shares it may have planted them.
 * @param realRoot of the volume, without links
 */
export async function makeSubPath(realRoot: string, subPath: string): Promise<void> {
  const parts = subPath.split("/").filter((part) => part !== "" && part !== ".");
  const isMissing = await realpath(join(realRoot, ...parts)).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === "ENOENT",
  );
  // What can be made of anything else shows when it is opened.
  if (!isMissing) return;
  let existing = realRoot;
  let count = 0;
  for (; count < parts.length; count += 1) {
    const next = await resolve(join(existing, parts[count]!));
    if (next === undefined) break;
    existing = next;
  }
  assertWithin(realRoot, existing);
  const { mode } = await stat(realRoot);
  await makeBelow(realRoot, existing, parts.slice(count), mode & 0o7777);
}

/** What a subPath that is there is really. @throws Error if that is not in the volume */
export async function resolveSubPath(realRoot: string, subPath: string): Promise<string> {
  const path = await realpath(join(realRoot, subPath));
  assertWithin(realRoot, path);
  return path;
}

const resolve = (path: string) => realpath(path).catch(() => undefined);

function assertWithin(root: string, path: string): void {
  if (path !== root && !path.startsWith(`${root}/`)) throw new Error(`${path} is not in ${root}`);
}
