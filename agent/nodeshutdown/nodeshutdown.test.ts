import { describe, expect, it } from "vitest";
import { FakeClock } from "../../test/builders/fake-clock.ts";
import { aPod } from "../../test/builders/kubelet.ts";
import type { Pod } from "../api/index.ts";
import type { Logind } from "./logind.ts";
import { groupByPriority, shutdownPeriods } from "./plan.ts";
import { followShutdown } from "./shutdown.ts";

const podOf = (name: string, priority?: number, terminationGracePeriodSeconds?: number): Pod =>
  aPod(
    {
      ...(priority !== undefined && { priority }),
      ...(terminationGracePeriodSeconds !== undefined && { terminationGracePeriodSeconds }),
    },
    { name, uid: name },
  );

describe("shutdownPeriods", () => {
  it.each([
    { name: "none", totalMs: 0, criticalMs: 0, want: [] },
    { name: "no time at all for critical pods", totalMs: 30_000, criticalMs: 0, want: ["0: 30", "2000000000: 0"] },
    { name: "both", totalMs: 30_000, criticalMs: 10_500, want: ["0: 19", "2000000000: 10"] },
    { name: "all of it for critical pods", totalMs: 10_000, criticalMs: 10_000, want: ["0: 0", "2000000000: 10"] },
    { name: "more than all", totalMs: 5_000, criticalMs: 10_000, want: [] },
  ])("$name", ({ totalMs, criticalMs, want }) => {
    const periods = shutdownPeriods({ totalMs, criticalMs, byPriority: [] });
    expect(periods.map(({ priority, graceSeconds }) => `${priority}: ${graceSeconds}`)).toEqual(want);
  });
});

describe("groupByPriority", () => {
  const periods = [
    { priority: 0, graceSeconds: 60 },
    { priority: 1000, graceSeconds: 30 },
    { priority: 2_000_000_000, graceSeconds: 10 },
  ];
  const groupOf = (pod: Pod) => groupByPriority(periods, [pod])[0]!.waitSeconds;
  it.each([
    { name: "none", priority: undefined, want: 60 },
    { name: "below the lowest", priority: -10, want: 60 },
    { name: "the lowest", priority: 0, want: 60 },
    { name: "just below the next", priority: 999, want: 60 },
    { name: "the next", priority: 1000, want: 30 },
    { name: "between", priority: 1_999_999_999, want: 30 },
    { name: "above the highest", priority: 2_000_001_000, want: 10 },
  ])("priority: $name", ({ priority, want }) => expect(groupOf(podOf("p", priority))).toBe(want));

  it("leaves a pod its own grace period if that is shorter; groups without pods are passed over", () => {
    const groups = groupByPriority(periods, [
      podOf("slow", 0, 600),
      podOf("quick", 5, 3),
      podOf("node", 2_000_001_000, 20),
    ]);
    expect(
      groups.map(({ waitSeconds, pods }) => [
        waitSeconds,
        ...pods.map((each) => `${each.pod.metadata.name} ${each.graceSeconds}`),
      ]),
    ).toEqual([
      [60, "slow 60", "quick 3"],
      [10, "node 10"],
    ]);
  });

  it("is no plan without periods", () => expect(groupByPriority([], [podOf("p")])).toEqual([]));
});

