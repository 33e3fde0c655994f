import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findDetached, readStartTime, startDetached, stopDetached } from "./detached-process.ts";
import { supervised } from "./supervised.ts";

let dir = "";
let pidFile = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "supervised-"));
  pidFile = join(dir, "x.pid");
});
afterEach(async () => {
  await stopDetached(pidFile, 1);
  rmSync(dir, { recursive: true, force: true });
});

const start = (script: string) =>
  startDetached({ pidFile, logFile: join(dir, "x.log"), ...supervised("/bin/sh", ["-c", script]) });
const lines = () => readFileSync(join(dir, "x.log"), "utf8").trim().split("\n");
const pids = () =>
  lines()
    .filter((line) => /^\d+$/.test(line))
    .map(Number);
const isAlive = (pid: number) => readStartTime(pid) !== undefined;
const within = { timeout: 15_000, interval: 50 };

describe("a supervised command", () => {
  it("is started again when it is killed", { timeout: 30_000 }, async () => {
    start("echo $$; exec sleep 60");
    await expect.poll(() => pids().length, within).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 5_500)); // beyond the first run's grace
    process.kill(pids()[0]!, "SIGKILL");
    await expect.poll(() => pids().length, within).toBe(2);
    expect(lines().some((line) => line.includes("ended with code 137; starting it again in 1 s"))).toBe(true);
  });

  it("is told to end, and may put things away", async () => {
    start("trap 'echo bye; exit 0' TERM; echo $$; while :; do sleep 0.05; done");
    await expect.poll(() => pids().length, within).toBe(1);
    const [pid] = pids();
    await stopDetached(pidFile, 5);
    expect(lines().at(-1)).toBe("bye");
    expect(isAlive(pid!)).toBe(false);
  });

  it("dies with its supervisor", async () => {
    const supervisor = start("echo $$; exec sleep 60");
    await expect.poll(() => pids().length, within).toBe(1);
    process.kill(supervisor.pid, "SIGKILL");
    await expect.poll(() => isAlive(pids()[0]!), within).toBe(false);
  });

  it.each([
    { name: "its first run fails at once", script: "exit 3" },
    { name: "it ends well", script: "exit 0" },
  ])("is not started again when $name", async ({ script }) => {
    start(`echo $$; ${script}`);
    await expect.poll(() => findDetached(pidFile), within).toBeUndefined();
    expect(pids()).toHaveLength(1);
  });
});
