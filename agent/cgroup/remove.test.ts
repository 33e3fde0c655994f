import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { cgroupProcesses, removeCgroup } from "./remove.ts";

// A directory tree stands in for cgroupfs: version 1's hierarchies beside the unified tree.
let mount = "";
beforeEach(() => {
  mount = mkdtempSync(join(tmpdir(), "cgroup-"));
  for (const [path, pids] of Object.entries({
    "cpu/h/burstable/podx": "11\n12\n",
    "memory/h/podx": "11\n",
    "h/podx": "13\n",
  })) {
    mkdirSync(join(mount, path), { recursive: true });
    writeFileSync(join(mount, path, "cgroup.procs"), pids);
  }
});
afterEach(() => rmSync(mount, { recursive: true }));

it("lists the processes of a cgroup and those below, in every hierarchy", async () => {
  expect((await cgroupProcesses("/h", mount)).sort()).toEqual([11, 12, 13]);
  expect(await cgroupProcesses("/none", mount)).toEqual([]);
});

it("removes a cgroup and those below", async () => {
  // Files of a real cgroupfs do not stand in the way of rmdir.
  for (const path of ["cpu/h/burstable/podx", "memory/h/podx", "h/podx"]) rmSync(join(mount, path, "cgroup.procs"));
  await removeCgroup("/h", mount);
  for (const path of ["cpu/h", "memory/h", "h"]) expect(existsSync(join(mount, path))).toBe(false);
  expect(existsSync(join(mount, "cpu"))).toBe(true);
});

it.each(["", "/", "//"])("does not touch the root (%j)", async (path) => {
  await expect(removeCgroup(path, mount)).rejects.toThrow("none of ours");
});
