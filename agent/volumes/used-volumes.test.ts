import { expect, it } from "vitest";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import { usedVolumes } from "./used-volumes.ts";

it("those that any kind of container mounts, in the order of the spec", () => {
  const mounts = (name: string) => ({ volumeMounts: [{ name, mountPath: "/v" }] });
  const pod = aPod({
    volumes: ["unused", "of-debugger", "of-init", "device", "of-main"].map((name) => ({ name, emptyDir: {} })),
    initContainers: [aContainer("i", mounts("of-init"))],
    containers: [
      aContainer("a", mounts("of-main")),
      aContainer("b", { volumeDevices: [{ name: "device", devicePath: "/d" }] }),
    ],
    ephemeralContainers: [{ name: "e", image: "x", ...mounts("of-debugger") }],
  });
  expect(usedVolumes(pod).map(({ name }) => name)).toEqual(["of-debugger", "of-init", "device", "of-main"]);
  expect(usedVolumes(aPod())).toEqual([]);
});
