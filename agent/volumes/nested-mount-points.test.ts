import { describe, expect, it } from "vitest";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import { nestedMountPoints } from "./nested-mount-points.ts";

const pod = (...mounts: string[]) =>
  aPod({
    containers: [
      aContainer("main", {
        volumeMounts: mounts.map((mount) => ({ name: mount.split(":")[0]!, mountPath: mount.split(":")[1]! })),
      }),
    ],
  });

describe("nestedMountPoints", () => {
  it.each([
    { name: "none", mounts: ["v:/a", "w:/b"], want: [] },
    { name: "one within", mounts: ["v:/a", "w:/a/b/c"], want: ["b/c"] },
    { name: "the outermost alone", mounts: ["v:/a", "x:/a/b/c", "w:/a/b"], want: ["b"] },
    { name: "not what only begins alike", mounts: ["v:/a", "w:/ab", "x:/a/b", "y:/a/bc"], want: ["b", "bc"] },
    { name: "not those around it", mounts: ["w:/a", "v:/a/b"], want: [] },
    { name: "paths as they are meant", mounts: ["v:/a/", "w:/a//b/../c/"], want: ["c"] },
    { name: "at each of its places", mounts: ["v:/a", "v:/b", "w:/a/x", "x:/b/y"], want: ["x", "y"] },
  ])("$name", ({ mounts, want }) => expect(nestedMountPoints("v", pod(...mounts)).sort()).toEqual(want));

  it("looks into each kind of container", () => {
    const mounts = (path: string) => ({
      volumeMounts: [
        { name: "v", mountPath: "/a" },
        { name: "w", mountPath: path },
      ],
    });
    const all = aPod({
      containers: [aContainer("main", mounts("/a/main"))],
      initContainers: [aContainer("init", mounts("/a/init"))],
      ephemeralContainers: [{ name: "debug", image: "i", ...mounts("/a/debug") }],
    });
    expect(nestedMountPoints("v", all).sort()).toEqual(["debug", "init", "main"]);
  });

  it("refuses what leaves the container", () => {
    expect(() => nestedMountPoints("v", pod("v:../a"))).toThrow("invalid container mount point ../a");
  });
});
