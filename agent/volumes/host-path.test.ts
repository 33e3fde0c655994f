import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { prepareHostPath } from "./host-path.ts";

let dir = "";
let server: Server;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "hp-"));
  mkdirSync(join(dir, "dir"));
  writeFileSync(join(dir, "file"), "");
  server = createServer();
  await new Promise<void>((resolve) => server.listen(join(dir, "socket"), resolve));
});
afterAll(() => {
  server.close();
  rmSync(dir, { recursive: true });
});

const PLACES = ["dir", "file", "socket", "/dev/null", "none"] as const;
const at = (place: string) => (place.startsWith("/") ? place : join(dir, place));

/** By type: which of the places it takes, and what it says of the others. `none` is made by the types that make. */
const TYPES: [type: string, takes: string[], what: string][] = [
  ["", [...PLACES], ""],
  ["Directory", ["dir"], "a directory"],
  ["DirectoryOrCreate", ["dir", "none"], "a directory"],
  ["File", ["file"], "a file"],
  ["FileOrCreate", ["file", "none"], "a file"],
  ["Socket", ["socket"], "a socket file"],
  ["CharDevice", ["/dev/null"], "a character device"],
  ["BlockDevice", [], "a block device"],
];

describe("prepareHostPath", () => {
  it.each(TYPES.flatMap(([type, takes, what]) => PLACES.map((place) => ({ type, place, takes, what }))))(
    "$type: $place",
    async ({ type, place, takes, what }) => {
      const path = at(place);
      const prepared = prepareHostPath({ path, type });
      if (!takes.includes(place)) {
        return expect(prepared).rejects.toThrow(`hostPath type check failed: ${path} is not ${what}`);
      }
      await prepared;
      const makes = place === "none" && type.endsWith("OrCreate");
      expect(existsSync(at("none"))).toBe(makes);
      if (!makes) return;
      const info = statSync(path);
      expect(info.mode & 0o777).toBe(type === "FileOrCreate" ? 0o644 : 0o755);
      rmSync(path, { recursive: true });
    },
  );

  it("takes no steps back", async () => {
    const path = `${dir}/dir/../file`;
    for (const type of ["", "File"]) {
      await expect(prepareHostPath({ path, type })).rejects.toThrow(
        `invalid HostPath \`${path}\`: must not contain '..'`,
      );
    }
  });

  it("knows no other type", async () => {
    await expect(prepareHostPath({ path: dir, type: "Fifo" })).rejects.toThrow("Fifo is an invalid volume type");
  });
});
