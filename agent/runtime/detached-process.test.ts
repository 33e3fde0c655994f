import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findDetached, isRunning, startDetached, stopDetached } from "./detached-process.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "detached-"));
});
afterEach(async () => {
  await stopDetached(join(dir, "x.pid"), 1);
  rmSync(dir, { recursive: true, force: true });
});

const start = (script: string) =>
  startDetached({ pidFile: join(dir, "x.pid"), logFile: join(dir, "x.log"), file: "/bin/sh", args: ["-c", script] });

describe("a detached process", () => {
  it("is found by its pid file until it is stopped", async () => {
    const started = start("sleep 60");
    expect(findDetached(join(dir, "x.pid"))).toEqual(started);
    expect(await stopDetached(join(dir, "x.pid"), 5)).toBe(true);
    expect(isRunning(started)).toBe(false);
    expect(await stopDetached(join(dir, "x.pid"), 5)).toBe(false);
  });

  it("is killed when it does not heed SIGTERM", async () => {
    const started = start("trap '' TERM; echo ready; while :; do sleep 0.1; done");
    await expect.poll(() => readFileSync(join(dir, "x.log"), "utf8")).toContain("ready");
    await stopDetached(join(dir, "x.pid"), 0.2);
    expect(isRunning(started)).toBe(false);
  });

  it("is not taken for another process with its pid", () => {
    writeFileSync(join(dir, "x.pid"), `${process.pid} 1\n`);
    expect(findDetached(join(dir, "x.pid"))).toBeUndefined();
  });

  it.each(["", "12", `${process.pid}`, "x y\n"])("is not found in a damaged pid file %j", (text) => {
    writeFileSync(join(dir, "x.pid"), text);
    expect(findDetached(join(dir, "x.pid"))).toBeUndefined();
  });

  it("may end before it is looked at", async () => {
    for (let i = 0; i < 20; i++) start("exit 1");
    await expect.poll(() => findDetached(join(dir, "x.pid"))).toBeUndefined();
  });

  it("cannot be one whose program is missing", () => {
    const missing = { pidFile: join(dir, "x.pid"), logFile: join(dir, "x.log"), file: "/no/such/program", args: [] };
    expect(() => startDetached(missing)).toThrow("could not be started");
  });
});
