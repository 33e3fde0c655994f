import { describe, expect, it } from "vitest";
import { FakeClock } from "../../test/builders/fake-clock.ts";
import { aContainer, anInstance, aPod } from "../../test/builders/kubelet.ts";
import type { Pod } from "../api/index.ts";
import { killContainer, killContainers } from "./kill-containers.ts";

/** A runtime whose containers end some seconds after their signal. */
function setUp(endsAfterSeconds: Record<string, number> = {}) {
  const clock = new FakeClock();
  const startMs = clock.nowMs();
  const log: string[] = [];
  const at = (text: string) => log.push(`${(clock.nowMs() - startMs) / 1000} ${text}`);
  const deps = {
    clock,
    log: () => {},
    events: {
      forPod: () => () => {},
      forContainer: () => (_type: string, reason: string) => void (reason !== "Killing" && at(reason)),
    },
    cri: {
      stopContainer: async (id: string, timeoutSeconds: number) => {
        at(`stop ${id} ${timeoutSeconds}`);
        await clock.sleep(Math.min(timeoutSeconds, endsAfterSeconds[id] ?? 0) * 1000);
        at(`end ${id}`);
      },
      execSync: async (_id: string, [command]: string[]) => {
        at(`exec ${command}`);
        await clock.sleep(Number(endsAfterSeconds[command!] ?? 0) * 1000);
        return { exitCode: command === "false" ? 1 : 0, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
      },
    },
  } as unknown as Parameters<typeof killContainers>[0];
  return { deps, clock, log };
}

const pod = (preStop: object): Pod => aPod({ containers: [aContainer("main", { lifecycle: { preStop } })] });

describe("killContainer", () => {
  it("does not wait for the hook any more when the grace period is cut short", async () => {
    const { deps, clock, log } = setUp();
    const hurry = new AbortController();
    const of = pod({ sleep: { seconds: 600 } });
    const killing = killContainer(deps, of, anInstance("main", "running"), { graceSeconds: 900, hurry: hurry.signal });
    await clock.advance(5_000);
    hurry.abort();
    await clock.advance(0);
    await killing;
    expect(log[0]).toMatch(/^5 stop main-0/);
  });

  it("leaves no timer behind when the hook has ended", async () => {
    const { deps, clock } = setUp();
    const timers: (AbortSignal | undefined)[] = [];
    const sleep = clock.sleep.bind(clock);
    clock.sleep = (ms, signal) => {
      if (ms === 900_000) timers.push(signal);
      return sleep(ms, signal);
    };
    const of = pod({ sleep: { seconds: 1 } });
    const killing = killContainer(deps, of, anInstance("main", "running"), { graceSeconds: 900 });
    await clock.advance(1_000);
    await killing;
    expect(timers.map((signal) => signal?.aborted)).toEqual([true]);
  });

  it.each([
    { name: "no hook", of: aPod(), grace: 30, want: ["0 stop main-0 30"] },
    { name: "never less than two seconds", of: aPod(), grace: 0, want: ["0 stop main-0 2"] },
    {
      name: "sleep is taken from the grace period (TRM-07)",
      of: pod({ sleep: { seconds: 10 } }),
      grace: 45,
      want: ["10 stop main-0 35"],
    },
    {
      name: "a hook that takes all leaves two seconds (TRM-08)",
      of: pod({ sleep: { seconds: 60 } }),
      grace: 30,
      want: ["30 stop main-0 2"],
    },
    {
      name: "a command",
      of: pod({ exec: { command: ["slow"] } }),
      grace: 30,
      want: ["0 exec slow", "5 stop main-0 25"],
    },
    {
      name: "a command that fails",
      of: pod({ exec: { command: ["false"] } }),
      grace: 30,
      want: ["0 exec false", "0 FailedPreStopHook", "0 stop main-0 30"],
    },
    {
      name: "no hook without a grace period",
      of: pod({ sleep: { seconds: 10 } }),
      grace: 0,
      want: ["0 stop main-0 2"],
    },
  ])("$name", async ({ of, grace, want }) => {
    const { deps, clock, log } = setUp({ slow: 5 });
    const killing = killContainer(deps, of, anInstance("main", "running"), { graceSeconds: grace });
    await clock.advance(100_000);
    await killing;
    expect(log.slice(0, -1)).toEqual(want);
  });
});

describe("killContainers", () => {
  const sidecar = (name: string) => aContainer(name, { restartPolicy: "Always" });
  const withSidecars = aPod({
    initContainers: [sidecar("s1"), sidecar("s2")],
    containers: [aContainer("a"), aContainer("b")],
  });
  const instances = ["s1", "a", "s2", "b"].map((name) => anInstance(name, "running"));

  it("main containers together, then sidecars from the last to the first (TRM-06, TRM-10)", async () => {
    const { deps, clock, log } = setUp({ "a-0": 3, "b-0": 5, "s2-0": 1 });
    const killing = killContainers(deps, withSidecars, instances, 30);
    await clock.advance(100_000);
    await killing;
    expect(log).toEqual([
      "0 stop a-0 30",
      "0 stop b-0 30",
      "3 end a-0",
      "5 end b-0",
      "5 stop s2-0 25",
      "6 end s2-0",
      "6 stop s1-0 24",
      "6 end s1-0",
    ]);
  });

  it("sidecars do not wait longer than the grace period", async () => {
    const { deps, clock, log } = setUp({ "a-0": 10 });
    const killing = killContainers(deps, withSidecars, instances, 10);
    await clock.advance(100_000);
    await killing;
    expect(log.filter((line) => line.includes("stop s"))).toEqual(["10 stop s2-0 2", "10 stop s1-0 2"]);
  });
});
