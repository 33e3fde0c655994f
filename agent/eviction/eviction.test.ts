import { describe, expect, it } from "vitest";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import type { Pod } from "../api/index.ts";
import { createEvictionManager, type Eviction, type EvictionPolicy } from "./eviction.ts";
import { parseThresholds } from "./thresholds.ts";
import type { PodUsage } from "./usage.ts";

const thresholds = parseThresholds({
  evictionHard: { "memory.available": "100", "nodefs.available": "10%", "imagefs.available": "10%" },
  evictionSoft: { "memory.available": "200" },
  evictionMinimumReclaim: {},
  softGraceMs: { "memory.available": 30_000 },
  enforcesPods: false,
});
const usage = (memoryBytes: number, fields: Partial<PodUsage> = {}): PodUsage => ({
  memoryBytes,
  processes: 0,
  containers: [],
  volumes: new Map(),
  ephemeralBytes: 0,
  ephemeralInodes: 0,
  ...fields,
});

/** A node of 1000 bytes of memory and of disk, with two pods; `b` uses more. */
function setUp(fields: { policy?: Partial<EvictionPolicy>; pods?: Pod[]; hasImageDisk?: boolean } = {}) {
  const world = {
    nowMs: 0,
    memory: 500,
    disk: 500,
    /** What the node frees by itself. */
    reclaims: 0,
    pods: fields.pods ?? [aPod({}, { uid: "a", name: "a" }), aPod({}, { uid: "b", name: "b" })],
    usages: new Map([
      ["a", usage(10)],
      ["b", usage(20)],
    ]),
    evicted: [] as ({ pod: string } & Pick<Eviction, "graceSeconds" | "isDisruption" | "message">)[],
    notes: [] as string[],
    reclaimed: 0,
    cleanUps: 0,
    /** Aborted when somebody waits for the node's next turn. */
    stopping: new AbortController(),
  };
  const clock = {
    nowMs: () => world.nowMs,
    async sleep(ms: number, signal?: AbortSignal) {
      if (!signal?.aborted) world.nowMs += ms;
      if (world.pods.length === 0) world.stopping.abort();
    },
  };
  const manager = createEvictionManager({
    policy: { thresholds, transitionMs: 300_000, maxGraceSeconds: 60, limitsStorage: true, ...fields.policy },
    clock,
    log: () => {},
    observe: async () => ({
      "memory.available": { available: world.memory, capacity: 1000 },
      "nodefs.available": { available: world.disk, capacity: 1000 },
      "imagefs.available": { available: fields.hasImageDisk ? 1000 : world.disk, capacity: 1000 },
    }),
    hasImageDisk: async () => fields.hasImageDisk ?? false,
    activePods: () => world.pods,
    measure: async () => world.usages,
    reclaim: [
      async () => {
        throw new Error("busy");
      },
      async () => {
        world.reclaimed += 1;
        world.disk += world.reclaims;
      },
    ],
    async evict({ metadata }, { graceSeconds, isDisruption, message }) {
      world.evicted.push({ pod: metadata.uid, graceSeconds, isDisruption, message });
      world.pods = world.pods.filter((pod) => pod.metadata.uid !== metadata.uid);
    },
    isCleanedUp: async () => ++world.cleanUps > 2,
    onThreshold: (message) => world.notes.push(message),
  });
  return { world, manager };
}

