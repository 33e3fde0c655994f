import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { takeLock, withStartLock } from "./start-lock.ts";

let dir = "";
let path = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "lock-"));
  path = join(dir, "lock");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it("lets one in at a time", async () => {
  let inside = 0;
  let most = 0;
  const action = async () => {
    most = Math.max(most, ++inside);
    await new Promise((resolve) => setTimeout(resolve, 20));
    inside--;
  };
  await Promise.all([1, 2, 3].map(() => withStartLock(path, action)));
  expect(most).toBe(1);
  expect(existsSync(path)).toBe(false);
});

it("takes over from a holder that is gone", async () => {
  for (const left of [`${process.pid} 1\n`, "", "half"]) {
    writeFileSync(path, left);
    expect(await withStartLock(path, async () => "in")).toBe("in");
  }
  expect(readdirSync(dir)).toEqual([]);
});

it("many take over from a dead holder, one after the other", async () => {
  writeFileSync(path, `${process.pid} 1\n`);
  const script = `
    import { withStartLock } from ${JSON.stringify(join(import.meta.dirname, "start-lock.ts"))};
    import { appendFileSync } from "node:fs";
    await withStartLock(${JSON.stringify(path)}, async () => {
      appendFileSync(${JSON.stringify(join(dir, "log"))}, "in ");
      await new Promise((resolve) => setTimeout(resolve, 20));
      appendFileSync(${JSON.stringify(join(dir, "log"))}, "out\\n");
    });`;
  const run = promisify(execFile);
  await Promise.all(Array.from({ length: 6 }, () => run(process.execPath, ["--input-type=module", "-e", script])));
  expect(readFileSync(join(dir, "log"), "utf8")).toBe("in out\n".repeat(6));
});

it("says who has it", () => {
  expect(takeLock(path)).toBeUndefined();
  expect(takeLock(path)?.pid).toBe(process.pid);
});

it("is released when the action fails", async () => {
  await expect(withStartLock(path, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(existsSync(path)).toBe(false);
});
