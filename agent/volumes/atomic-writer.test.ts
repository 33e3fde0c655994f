import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeAtomically } from "./atomic-writer.ts";
import type { Payload } from "./projection.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "atomic-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const payload = (files: Record<string, string>, mode = 0o644): Payload =>
  new Map(Object.entries(files).map(([path, text]) => [path, { content: Buffer.from(text), mode }]));

const read = (path: string) => readFileSync(join(dir, path), "utf8");

describe("writeAtomically", () => {
  it("lays files out behind a link that is swapped", async () => {
    await writeAtomically(dir, payload({ a: "1", "sub/b": "2" }, 0o400));
    expect([read("a"), read("sub/b")]).toEqual(["1", "2"]);
    expect(readlinkSync(join(dir, "a"))).toBe("..data/a");
    expect(readlinkSync(join(dir, "sub"))).toBe("..data/sub");
    expect(readlinkSync(join(dir, "..data"))).toMatch(/^\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\./);
    expect(statSync(join(dir, "a")).mode & 0o777).toBe(0o400);
  });

  it("leaves nothing of an attempt that failed, and what was there", async () => {
    await writeAtomically(dir, payload({ a: "1" }));
    const before = readdirSync(dir);
    const fail = () => Promise.reject(new Error("no space left on device"));
    for (let i = 0; i < 3; i++)
      await expect(writeAtomically(dir, payload({ a: "2" }), fail)).rejects.toThrow("no space");
    expect(readdirSync(dir)).toEqual(before);
    expect(read("a")).toBe("1");
  });

  it("changes nothing when nothing has changed", async () => {
    await writeAtomically(dir, payload({ a: "1" }));
    const before = readlinkSync(join(dir, "..data"));
    await writeAtomically(dir, payload({ a: "1" }));
    expect(readlinkSync(join(dir, "..data"))).toBe(before);
  });

  it.each([
    { name: "another content", next: payload({ a: "2" }), want: ["a"] },
    { name: "one file more", next: payload({ a: "1", b: "2" }), want: ["a", "b"] },
    { name: "one file less", next: payload({ b: "2" }), want: ["b"] },
    { name: "none left", next: payload({}), want: [] },
  ])("replaces the set: $name", async ({ next, want }) => {
    await writeAtomically(dir, payload({ a: "1" }));
    const before = readlinkSync(join(dir, "..data"));
    await writeAtomically(dir, next);
    expect(readdirSync(dir).filter((name) => !name.startsWith(".."))).toEqual(want);
    for (const [path, { content }] of next) expect(read(path)).toBe(content.toString());
    // The old version is gone, and no half-made one is left.
    expect(readdirSync(dir).filter((name) => name.startsWith(".."))).toHaveLength(2);
    expect(readlinkSync(join(dir, "..data"))).not.toBe(before);
  });

  it("sets permissions before anybody can see the files", async () => {
    await writeAtomically(dir, payload({ a: "1" }));
    await writeAtomically(dir, payload({ a: "2" }), async () => {
      expect(read("a")).toBe("1");
      const versions = readdirSync(dir).filter((name) => /^\.\.\d/.test(name));
      expect(versions.map((name) => read(`${name}/a`)).sort()).toEqual(["1", "2"]);
    });
    expect(read("a")).toBe("2");
  });

  it("leaves mount points for other volumes alone", async () => {
    mkdirSync(join(dir, "nested/mount"), { recursive: true });
    await writeAtomically(dir, payload({ a: "1" }));
    await writeAtomically(dir, payload({ b: "2" }));
    expect(readdirSync(dir).filter((name) => !name.startsWith(".."))).toEqual(["b", "nested"]);
  });

  it("links what a crash between the swap and the links left out", async () => {
    await writeAtomically(dir, payload({ a: "1" }));
    rmSync(join(dir, "a"));
    await writeAtomically(dir, payload({ a: "1" }));
    expect(read("a")).toBe("1");
  });

  it("mends a swap that was interrupted", async () => {
    await writeAtomically(dir, payload({ a: "1" }));
    symlinkSync("..nowhere", join(dir, "..data_tmp"));
    await writeAtomically(dir, payload({ a: "2" }));
    expect(read("a")).toBe("2");
    expect(() => lstatSync(join(dir, "..data_tmp"))).toThrow();
  });
});
