import { describe, expect, it } from "vitest";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import type { Pod } from "../api/index.ts";
import { CALM, decideEviction, type Observations } from "./decide.ts";
import { createEvictor, type EvictorDeps } from "./evictor.ts";
import { renderEvictionMessage } from "./message.ts";
import { rankPods } from "./rank.ts";
import { limitsStorage, whyOverStorage } from "./storage-limits.ts";
import { amountOf, parseAmount, parseThresholds, type Threshold } from "./thresholds.ts";
import type { StorageUsage } from "./usage.ts";

const MI = 2 ** 20;
const none = { hard: {}, soft: {}, softGraceMs: {}, minimumReclaim: {} };

describe("thresholds", () => {
  it("reads amounts and parts", () => {
    expect(amountOf(parseAmount("100Mi"), 0)).toBe(100 * MI);
    expect(amountOf(parseAmount("15%"), 1000)).toBe(150);
  });
  it("watches over what pods may use of memory, too", () => {
    expect(parseThresholds({ ...none, hard: { "memory.available": "1Mi" } }).map(({ signal }) => signal)).toEqual([
      "memory.available",
      "allocatableMemory.available",
    ]);
  });
  it("takes 0% for none (EVI-11)", () => {
    expect(parseThresholds({ ...none, hard: { "nodefs.available": "0%" } })).toEqual([]);
  });
  it.each([
    [{ hard: { "cpu.available": "1" } }, "unknown eviction signal cpu.available"],
    [{ hard: { "allocatableMemory.available": "1" } }, "unknown eviction signal"],
    [{ hard: { "memory.available": "lots" } }, "quantities must match"],
    [{ hard: { "memory.available": "100%" } }, "must be >= 0% and < 100%"],
    [{ soft: { "memory.available": "1Mi" } }, "grace period must be specified for the soft eviction threshold"],
  ])("refuses %j", (fields, want) => expect(() => parseThresholds({ ...none, ...fields })).toThrow(want));
});

describe("decideEviction", () => {
  const at = (nowMs: number) => ({ nowMs, transitionMs: 300_000 });
  const memory = (available: number): Observations => ({
    "memory.available": { available: available * MI, capacity: 1000 * MI },
  });
  const hard = parseThresholds({
    ...none,
    hard: { "memory.available": "100Mi" },
    minimumReclaim: { "memory.available": "50Mi" },
  });
  const soft = parseThresholds({
    ...none,
    soft: { "memory.available": "20%" },
    softGraceMs: { "memory.available": 30_000 },
  });

  it("does nothing while there is enough", () => {
    expect(decideEviction(hard, memory(100), CALM, at(0))).toMatchObject({ conditions: [], reclaim: undefined });
  });
  it("acts at once on a hard threshold", () => {
    const decision = decideEviction(hard, memory(99), CALM, at(0));
    expect(decision).toMatchObject({
      conditions: ["MemoryPressure"],
      reclaim: { signal: "memory.available", isHard: true },
    });
  });
  it("goes on until the least has been reclaimed", () => {
    const { state } = decideEviction(hard, memory(99), CALM, at(0));
    expect(decideEviction(hard, memory(140), state, at(10_000)).reclaim).toBeDefined();
    expect(decideEviction(hard, memory(150), state, at(10_000)).reclaim).toBeUndefined();
    expect(decideEviction(hard, memory(140), CALM, at(10_000)).reclaim).toBeUndefined();
  });
  it("waits for a soft one's grace period (EVI-04); the condition is told at once", () => {
    const first = decideEviction(soft, memory(199), CALM, at(0));
    expect(first).toMatchObject({ conditions: ["MemoryPressure"], reclaim: undefined });
    const later = decideEviction(soft, memory(199), first.state, at(30_000));
    expect(later.reclaim).toMatchObject({ isHard: false });
    const between = decideEviction(soft, memory(201), first.state, at(20_000));
    expect(decideEviction(soft, memory(199), between.state, at(30_000)).reclaim).toBeUndefined();
  });
  it("keeps a condition for the transition period", () => {
    const { state } = decideEviction(hard, memory(99), CALM, at(0));
    expect(decideEviction(hard, memory(500), state, at(299_999)).conditions).toEqual(["MemoryPressure"]);
    expect(decideEviction(hard, memory(500), state, at(300_000)).conditions).toEqual([]);
  });
  it("puts memory before all else, and takes what is not measured for enough", () => {
    const all = parseThresholds({
      ...none,
      hard: {
        "nodefs.available": "10%",
        "pid.available": "10",
        "imagefs.inodesFree": "5%",
        "memory.available": "100Mi",
      },
    });
    const few = { available: 1, capacity: 1000 };
    const decision = decideEviction(all, { ...memory(1), "nodefs.available": few, "pid.available": few }, CALM, at(0));
    expect(decision.reclaim?.signal).toBe("memory.available");
    expect([...decision.conditions].sort()).toEqual(["DiskPressure", "MemoryPressure", "PIDPressure"]);
  });
});

