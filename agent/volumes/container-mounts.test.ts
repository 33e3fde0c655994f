import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aContainer } from "../../test/builders/kubelet.ts";
import type { VolumeMount } from "../api/index.ts";
import type { ImageSpec } from "../cri/index.ts";
import { containerMounts, decideRecursiveReadOnly } from "./container-mounts.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "mounts-")));
  mkdirSync(join(root, "volume"));
  mkdirSync(join(root, "outside"));
});
afterEach(() => rmSync(root, { recursive: true }));

const pinned: string[][] = [];
const mountsOf = async (mount: Partial<VolumeMount>, readOnly = false, images = new Map<string, ImageSpec>()) => {
  const volumeMounts = [{ name: "v", mountPath: "/m", ...mount }];
  const volumes = new Map([["v", { hostPath: join(root, "volume"), readOnly }]]);
  const [only] = await containerMounts(aContainer("main", { volumeMounts }), volumes, {
    images,
    hasRecursiveReadOnly: async () => true,
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

  it("pins a subPath, also of a volume that others may write to, and nothing else", async () => {
    pinned.length = 0;
    await mountsOf({});
    expect(pinned).toEqual([]);
    await mountsOf({ subPath: "a" });
    await mountsOf({ subPath: "a" }, true);
    const place = [join(root, "volume"), join(root, "volume/a")];
    expect(pinned).toEqual([place, place]);
  });

  it("leaves an image to the runtime, its subPath too", async () => {
    const image = { image: "sha256:1", userSpecifiedImage: "data:1" };
    expect(await mountsOf({ subPath: "a/b" }, true, new Map([["v", image]]))).toEqual({
      containerPath: "/m",
      hostPath: "",
      readonly: true,
      propagation: "PROPAGATION_PRIVATE",
      image,
      imageSubPath: "a/b",
    });
  });

  it("knows no other propagation", async () => {
    await expect(mountsOf({ mountPropagation: "Shared" })).rejects.toThrow('invalid MountPropagation mode: "Shared"');
  });

  it("makes the directories of a subPath as open as the volume is", async () => {
    chmodSync(join(root, "volume"), 0o2770);
    await mountsOf({ subPath: "new/er" });
    for (const path of ["new", "new/er"]) expect(statSync(join(root, "volume", path)).mode & 0o7777).toBe(0o2770);
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
    {
      name: "a link to the outside on the way",
      subPath: "escape/new",
      message: 'failed to create subPath directory for volumeMount "v" of container "main"',
    },
    { name: "a file on the way", subPath: "file/new", message: "failed to prepare subPath" },
    { name: "an absolute path", subPath: "/etc", message: "must not be an absolute path" },
    { name: "steps back", subPath: "a/../../outside", message: "must not contain '..'" },
  ])("refuses $name", async ({ subPath, message }) => {
    symlinkSync("../outside", join(root, "volume/escape"));
    writeFileSync(join(root, "volume/file"), "");
    await expect(mountsOf({ subPath })).rejects.toThrow(message);
    expect(existsSync(join(root, "outside/new"))).toBe(false);
  });

  it("refuses a volume that the pod has not", async () => {
    await expect(mountsOf({ name: "other" })).rejects.toThrow(
      'cannot find volume "other" to mount into container "main"',
    );
  });
});

describe("recursiveReadOnly", () => {
  it("is told to the runtime", async () => {
    expect(await mountsOf({ readOnly: true, recursiveReadOnly: "Enabled" })).toMatchObject({ recursiveReadOnly: true });
    expect(await mountsOf({ readOnly: true, recursiveReadOnly: "Disabled" })).not.toHaveProperty("recursiveReadOnly");
  });

  it.each<{ name: string; mount: Partial<VolumeMount>; isSupported: boolean; want: boolean | string }>([
    { name: "nobody asks", mount: { readOnly: true }, isSupported: true, want: false },
    {
      name: "it can be had",
      mount: { readOnly: true, recursiveReadOnly: "IfPossible" },
      isSupported: true,
      want: true,
    },
    {
      name: "it need not be had",
      mount: { readOnly: true, recursiveReadOnly: "IfPossible" },
      isSupported: false,
      want: false,
    },
    { name: "it must be had", mount: { readOnly: true, recursiveReadOnly: "Enabled" }, isSupported: true, want: true },
    {
      name: "it must be had and cannot",
      mount: { readOnly: true, recursiveReadOnly: "Enabled" },
      isSupported: false,
      want: 'volume "v" requested recursive read-only mode, but it is not supported by the runtime',
    },
    {
      name: "the mount is written to",
      mount: { recursiveReadOnly: "IfPossible" },
      isSupported: true,
      want: 'volume "v" requested recursive read-only mode, but it is not read-only',
    },
    {
      name: "mounts come in from the host",
      mount: { readOnly: true, recursiveReadOnly: "Enabled", mountPropagation: "HostToContainer" },
      isSupported: true,
      want: 'volume "v" requested recursive read-only mode, but it is not compatible with propagation "HostToContainer"',
    },
    {
      name: "the mode is unknown",
      mount: { readOnly: true, recursiveReadOnly: "Perhaps" },
      isSupported: true,
      want: 'unknown recursive read-only mode "Perhaps"',
    },
  ])("$name", ({ mount, isSupported, want }) => {
    const decide = () => decideRecursiveReadOnly({ name: "v", mountPath: "/m", ...mount }, { isSupported });
    if (typeof want === "string") expect(decide).toThrow(`failed to resolve recursive read-only mode: ${want}`);
    else expect(decide()).toBe(want);
  });
});
