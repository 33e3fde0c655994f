import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readTail } from "./read-tail.ts";

const dir = mkdtempSync(join(tmpdir(), "tail-"));
afterAll(() => rmSync(dir, { recursive: true }));
const file = (name: string) => join(dir, name);

describe("readTail", () => {
  it("gives the whole of a short file", async () => {
    writeFileSync(file("short"), "all of it");
    expect((await readTail(file("short"), 4096)).toString()).toBe("all of it");
  });

  it("reads no more than the end of a huge one", async () => {
    writeFileSync(file("huge"), "");
    truncateSync(file("huge"), 8 * 2 ** 30);
    expect(await readTail(file("huge"), 4096)).toHaveLength(4096);
  });

  it("does not wait at a FIFO, nor read a directory", async () => {
    execFileSync("mkfifo", [file("fifo")]);
    await expect(readTail(file("fifo"), 4096)).rejects.toThrow("not a regular file");
    await expect(readTail(dir, 4096)).rejects.toThrow("not a regular file");
  });

  it("says that there is none", async () => {
    await expect(readTail(file("none"), 4096)).rejects.toMatchObject({ code: "ENOENT" });
  });
});
