import { mkdir } from "node:fs/promises";
import { join, normalize } from "node:path";
import type { Pod } from "../api/index.ts";

/**
 * Where other volumes are mounted within this one, relative to it: the runtime cannot make these places itself where the
 * volume is mounted read-only. Of those within one another the outermost alone.
 * @throws Error for a mount path that leaves the container
 */
export function nestedMountPoints(volume: string, { spec }: Pod): string[] {
  const containers = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
  const found = containers.flatMap(({ volumeMounts = [] }) => {
    const all = volumeMounts.map(({ mountPath }) => clean(mountPath));
    const own = volumeMounts.filter(({ name }) => name === volume);
    return own.flatMap(({ mountPath }) => outermostBelow(clean(mountPath), all));
  });
  return [...new Set(found)];
}

const clean = (path: string) => normalize(path).replace(/(.)\/$/, "$1");

function outermostBelow(path: string, all: string[]): string[] {
  if (path.startsWith("../")) throw new Error(`invalid container mount point ${path}`);
  const below = all.filter((other) => other.startsWith(`${path}/`));
  return below
    .filter((other) => !below.some((outer) => other.startsWith(`${outer}/`)))
    .map((other) => other.slice(path.length + 1));
}

export async function makeNestedMountPoints(directory: string, volume: string, pod: Pod): Promise<void> {
  for (const place of nestedMountPoints(volume, pod)) {
    await mkdir(join(directory, place), { recursive: true, mode: 0o755 });
  }
}
