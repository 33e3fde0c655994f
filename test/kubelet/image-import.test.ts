import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { importImage } from "../../agent/image/index.ts";
import { renderDockerArchive, renderOciArchive } from "../images/index.ts";
import { NodeUnderTest } from "./node-under-test.ts";

let node: NodeUnderTest;
const dir = mkdtempSync(join(tmpdir(), "image-import-"));

beforeAll(async () => {
  node = await NodeUnderTest.prepare();
});

afterAll(async () => {
  await node?.remove();
  rmSync(dir, { recursive: true });
});

const archiveOf = (name: string) => renderOciArchive({ name, files: [{ name: "hello", content: Buffer.from(name) }] });

function file(name: string, content: Buffer): string {
  const path = join(dir, name);
  writeFileSync(path, content);
  return path;
}

const load = (path: string, name?: string) => importImage({ path, name, socketPath: node.paths.socket, cri: node.cri });

describe("importImage", () => {
  it.each([
    { title: "a tar", image: "quay.io/a/plain:1", pack: (tar: Buffer) => tar },
    { title: "a tar packed with gzip", image: "quay.io/a/gzip:1", pack: (tar: Buffer) => gzipSync(tar) },
    { title: "a tar packed with zstd", image: "quay.io/a/zstd:1", pack: (tar: Buffer) => zstdCompressSync(tar) },
  ])("loads $title", async ({ image, pack }) => {
    expect(await load(file("image.tar", pack(archiveOf(image))))).toEqual([
      { name: image, id: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), sizeBytes: expect.any(Number) },
    ]);
  });

  it("loads a directory, and a short name as the runtime knows it", async () => {
    const layout = join(dir, "layout");
    mkdirSync(layout);
    execFileSync("tar", ["-xf", file("short.tar", archiveOf("short:2")), "-C", layout]);
    expect(await load(layout)).toMatchObject([{ name: "docker.io/library/short:2" }]);
  });

  it("gives the name that the user wants", async () => {
    expect(await load(file("named.tar", archiveOf("old:1")), "new:1")).toMatchObject([
      { name: "docker.io/library/new:1" },
    ]);
    expect(await node.cri.imageStatus("old:1")).toBeUndefined();
  });

  it("loads what docker saves", async () => {
    const files = [{ name: "hello", content: Buffer.from("docker") }];
    const archive = renderDockerArchive({ name: "docker-made:3", files });
    expect(await load(file("docker.tar", archive))).toMatchObject([{ name: "docker.io/library/docker-made:3" }]);
  });

  it.each([
    { title: "a missing file", path: () => join(dir, "none.tar"), message: "no such file" },
    {
      title: "something else",
      path: () => file("text.tar", Buffer.from("hello ".repeat(500))),
      message: "not a tar archive",
    },
    {
      title: "a tar of something else",
      path: () => file("other.tar", execFileSync("tar", ["-cf", "-", "-C", "/etc", "hostname"])),
      message: "neither an OCI image layout nor a docker archive",
    },
    {
      title: "a cut file",
      path: () => {
        const path = file("cut.tar", archiveOf("cut:1"));
        truncateSync(path, 2048);
        return path;
      },
      message: "ends",
    },
  ])("says what is wrong with $title", async ({ path, message }) => {
    const given = path();
    await expect(load(given)).rejects.toThrow(`cannot import ${given}: `);
    await expect(load(given)).rejects.toThrow(message);
  });
});
