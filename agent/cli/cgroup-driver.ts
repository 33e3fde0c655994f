import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { CgroupDriver } from "../cgroup/index.ts";
import type { CriClient } from "../cri/index.ts";
import { writeFileAtomically } from "../state/index.ts";

/** A runtime that starts along with us answers within this time. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 500;

/**
 * Whose cgroups the runtime uses: as it tells, or as it told last while it is away.
 * @param file where that is remembered
 * @param configured for runtimes that do not tell
 */
export async function findCgroupDriver(
  cri: Pick<CriClient, "cgroupDriver">,
  file: string,
  configured: CgroupDriver,
): Promise<CgroupDriver> {
  const deadlineMs = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      const driver = (await cri.cgroupDriver()) ?? configured;
      await writeFileAtomically(file, driver).catch(() => {}); // a full disk: it is asked again at the next start
      return driver;
    } catch {
      if (Date.now() > deadlineMs) break; // the watch on the runtime tells what is wrong with it
      await sleep(RETRY_MS);
    }
  }
  const remembered = await readFile(file, "utf8").catch(() => "");
  return remembered === "systemd" || remembered === "cgroupfs" ? remembered : configured;
}