/** A logind that is told when to shut down. */
function aLogind({ delayMs = 5_000, takesOver = true }: { delayMs?: number; takesOver?: boolean } = {}) {
  const told: string[] = [];
  const events: boolean[] = [];
  let wake = () => {};
  let [maxDelayMs, broken, locks] = [delayMs, false, 0];
  const logind: Logind = {
    maxDelayMs: async () => maxDelayMs,
    async overrideMaxDelay(seconds) {
      told.push(`delay ${seconds}`);
      if (takesOver) maxDelayMs = seconds * 1000;
    },
    async inhibit() {
      const id = ++locks;
      told.push(`lock ${id}`);
      return { release: async () => void told.push(`release ${id}`) };
    },
    async *shutdowns(signal) {
      broken = false;
      signal.addEventListener("abort", () => wake());
      while (!signal.aborted && !broken) {
        while (events.length > 0) yield events.shift()!;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
  return {
    logind,
    told,
    prepare(isShuttingDown: boolean) {
      events.push(isShuttingDown);
      wake();
    },
    disconnect() {
      broken = true;
      wake();
    },
  };
}

function follow(logind: Logind, told: string[], pods: Pod[], endsAfterSeconds: Record<string, number> = {}) {
  const clock = new FakeClock();
  const stopping = new AbortController();
  const finished = followShutdown({
    logind,
    periods: [
      { priority: 0, graceSeconds: 20 },
      { priority: 2_000_000_000, graceSeconds: 10 },
    ],
    sink: {
      activePods: () => pods,
      async end(pod, graceSeconds) {
        const { name } = pod.metadata;
        told.push(`end ${name} in ${graceSeconds}`);
        await clock.sleep(1000 * (endsAfterSeconds[name] ?? 1));
        told.push(`${name} ended`);
      },
      onShutdown: (begins) => told.push(begins ? "begins" : "called off"),
    },
    clock,
    log: (level, message) => level === "warn" && told.push(message),
    signal: stopping.signal,
  });
  return {
    clock,
    async stop() {
      stopping.abort();
      await finished;
    },
  };
}

const PODS = [podOf("critical", 2_000_000_000, 30), podOf("web", 0, 5)];

describe("followShutdown", () => {
  it("holds the shutdown up until pods have ended, critical ones last", async () => {
    const { logind, told, prepare } = aLogind();
    const { clock, stop } = follow(logind, told, PODS);
    await clock.advance(200);
    expect(told).toEqual(["delay 30", "lock 1"]);
    prepare(true);
    await clock.advance(500);
    expect(told.slice(2)).toEqual(["begins", "end web in 5"]);
    await clock.advance(10_000);
    expect(told.slice(4)).toEqual(["web ended", "end critical in 10", "critical ended", "release 1"]);
    await stop();
  });

  it("goes on when a group has had its time", async () => {
    const { logind, told, prepare } = aLogind({ delayMs: 60_000 });
    const { clock, stop } = follow(logind, told, PODS, { web: 1000, critical: 1000 });
    await clock.advance(0);
    prepare(true);
    await clock.advance(19_999);
    expect(told.at(-1)).toBe("end web in 5");
    await clock.advance(1);
    expect(told.at(-1)).toBe("end critical in 10");
    await clock.advance(10_000);
    expect(told.at(-1)).toBe("release 1");
    await stop();
  });

  it("takes a new lock when the shutdown is called off", async () => {
    const { logind, told, prepare } = aLogind({ delayMs: 60_000 });
    const { clock, stop } = follow(logind, told, []);
    await clock.advance(0);
    prepare(true);
    await clock.advance(10);
    prepare(false);
    await clock.advance(10);
    expect(told).toEqual(["lock 1", "begins", "release 1", "called off", "lock 2"]);
    await stop();
    expect(told.at(-1)).toBe("release 2");
  });

  it("listens anew a second after the connection broke", async () => {
    const { logind, told, disconnect } = aLogind({ delayMs: 60_000 });
    const { clock, stop } = follow(logind, told, []);
    await clock.advance(60_000);
    disconnect();
    await clock.advance(999);
    expect(told).toEqual(["lock 1", "release 1"]);
    await clock.advance(2);
    expect(told).toEqual(["lock 1", "release 1", "lock 2"]);
    await stop();
  });

  it("tries ever more seldom, and says so once, when nobody may listen", async () => {
    const { logind, told } = aLogind({ delayMs: 60_000 });
    const deaf: Logind = { ...logind, async *shutdowns() {} };
    const { clock, stop } = follow(deaf, told, []);
    await clock.advance(600_000);
    expect(told.filter((text) => text === "a shutdown of the machine will not wait for pods")).toHaveLength(1);
    const tries = told.filter((text) => text.startsWith("lock")).length;
    expect(tries).toBeGreaterThan(5);
    expect(tries).toBeLessThan(20);
    await stop();
  });

  it("says once that nothing waits, and tries again ever more seldom", async () => {
    const { logind, told } = aLogind({ takesOver: false });
    const { clock, stop } = follow(logind, told, []);
    await clock.advance(600_000);
    expect(told.filter((text) => text === "a shutdown of the machine will not wait for pods")).toHaveLength(1);
    const tries = told.filter((text) => text.startsWith("delay")).length;
    expect(tries).toBeGreaterThan(5);
    expect(tries).toBeLessThan(20);
    expect(told.some((text) => text.startsWith("lock"))).toBe(false);
    await stop();
  });
});
