import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aPod } from "../../test/builders/kubelet.ts";
import { objectKey, openState } from "./store.ts";

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
    await state.remember("services", [{ metadata: { name: "kubernetes" } }]);
    await state.saveToken("u1", "audience", {
      token: "t0ken",
      expirationTimestamp: "2026-01-01T00:00:00Z",
      issuedMs: 1,
    });

    const again = await openState({ stateDir });
    expect(await again.pods()).toEqual([aPod()]);
    expect(await again.object("secrets", "ns", "s")).toMatchObject({ data: { k: "c2VjcmV0" } });
    expect(await again.object("configmaps", "ns", "c")).toEqual({ metadata: { name: "c", namespace: "ns" } });
    expect(await again.remembered("services")).toHaveLength(1);
    expect(await again.token("u1", "audience")).toMatchObject({ token: "t0ken" });
    expect(await again.token("u1", "other")).toBeUndefined();

    await again.forgetPod("u1");
    await again.forgetObject("secrets", "ns", "s");
    expect([await again.pods(), await again.token("u1", "audience"), await again.object("secrets", "ns", "s")]).toEqual(
      [[], undefined, undefined],
    );
  });

  it("writes one pod's saves in order, however many come at once", async () => {
    const state = await openState({ stateDir });
    const versions = Array.from({ length: 30 }, (_, i) => ({ ...aPod(), kind: `v${i}` }));
    await Promise.all(versions.map((pod) => state.savePod(pod)));
    expect(await state.pods()).toEqual([versions.at(-1)]);
    expect(files().filter((path) => path.endsWith("~"))).toEqual([]);
  });

  it("a pod that is forgotten while it is being saved stays forgotten", async () => {
    const state = await openState({ stateDir });
    const token = { token: "t", expirationTimestamp: "", issuedMs: 1 };
    await Promise.all([state.savePod(aPod()), state.saveToken("u1", "a", token), state.forgetPod("u1")]);
    expect(files().filter((path) => path.includes("u1"))).toEqual([]);
  });

  it("keeps the objects that are named, and no others", async () => {
    const state = await openState({ stateDir });
    for (const name of ["kept", "gone"]) {
      await state.saveObject("secrets", { metadata: { name, namespace: "ns" } });
      await state.saveObject("configmaps", { metadata: { name, namespace: "ns" } });
    }
    await state.keepObjects((key) => key === objectKey("secrets", "ns", "kept"));
    expect(await state.object("secrets", "ns", "kept")).toBeDefined();
    expect(await state.object("secrets", "ns", "gone")).toBeUndefined();
    expect(await state.object("configmaps", "ns", "kept")).toBeUndefined();
  });

  it("starts after a crash in the middle of making the key", async () => {
    writeFileSync(join(stateDir, "node.key~"), "half");
    await openState({ stateDir });
    expect(statSync(join(stateDir, "node.key")).size).toBe(32);
  });

  it.skipIf(process.getuid?.() !== 0)("leaves no half file behind when the disk is full", async () => {
    const state = await openState({ stateDir });
    const pods = join(stateDir, "checkpoint/pods");
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=8k", "tmpfs", pods]);
    try {
      const large = { ...aPod(), kind: "x".repeat(64 * 1024) };
      await expect(state.savePod(large)).rejects.toThrow("ENOSPC");
      expect(readdirSync(pods)).toEqual([]);
      await state.savePod(aPod());
      expect(await state.pods()).toHaveLength(1);
    } finally {
      execFileSync("umount", [pods]);
    }
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

  it("starts with a new key when its own is damaged, and says what became of that", async () => {
    const state = await openState({ stateDir });
    await state.savePod(aPod());
    await state.saveObject("secrets", { metadata: { name: "s", namespace: "ns" } });
    writeFileSync(join(stateDir, "node.key"), "short");
    const notes: string[] = [];
    const again = await openState({ stateDir, log: (message) => notes.push(message) });
    expect(notes).toEqual([expect.stringContaining("node.key was put aside as")]);
    expect(readFileSync(join(stateDir, "node.key.damaged"), "utf8")).toBe("short");
    expect(await again.pods()).toHaveLength(1);
    expect(await again.object("secrets", "ns", "s")).toBeUndefined();
    await again.saveObject("secrets", { metadata: { name: "s", namespace: "ns" } });
    expect(await (await openState({ stateDir })).object("secrets", "ns", "s")).toBeDefined();
  });

  it.each(["null", "1", '"pod"'])("takes a file with %s for neither a pod nor services", async (content) => {
    const state = await openState({ stateDir });
    await state.savePod(aPod());
    await state.remember("services", []);
    for (const path of files()) if (path.endsWith(".json")) writeFileSync(path, content);
    expect([await state.pods(), await state.remembered("services")]).toEqual([[], undefined]);
  });

  it("removes what a crash has left half written", async () => {
    await openState({ stateDir });
    writeFileSync(join(stateDir, "checkpoint/pods/u1.json~"), "half");
    await openState({ stateDir });
    expect(files().filter((path) => path.endsWith("~"))).toEqual([]);
  });

  it("keeps an object whose name looks like that of an unfinished file", async () => {
    const state = await openState({ stateDir });
    const names = ["a", "a.tmp", "a.json"];
    await Promise.all(names.map((name) => state.saveObject("configmaps", { metadata: { name, namespace: "ns" } })));
    const again = await openState({ stateDir });
    for (const name of names)
      expect(await again.object("configmaps", "ns", name)).toMatchObject({ metadata: { name } });
  });

  it("writes the services of many saves at once whole, the last ones last", async () => {
    const state = await openState({ stateDir });
    const saves = Array.from({ length: 30 }, (_, i) => [{ metadata: { name: "s".repeat(1 + ((i * 7919) % 5000)) } }]);
    await Promise.all(saves.map((services) => state.remember("services", services)));
    expect(await state.remembered("services")).toEqual(saves.at(-1));
  });
});