const pod = (name: string, memory = "0", spec: object = {}) =>
  aPod({ containers: [aContainer("app", { resources: { requests: { memory } } })], ...spec }, { name, uid: name });
const using = (amounts: Record<string, number>) => (each: Pod) => {
  const mebibytes = amounts[each.metadata.name];
  if (mebibytes === undefined) return undefined;
  const bytes = mebibytes * MI;
  return { memoryBytes: bytes, processes: mebibytes, diskBytes: bytes, containers: { app: bytes } };
};

describe("rankPods (EVI-06, EVI-07)", () => {
  const names = (pods: Pod[], resource: string, amounts: Record<string, number>) =>
    rankPods(pods, resource, using(amounts)).map(({ metadata }) => metadata.name);

  it("takes those over their requests first, whatever their class", () => {
    const pods = [pod("under", "100Mi"), pod("over", "10Mi"), pod("best-effort")];
    expect(names(pods, "memory", { under: 90, over: 11, "best-effort": 5 })).toEqual(["best-effort", "over", "under"]);
  });
  it("then the lower priority, then the larger excess", () => {
    const pods = [pod("important", "0", { priority: 10 }), pod("small"), pod("large")];
    expect(names(pods, "memory", { important: 900, small: 1, large: 2 })).toEqual(["large", "small", "important"]);
  });
  it("spares critical and static pods", () => {
    const fixed = pod("static");
    fixed.metadata.annotations = { "kubernetes.io/config.source": "file" };
    const pods = [pod("critical", "0", { priority: 2_000_000_000 }), fixed, pod("other")];
    expect(names(pods, "memory", { critical: 1, static: 1, other: 1 })).toEqual(["other"]);
  });
  it("takes those first of which nothing is known", () => {
    expect(names([pod("known"), pod("unknown")], "memory", { known: 5 })).toEqual(["unknown", "known"]);
  });
  it("counts processes by priority alone, then by number", () => {
    const pods = [pod("few"), pod("many"), pod("important", "0", { priority: 1 })];
    expect(names(pods, "pids", { few: 1, many: 9, important: 99 })).toEqual(["many", "few", "important"]);
  });
});

describe("messages", () => {
  const [absolute] = parseThresholds({ ...none, hard: { "memory.available": "100Mi" } }) as [Threshold];
  const [part] = parseThresholds({ ...none, hard: { "nodefs.available": "10%" } }) as [Threshold];
  const observed = { available: 64 * MI, capacity: 1000 * MI };
  it("name what was short, and who used more than asked for", () => {
    expect(renderEvictionMessage(pod("a", "10Mi"), absolute, observed, using({ a: 12 })(pod("a")))).toBe(
      "The node was low on resource: memory. Threshold quantity: 100Mi, available: 64Mi. Container app was using 12Mi, request is 10Mi, has larger consumption of memory. ",
    );
  });
  it("print a part as what it comes to", () => {
    expect(renderEvictionMessage(pod("a"), part, observed, undefined)).toBe(
      "The node was low on resource: ephemeral-storage. Threshold quantity: 100Mi, available: 64Mi. ",
    );
  });
});

