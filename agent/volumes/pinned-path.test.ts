import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mountsUnder, unmount } from "./mount-table.ts";
import { makeBelow, pinPath } from "./pinned-path.ts";

let root = "";
const at = (...parts: string[]) => join(root, ...parts);
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pin me-")));
  for (const dir of ["volume/a/b", "outside"]) mkdirSync(at(dir), { recursive: true });
  writeFileSync(at("volume/a/b/file"), "mine");
  writeFileSync(at("outside/secret"), "the node's");
});
afterEach(async () => {
  for (const path of await mountsUnder(root)) await unmount(path);
  rmSync(root, { recursive: true });
});

describe("makeBelow", () => {
  it("makes what is missing, with the mode, and leaves what is there", async () => {
    await makeBelow(at("volume"), at("volume/a"), ["b", "new", "er"], 0o2770);
    expect(statSync(at("volume/a/b/new/er")).mode & 0o7777).toBe(0o2770);
    expect(statSync(at("volume/a/b")).mode & 0o2000).toBe(0);
  });

  it.each([
    { name: "a link in place of what was there", swap: "volume/a", path: "volume/a", names: ["new"] },
    { name: "a link where a directory is to be made", swap: "volume/new", path: "volume", names: ["new", "er"] },
  ])("refuses $name", async ({ swap, path, names }) => {
    rmSync(at(swap), { recursive: true, force: true });
    symlinkSync(at("outside"), at(swap));
    await expect(makeBelow(at("volume"), at(path), names, 0o755)).rejects.toThrow();
    expect(readdirSync(at("outside"))).toEqual(["secret"]);
  });

  it("refuses a file", async () => {
    await expect(makeBelow(at("volume"), at("volume/a/b"), ["file", "new"], 0o755)).rejects.toThrow("is no directory");
  });
});

describe.skipIf(process.getuid?.() !== 0)("pinPath (mounts: as root)", () => {
  it("shows a directory, or a file, at the target; may be repeated", async () => {
    for (let i = 0; i < 2; i++) {
      await pinPath(at("volume"), at("volume/a/b"), at("target/0"));
      await pinPath(at("volume"), at("volume/a/b/file"), at("target/1"));
      await pinPath(at("volume"), at("volume"), at("target/2"));
    }
    expect(readdirSync(at("target/0"))).toEqual(["file"]);
    expect(readFileSync(at("target/1"), "utf8")).toBe("mine");
    expect(readdirSync(at("target/2"))).toEqual(["a"]);
    expect(await mountsUnder(at("target"))).toHaveLength(3);
  });

  it("stays where it was when the path is swapped afterwards", async () => {
    await pinPath(at("volume"), at("volume/a/b"), at("target"));
    renameSync(at("volume/a"), at("volume/old"));
    symlinkSync("../../outside", at("volume/a"));
    expect(readdirSync(at("target"))).toEqual(["file"]);
  });

  it.each([
    { name: "the last part", swap: "volume/a/b", to: "../../outside" },
    { name: "a part on the way", swap: "volume/a", to: "../outside" },
  ])("refuses when $name was swapped for a link before", async ({ swap, to }) => {
    rmSync(at(swap), { recursive: true });
    symlinkSync(to, at(swap));
    await expect(pinPath(at("volume"), at("volume/a/b"), at("target"))).rejects.toThrow();
    expect(await mountsUnder(root)).toEqual([]);
  });
});