describe("synchronize", () => {
  it("leaves a node alone that has enough", async () => {
    const { world, manager } = setUp();
    expect(await manager.synchronize()).toEqual([]);
    expect([[...manager.pressures()], world.notes]).toEqual([[], []]);
  });

  it("evicts one pod at a time for a hard threshold, with a second to end (EVI-01, EVI-08, EVI-09, EVI-16)", async () => {
    const { world, manager } = setUp();
    world.memory = 99;
    const evicted = await manager.synchronize();
    expect(evicted.map(({ metadata }) => metadata.uid)).toEqual(["b"]);
    expect(world.evicted).toEqual([
      {
        pod: "b",
        graceSeconds: 1,
        isDisruption: true,
        message: "The node was low on resource: memory. Threshold quantity: 100, available: 99. ",
      },
    ]);
    expect([[...manager.pressures()], world.notes]).toEqual([["MemoryPressure"], ["Attempting to reclaim memory"]]);
  });

  it.each([
    { name: "the pod's own grace period", own: 30, most: 60, want: 30 },
    { name: "no more than the node gives", own: 30, most: 5, want: 5 },
  ])("gives $name for a soft threshold, once it has held on (EVI-04)", async ({ own, most, want }) => {
    const pods = [aPod({ terminationGracePeriodSeconds: own }, { uid: "a" })];
    const { world, manager } = setUp({ pods, policy: { maxGraceSeconds: most } });
    world.memory = 150;
    expect(await manager.synchronize()).toEqual([]);
    expect([...manager.pressures()]).toEqual(["MemoryPressure"]);
    world.nowMs = 30_000;
    await manager.synchronize();
    expect(world.evicted.map(({ graceSeconds }) => graceSeconds)).toEqual([want]);
  });

  it("frees what nobody needs before it takes to pods, for a disk (EVI-05)", async () => {
    const { world, manager } = setUp();
    world.disk = 50;
    world.reclaims = 60;
    expect(await manager.synchronize()).toEqual([]);
    expect([world.reclaimed, [...manager.pressures()], world.notes]).toEqual([
      1,
      ["DiskPressure"],
      ["Attempting to reclaim ephemeral-storage"],
    ]);
  });

  it("evicts when that was not enough (EVI-05)", async () => {
    const { world, manager } = setUp();
    world.disk = 50;
    world.reclaims = 20;
    expect(await manager.synchronize()).toHaveLength(1);
    expect(world.reclaimed).toBe(1);
  });

  it("does not throw images away for a disk that they are not on", async () => {
    const { world, manager } = setUp({ hasImageDisk: true });
    world.disk = 50;
    expect(await manager.synchronize()).toHaveLength(1);
    expect(world.reclaimed).toBe(0);
  });

  it("spares critical pods, though they be first (EVI-07)", async () => {
    const pods = [aPod({ priority: 2_000_000_000 }, { uid: "b" }), aPod({ priority: 5 }, { uid: "a" })];
    const { world, manager } = setUp({ pods });
    world.memory = 1;
    await manager.synchronize();
    await manager.synchronize();
    expect(world.evicted.map(({ pod }) => pod)).toEqual(["a"]);
  });

  const hoarder = aPod({ volumes: [{ name: "data", emptyDir: { sizeLimit: "10" } }] }, { uid: "b" });
  const full = usage(0, { volumes: new Map([["data", { bytes: 11, inodes: 1 }]]) });

  it("ends a pod that takes more of the disk than it may, on a node that has enough (EVI-13)", async () => {
    const { world, manager } = setUp({ pods: [hoarder] });
    world.usages.set("b", full);
    await manager.synchronize();
    expect(world.evicted).toEqual([
      {
        pod: "b",
        graceSeconds: 1,
        isDisruption: false,
        message: 'Usage of EmptyDir volume "data" exceeds the limit "10". ',
      },
    ]);
    expect([...manager.pressures()]).toEqual([]);
  });

  it("takes to others only after these", async () => {
    const { world, manager } = setUp({ pods: [hoarder, aPod({ containers: [aContainer("x")] }, { uid: "a" })] });
    world.usages.set("b", full);
    world.memory = 1;
    await manager.synchronize();
    expect(world.evicted.map(({ pod }) => pod)).toEqual(["b"]);
  });

  it("lets them be where the administrator says so", async () => {
    const { world, manager } = setUp({ pods: [hoarder], policy: { limitsStorage: false } });
    world.usages.set("b", full);
    expect(await manager.synchronize()).toEqual([]);
  });

  it("waits for an evicted pod's volumes to go before it looks again", async () => {
    const { world, manager } = setUp();
    world.memory = 1;
    await manager.run(world.stopping.signal);
    expect(world.evicted.map(({ pod }) => pod)).toEqual(["b", "a"]);
    expect(world.cleanUps).toBeGreaterThan(2);
  });
});
