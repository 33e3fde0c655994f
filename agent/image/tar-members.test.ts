import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { END_OF_ARCHIVE, readMember, readTarMembers, renderMember } from "./tar-members.ts";

const dir = mkdtempSync(join(tmpdir(), "tar-members-"));
afterAll(() => rmSync(dir, { recursive: true }));

function makeTar(files: Record<string, string>): Buffer {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), content);
  return execFileSync("tar", ["-C", dir, "-cf", "-", ...Object.keys(files)]);
}

/** In pieces that fall across the blocks. */
async function* inChunks(archive: Buffer, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < archive.length; at += bytes) yield archive.subarray(at, at + bytes);
}

describe("readTarMembers", () => {
  it.each([1, 100, 511, 512, 513, 100_000])("finds all files in chunks of %i bytes", async (bytes) => {
    const found: [string, string][] = [];
    for await (const member of readTarMembers(inChunks(makeTar({ a: "first", b: "x".repeat(2000), c: "" }), bytes))) {
      if (member.name === "b") continue;
      found.push([member.name, (await readMember(member, 100)).toString()]);
    }
    expect(found).toEqual([
      ["a", "first"],
      ["c", ""],
    ]);
  });

  it.each([
    { title: "something else", archive: Buffer.alloc(1024, "x"), message: "not a tar archive" },
    { title: "a cut archive", archive: makeTar({ a: "x".repeat(5000) }).subarray(0, 2000), message: "within a file" },
    { title: "no end mark", archive: makeTar({ a: "x" }).subarray(0, 1024), message: "before its end mark" },
  ])("refuses $title", async ({ archive, message }) => {
    const readAll = async () => {
      for await (const _ of readTarMembers(inChunks(archive, 300)));
    };
    await expect(readAll()).rejects.toThrow(message);
  });

  it("bounds what it keeps", async () => {
    for await (const member of readTarMembers(inChunks(makeTar({ a: "x".repeat(101) }), 512))) {
      await expect(readMember(member, 100)).rejects.toThrow(RangeError);
    }
  });
});

it("renders a member with another content, which tar reads", async () => {
  const parts: Buffer[] = [];
  for await (const member of readTarMembers(inChunks(makeTar({ a: "old" }), 512))) {
    parts.push(renderMember(member, Buffer.from("n".repeat(600))));
  }
  const listed = execFileSync("tar", ["-xOf", "-"], { input: Buffer.concat([...parts, END_OF_ARCHIVE]) });
  expect(listed.toString()).toBe("n".repeat(600));
});
