import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { withStartLock } from "./start-lock.ts";

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
  writeFileSync(path, `${process.pid} 1\n`);
  expect(await withStartLock(path, async () => "in")).toBe("in");
});

it("is released when the action fails", async () => {
  await expect(withStartLock(path, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(existsSync(path)).toBe(false);
});
