import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aPod } from "../../test/builders/kubelet.ts";
import { openState } from "./store.ts";

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), "state-"));
});
afterEach(() => rmSync(stateDir, { recursive: true }));

const files = () =>
  readdirSync(stateDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe("openState", () => {
  it("remembers pods, objects, services and tokens over a restart", async () => {
    const state = await openState({ stateDir });
    await state.savePod(aPod());
    await state.saveObject("secrets", { metadata: { name: "s", namespace: "ns" }, data: { k: "c2VjcmV0" } });
    await state.saveObject("configmaps", { metadata: { name: "c", namespace: "ns" } });
    await state.saveServices([{ metadata: { name: "kubernetes" } }]);
    await state.saveToken("u1", "audience", {
      token: "t0ken",
      expirationTimestamp: "2026-01-01T00:00:00Z",
      issuedMs: 1,
    });

    const again = await openState({ stateDir });
    expect(await again.pods()).toEqual([aPod()]);
    expect(await again.object("secrets", "ns", "s")).toMatchObject({ data: { k: "c2VjcmV0" } });
    expect(await again.object("configmaps", "ns", "c")).toEqual({ metadata: { name: "c", namespace: "ns" } });
    expect(await again.services()).toHaveLength(1);
    expect(await again.token("u1", "audience")).toMatchObject({ token: "t0ken" });
    expect(await again.token("u1", "other")).toBeUndefined();

    await again.forgetPod("u1");
    await again.forgetObject("secrets", "ns", "s");
    expect([await again.pods(), await again.token("u1", "audience"), await again.object("secrets", "ns", "s")]).toEqual(
      [[], undefined, undefined],
    );
  });

  it("seals secrets and tokens; every file is its owner's alone", async () => {
    const state = await openState({ stateDir });
    await state.saveObject("secrets", { metadata: { name: "s", namespace: "ns" }, data: { k: "c2VjcmV0" } });
    await state.saveToken("u1", "a", { token: "t0ken", expirationTimestamp: "", issuedMs: 1 });
    expect(files().length).toBeGreaterThan(2);
    for (const path of files()) {
      expect(readFileSync(path, "latin1")).not.toMatch(/c2VjcmV0|t0ken/);
      expect(statSync(path).mode & 0o077, path).toBe(0);
    }
  });

  it("skips what it cannot read, and says so", async () => {
    const state = await openState({ stateDir });
    await state.savePod(aPod());
    await state.saveObject("secrets", { metadata: { name: "s", namespace: "ns" } });
    for (const path of files()) if (path.includes("checkpoint")) writeFileSync(path, '{"half');
    const notes: string[] = [];
    const again = await openState({ stateDir, log: (message) => notes.push(message) });
    expect(await again.pods()).toEqual([]);
    expect(await again.object("secrets", "ns", "s")).toBeUndefined();
    expect(notes).toHaveLength(2);
  });

  it.each(["", ".", "..", "a/b", "../../etc/passwd"])("takes no name %j", async (name) => {
    const state = await openState({ stateDir });
    await expect(async () => state.saveObject("configmaps", { metadata: { name, namespace: "ns" } })).rejects.toThrow();
  });

  it("refuses a key that is none", async () => {
    writeFileSync(join(stateDir, "node.key"), "short");
    await expect(openState({ stateDir })).rejects.toThrow("not a node key");
  });
});
