import { linkSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aPod, cgroupSettings } from "../../test/builders/kubelet.ts";
import type { ContainerStats } from "../cri/index.ts";
import { measureDirectory } from "./disk-usage.ts";
import { createMeasurement } from "./measure.ts";
import { countTasks, observeDisk, observeMemory } from "./observe.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "usage-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const write = (path: string, bytes: number) => {
  const full = join(dir, path);
  mkdirSync(join(full, ".."), { recursive: true });
  writeFileSync(full, Buffer.alloc(bytes, 1));
};
const blocks = (path: string) => statSync(join(dir, path)).blocks * 512;

describe("measureDirectory", () => {
  it("counts blocks and inodes, hard links once", async () => {
    write("a/x", 10_000);
    write("a/b/y", 1);
    linkSync(join(dir, "a/x"), join(dir, "a/b/z"));
    symlinkSync("/", join(dir, "a/root"));
    const { bytes, inodes } = await measureDirectory(join(dir, "a"));
    expect(inodes).toBe(5);
    expect(bytes).toBe(["a", "a/x", "a/b", "a/b/y"].reduce((sum, path) => sum + blocks(path), 0));
  });

  it("is nothing where nothing is", async () => {
    expect(await measureDirectory(join(dir, "none"))).toEqual({ bytes: 0, inodes: 0 });
  });
});

describe("a pod's usage", () => {
  const pod = aPod({
    volumes: [
      { name: "disk", emptyDir: {} },
      { name: "ram", emptyDir: { medium: "Memory" } },
      { name: "conf", configMap: { name: "c" } },
      { name: "host", hostPath: { path: "/" } },
    ],
  });
  const statsOf = (name: string, memory: number, layer: number) =>
    ({
      attributes: { labels: { "io.kubernetes.pod.uid": "u1", "io.kubernetes.container.name": name } },
      memory: { workingSetBytes: { value: memory } },
      writableLayer: { usedBytes: { value: layer }, inodesUsed: { value: 3 } },
    }) as unknown as ContainerStats;

  let nowMs = 0;
  const measurement = (stats: ContainerStats[]) =>
    createMeasurement({
      cri: { listContainerStats: async () => stats },
      cgroups: cgroupSettings({ version: 1 }),
      podDirectory: (uid) => join(dir, "pods", uid),
      logDirectory: () => join(dir, "logs"),
      nowMs: () => nowMs,
      volumesMs: 60_000,
    });

  it("is layers, logs and the volumes on the node's disk (EVI-12)", async () => {
    write("pods/u1/volumes/kubernetes.io~empty-dir/disk/f", 100_000);
    write("pods/u1/volumes/kubernetes.io~empty-dir/ram/f", 100_000);
    write("pods/u1/volumes/kubernetes.io~configmap/conf/f", 10);
    write("logs/main/0.log", 5000);
    const usages = await measurement([statsOf("main", 1000, 70_000), statsOf("side", 500, 1)])([pod]);
    const usage = usages.get("u1")!;
    const logs = blocks("logs/main") + blocks("logs/main/0.log");
    const empty = "pods/u1/volumes/kubernetes.io~empty-dir";
    const onDisk = blocks(`${empty}/disk`) + blocks(`${empty}/disk/f`);
    const conf = "pods/u1/volumes/kubernetes.io~configmap/conf";
    expect(usage).toMatchObject({
      memoryBytes: 1500,
      containers: [
        { name: "main", memoryBytes: 1000, rootfs: { bytes: 70_000, inodes: 3 }, logs: { bytes: logs } },
        { name: "side", logs: { bytes: 0 } },
      ],
      ephemeralBytes: 70_001 + logs + onDisk + blocks(conf) + blocks(`${conf}/f`),
    });
    expect([...usage.volumes.keys()]).toEqual(["disk", "ram", "conf"]);
  });

  it("walks through volumes once in a while only", async () => {
    const measure = measurement([statsOf("main", 0, 0)]);
    const bytesOf = async () => (await measure([pod])).get("u1")!.volumes.get("disk")!.bytes;
    expect(await bytesOf()).toBe(0);
    write("pods/u1/volumes/kubernetes.io~empty-dir/disk/f", 100_000);
    nowMs = 59_999;
    expect(await bytesOf()).toBe(0);
    nowMs = 60_000;
    expect(await bytesOf()).toBeGreaterThanOrEqual(100_000);
  });

  it("is unknown of one that the runtime does not have", async () => {
    expect([...(await measurement([])([pod]))]).toEqual([]);
  });
});

describe("what is left of the node", () => {
  it("memory: what is free, and file pages that nobody has touched for long (EVI-02)", () => {
    const meminfo = "MemTotal: 1000 kB\nMemFree: 100 kB\nInactive(file): 50 kB\nAnonPages: 5 kB\n";
    expect(observeMemory(meminfo)).toEqual({ capacity: 1_024_000, available: 150 * 1024 });
  });

  it("processes: every task counts", () => expect(countTasks("0.20 0.18 0.12 3/812 11206\n")).toBe(812));

  it("disks", async () => {
    const { bytes, inodes } = await observeDisk(dir);
    expect(bytes.capacity).toBeGreaterThan(bytes.available);
    expect(inodes.capacity).toBeGreaterThanOrEqual(inodes.available);
  });
});