describe("storage limits (EVI-13, EVI-14)", () => {
  const limited = (limits: object, spec: object = {}) =>
    aPod({ containers: [aContainer("app", { resources: { limits: limits as Record<string, string> } })], ...spec });
  const cache = { volumes: [{ name: "cache", emptyDir: { sizeLimit: "1Mi" } }] };
  it.each<{ name: string; pod: Pod; usage: StorageUsage; want: string | undefined }>([
    {
      name: "a container",
      pod: limited(
        { "ephemeral-storage": "1Gi" },
        { initContainers: [aContainer("init", { resources: { limits: { "ephemeral-storage": "9Gi" } } })] },
      ),
      usage: { containers: { app: 1025 * MI }, emptyDirs: {} },
      want: 'Container app exceeded its local ephemeral storage limit "1Gi". ',
    },
    {
      name: "all together",
      pod: limited({ "ephemeral-storage": "1Gi" }),
      usage: { containers: { app: 1000 * MI }, emptyDirs: { cache: 100 * MI } },
      want: "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ",
    },
    {
      name: "a volume",
      pod: limited({}, cache),
      usage: { containers: {}, emptyDirs: { cache: 2 * MI } },
      want: 'Usage of EmptyDir volume "cache" exceeds the limit "1Mi". ',
    },
    {
      name: "nobody",
      pod: limited({}, cache),
      usage: { containers: { app: 9 * MI }, emptyDirs: { cache: MI } },
      want: undefined,
    },
  ])("$name", ({ pod, usage, want }) => {
    expect(limitsStorage(pod)).toBe(true);
    expect(whyOverStorage(pod, usage)).toBe(want);
  });
  it("are not looked for where there are none", () => expect(limitsStorage(aPod())).toBe(false));
});

describe("createEvictor", () => {
  const start = (fields: Partial<EvictorDeps>) => {
    const seen: string[] = [];
    const stop = new AbortController();
    const evictor = createEvictor({
      thresholds: parseThresholds({ ...none, hard: { "memory.available": "100Mi", "nodefs.available": "10%" } }),
      transitionMs: 300_000,
      maxPodGraceSeconds: 5,
      clock: { nowMs: () => 0, sleep: async () => stop.abort() },
      signal: stop.signal,
      observe: () => Promise.resolve({}),
      pods: () => [pod("small"), pod("large")],
      usage: (pods) =>
        Promise.resolve(new Map(pods.map((each) => [each.metadata.uid, using({ small: 1, large: 2 })(each)!]))),
      overStorage: () => Promise.resolve(new Map()),
      freeDisk: async () => void seen.push("free disk"),
      evict: async ({ metadata }, { graceSeconds, isDisruption }) =>
        void seen.push(`evict ${metadata.name} in ${graceSeconds} s${isDisruption ? "" : ", its own fault"}`),
      note: (_, reason, message) => void seen.push(`${reason}: ${message}`),
      onFailure: (error) => void seen.push(error),
      ...fields,
    });
    return evictor.run().then(() => ({ seen, evictor }));
  };
  const short = (signal: string) => ({ [signal]: { available: 1, capacity: 1000 } }) as Observations;

  it("ends one pod, with a second of grace (EVI-09), and tells the node (EVI-16)", async () => {
    const { seen, evictor } = await start({ observe: () => Promise.resolve(short("memory.available")) });
    expect(seen).toEqual(["EvictionThresholdMet: Attempting to reclaim memory", "evict large in 1 s"]);
    expect(evictor.conditions()).toEqual(["MemoryPressure"]);
    expect(evictor.whyRefused(pod("best-effort"))).toBe("The node had condition: [MemoryPressure]. ");
    expect(evictor.whyRefused(pod("burstable", "1Mi"))).toBeUndefined();
    expect(evictor.whyRefused(pod("critical", "0", { priority: 2_000_000_000 }))).toBeUndefined();
    const tolerations = [{ key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" }];
    expect(evictor.whyRefused(pod("tolerant", "0", { tolerations }))).toBeUndefined();
  });

  it("frees disk first, and spares pods when that is enough (EVI-05)", async () => {
    let looks = 0;
    const observe = () => Promise.resolve(looks++ === 0 ? short("nodefs.available") : {});
    const { seen, evictor } = await start({ observe });
    expect(seen).toEqual(["EvictionThresholdMet: Attempting to reclaim ephemeral-storage", "free disk"]);
    expect(evictor.whyRefused(pod("burstable", "1Mi"))).toBe("The node had condition: [DiskPressure]. ");
  });

  it("ends pods that have written too much", async () => {
    const { seen } = await start({ overStorage: (pods) => Promise.resolve(new Map([[pods[0]!, "too much"]])) });
    expect(seen).toEqual(["evict small in 1 s, its own fault"]);
  });

  it("goes on when a look fails", async () => {
    const { seen } = await start({ observe: () => Promise.reject(new Error("no runtime")) });
    expect(seen).toEqual(["no runtime"]);
  });
});
