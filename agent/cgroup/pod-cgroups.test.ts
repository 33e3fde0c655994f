import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { aContainer, aPod, cgroupSettings } from "../../test/builders/kubelet.ts";
import type { Pod } from "../api/index.ts";
import { createPodCgroups, type PodCgroups } from "./pod-cgroups.ts";
import type { CgroupSettings } from "./settings.ts";

// A directory tree stands in for cgroupfs. The kernel's files are not there by themselves: they are put where a test looks.
let mount = "";
let pods: Pod[] = [];
let cgroups: PodCgroups;
const create = (settings: CgroupSettings, at: string) =>
  createPodCgroups({
    settings,
    activePods: () => pods,
    hasExclusiveCpus: (uid) => uid === "pinned",
    mount: at,
  });
beforeEach(() => {
  mount = mkdtempSync(join(tmpdir(), "cgroup-"));
  pods = [];
  cgroups = create(cgroupSettings(), mount);
  for (const path of ["", "kubepods", "kubepods/burstable", "kubepods/besteffort", "kubepods/burstable/podu1"]) {
    put(path, "cgroup.controllers", "cpuset cpu io memory hugetlb pids rdma misc");
    put(path, "cgroup.subtree_control", "cpu io");
  }
});
afterEach(() => rmSync(mount, { recursive: true }));

function put(path: string, file: string, text: string): void {
  mkdirSync(join(mount, path), { recursive: true });
  writeFileSync(join(mount, path, file), text);
}
const get = (path: string) => readFileSync(join(mount, path), "utf8");

const burstable = aPod({ containers: [aContainer("a", { resources: { requests: { cpu: "1" } } })] });

it("sets the classes' values, and again when pods come", async () => {
  put("kubepods", "memory.max", "?");
  put("kubepods/burstable", "cpu.weight", "?");
  put("kubepods/besteffort", "cpu.weight", "?");
  await cgroups.update();
  expect(get("kubepods/memory.max")).toBe(String(8 * 2 ** 30));
  expect(get("kubepods/burstable/cpu.weight")).toBe("1");
  expect(get("kubepods/besteffort/cpu.weight")).toBe("1");
  pods.push(burstable);
  await cgroups.ensure(burstable);
  expect(get("kubepods/burstable/cpu.weight")).toBe("39");
});

/** No longer than what is set: a file of the kernel is written over, and has no end to cut off. */
const SOMEBODY_ELSES = "9";

it("sets nothing twice, unless it is to be set right again", async () => {
  put("kubepods/burstable", "cpu.weight", "?");
  await cgroups.update();
  put("kubepods/burstable", "cpu.weight", SOMEBODY_ELSES);
  await cgroups.update();
  expect(get("kubepods/burstable/cpu.weight")).toBe(SOMEBODY_ELSES);
  await cgroups.update({ restores: true });
  expect(get("kubepods/burstable/cpu.weight")).toBe("1");
  put("kubepods/burstable", "cpu.weight", SOMEBODY_ELSES);
  await cgroups.update();
  expect(get("kubepods/burstable/cpu.weight")).toBe(SOMEBODY_ELSES);
});

it("turns on what limits need, down to where containers are", async () => {
  rmSync(join(mount, "kubepods/burstable/podu1"), { recursive: true });
  await expect(cgroups.ensure(burstable)).rejects.toThrow("cgroup.subtree_control"); // the kernel would make the file
  expect(get("kubepods/burstable/cgroup.subtree_control")).toContain("+pids");
  expect(get("kubepods/burstable/cgroup.subtree_control")).not.toContain("+cpu ");
  expect(existsSync(join(mount, "kubepods/burstable/podu1"))).toBe(true);
});

it("leaves a pod's cgroup that is there as it is, and sets it anew when told", async () => {
  put("kubepods/burstable/podu1", "cpu.weight", "7");
  await cgroups.ensure(burstable);
  expect(get("kubepods/burstable/podu1/cpu.weight")).toBe("7");
  await cgroups.resize(burstable);
  expect(get("kubepods/burstable/podu1/cpu.weight")).toBe("39");
});

it("sets no quota for a pod with CPUs of its own", async () => {
  const all = { cpu: "1", memory: "1Mi" };
  const containers = [aContainer("a", { resources: { requests: all, limits: all } })];
  for (const uid of ["u5", "pinned"]) {
    put(`kubepods/pod${uid}`, "cpu.max", "?");
    await cgroups.resize(aPod({ containers }, { uid }));
  }
  expect(get("kubepods/podu5/cpu.max")).toBe("100000 100000");
  expect(get("kubepods/podpinned/cpu.max")).toBe("max 100000");
});

it("takes a pod's cgroup away, wherever it is", async () => {
  for (const path of ["kubepods/podu2/c1", "kubepods/besteffort/podu2"])
    mkdirSync(join(mount, path), { recursive: true });
  await cgroups.remove("u2");
  expect(existsSync(join(mount, "kubepods/podu2"))).toBe(false);
  expect(existsSync(join(mount, "kubepods/besteffort/podu2"))).toBe(false);
  expect(existsSync(join(mount, "kubepods/burstable/podu1"))).toBe(true);
});

it("holds the system's daemons to their reserve, in a cgroup that is not ours to make", async () => {
  const reserve = {
    of: "system",
    onlyCpu: false,
    cgroup: "/system",
    name: ["system"],
    limits: { memoryMax: 300 },
  } as const;
  await expect(cgroups.enforceReserve(reserve)).rejects.toThrow("there is no cgroup /system");
  put("system", "memory.max", "?");
  expect(await cgroups.enforceReserve(reserve)).toBe(true);
  expect(get("system/memory.max")).toBe("300");
  expect(await cgroups.enforceReserve(reserve)).toBe(false);
});

it("makes nothing with version 1", async () => {
  const bare = mkdtempSync(join(tmpdir(), "cgroup-"));
  const onVersion1 = create(cgroupSettings({ version: 1 }), bare);
  await onVersion1.update();
  await onVersion1.ensure(burstable);
  expect(existsSync(join(bare, "kubepods"))).toBe(false);
  rmSync(bare, { recursive: true });
});
