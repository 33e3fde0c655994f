import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aContainer } from "../../test/builders/kubelet.ts";
import type { VolumeMount } from "../api/index.ts";
import { containerMounts } from "./container-mounts.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "mounts-")));
  mkdirSync(join(root, "volume"));
  mkdirSync(join(root, "outside"));
});
afterEach(() => rmSync(root, { recursive: true }));

const pinned: string[][] = [];
const mountsOf = async (mount: Partial<VolumeMount>, readOnly = false) => {
  const volumeMounts = [{ name: "v", mountPath: "/m", ...mount }];
  const volumes = new Map([["v", { hostPath: join(root, "volume"), readOnly }]]);
  const [only] = await containerMounts(aContainer("main", { volumeMounts }), volumes, {
    expandSubPath: (text) => text.replace("$(POD)", "p1"),
    pin: async (of, path) => {
      pinned.push([of, path]);
      return path;
    },
  });
  return only!;
};

describe("containerMounts", () => {
  it("mounts privately, and writable unless the mount or the volume says otherwise", async () => {
    expect(await mountsOf({})).toEqual({
      containerPath: "/m",
      hostPath: join(root, "volume"),
      readonly: false,
      propagation: "PROPAGATION_PRIVATE",
    });
    expect((await mountsOf({ readOnly: true })).readonly).toBe(true);
    expect((await mountsOf({}, true)).readonly).toBe(true);
    expect((await mountsOf({ mountPropagation: "Bidirectional" })).propagation).toBe("PROPAGATION_BIDIRECTIONAL");
  });

  it("makes a subPath that is missing, with its variables replaced", async () => {
    const { hostPath } = await mountsOf({ subPathExpr: "logs/$(POD)" });
    expect(hostPath).toBe(join(root, "volume/logs/p1"));
    expect(existsSync(hostPath)).toBe(true);
  });

  it("pins a subPath where containers write, and nothing else", async () => {
    pinned.length = 0;
    await mountsOf({});
    await mountsOf({ subPath: "a" }, true);
    expect(pinned).toEqual([]);
    await mountsOf({ subPath: "a" });
    expect(pinned).toEqual([[join(root, "volume"), join(root, "volume/a")]]);
  });

  it("follows links within the volume", async () => {
    mkdirSync(join(root, "volume/real"));
    symlinkSync("real", join(root, "volume/link"));
    expect((await mountsOf({ subPath: "link" })).hostPath).toBe(join(root, "volume/real"));
  });

  it.each([
    {
      name: "a link to the outside",
      subPath: "escape",
      message: 'failed to prepare subPath for volumeMount "v" of container "main"',
    },
    { name: "a link to the outside on the way", subPath: "escape/new", message: "failed to prepare subPath" },
    { name: "an absolute path", subPath: "/etc", message: "must not be an absolute path" },
    { name: "steps back", subPath: "a/../../outside", message: "must not contain '..'" },
  ])("refuses $name", async ({ subPath, message }) => {
    symlinkSync("../outside", join(root, "volume/escape"));
    await expect(mountsOf({ subPath })).rejects.toThrow(message);
    expect(existsSync(join(root, "outside/new"))).toBe(false);
  });

  it("refuses a volume that the pod has not", async () => {
    await expect(mountsOf({ name: "other" })).rejects.toThrow(
      'cannot find volume "other" to mount into container "main"',
    );
  });
});
