import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Mount points at or below a directory, the deepest first: the order in which they can be undone. */
export function mountsBelow(dir: string, mountinfo: string): string[] {
  const points: string[] = [];
  for (const line of mountinfo.split("\n")) {
    const field = line.split(" ")[4];
    if (!field) continue;
    const point = field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
    if (point === dir || point.startsWith(`${dir}/`)) points.push(point);
  }
  return points.reverse().sort((a, b) => b.split("/").length - a.split("/").length);
}

/** Undoes every mount at or below a directory. Lazily: a process that still looks there must not keep it. */
export function unmountBelow(dir: string): void {
  for (const point of mountsBelow(dir, readFileSync("/proc/self/mountinfo", "utf8"))) {
    const { status, stderr } = spawnSync("umount", ["-l", point], { encoding: "utf8" });
    if (status !== 0) throw new Error(`umount ${point}: ${stderr.trim()}`);
  }
}
