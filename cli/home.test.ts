import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { containerdIn } from "../agent/runtime/index.ts";
import { assertOurs, findHome, listStrangers, madeByUs, prepareHome } from "./home.ts";

let dir = "";
beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "home-")));
});
afterAll(() => rmSync(dir, { recursive: true }));

it("keeps two homes apart, and knows one again", () => {
  const [a, b] = ["/srv/a", "/srv/b"].map((path) => findHome({ HEARTH_HOME: path }));
  expect(a!.instance).toMatch(/^[0-9a-f]{6}$/);
  expect(a!.instance).not.toBe(b!.instance);
  expect(findHome({ HEARTH_HOME: "/srv/x/../a" })).toEqual(a);
});

it("knows one home by its real path, also before it is made", () => {
  mkdirSync(join(dir, "real"));
  symlinkSync("real", join(dir, "link"));
  for (const name of ["", "new/home"]) {
    expect(findHome({ HEARTH_HOME: join(dir, "link", name) })).toEqual(
      findHome({ HEARTH_HOME: join(dir, "real", name) }),
    );
  }
});

it("looks for containerd where the agent starts it again", () => {
  const { containerdDir, processes } = findHome({ HEARTH_HOME: "/srv/a" });
  expect(containerdIn(containerdDir)).toEqual({ dir: containerdDir, ...processes.containerd });
});

describe("prepareHome", () => {
  it("makes a new one, and takes it again", () => {
    const home = findHome({ HEARTH_HOME: join(dir, "with a space") });
    prepareHome(home);
    prepareHome(home);
    expect(readdirSync(home.dir).sort()).toEqual(["data", "logs", "run"]);
    expect(listStrangers(home)).toEqual([]);
  });

  it("takes a home into which somebody has put a file", () => {
    const home = findHome({ HEARTH_HOME: join(dir, "used") });
    prepareHome(home);
    writeFileSync(home.rootSecretFile, "");
    writeFileSync(join(home.dir, "notes.txt"), "");
    prepareHome(home);
    expect(listStrangers(home)).toEqual(["notes.txt"]);
  });

  it.each([
    { name: "a directory of somebody else's", path: "others", message: 'it holds "thesis.txt"' },
    { name: "a path with a colon", path: "a:b", message: "containers cannot run below a path with a colon" },
    { name: "a path with a comma", path: "a,b", message: "containers cannot run below a path with" },
    { name: "a path that is too long", path: "x".repeat(80), message: "is too long a path" },
  ])("refuses $name", ({ path, message }) => {
    const home = findHome({ HEARTH_HOME: join(dir, path) });
    if (path === "others") {
      mkdirSync(home.dir);
      writeFileSync(join(home.dir, "thesis.txt"), "");
      expect(() => assertOurs(home)).toThrow(message); // nor is it purged
    }
    expect(() => prepareHome(home)).toThrow(message);
  });
});

it("a purge removes the mark of a home last, so that it can be repeated", () => {
  const home = findHome({ HEARTH_HOME: "/srv/a" });
  expect(madeByUs(home).at(-1)).toBe(home.rootSecretFile);
  for (const path of madeByUs(home)) expect(path).toMatch(/^\/srv\/a\/[^/]+$/);
});
