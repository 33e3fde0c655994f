import { describe, expect, it } from "vitest";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import { cgroupPath, parseCgroupName, sliceUnit } from "./name.ts";
import { podCgroupNames, podCgroupParent } from "./pod-name.ts";

const UID = "7d672ea5-d2db-4c8e-be14-cd10571ef470";
const burstable = aPod({ containers: [aContainer("a", { resources: { requests: { cpu: "1" } } })] }, { uid: UID });
const all = { cpu: "1", memory: "1" };
const guaranteed = aPod({ containers: [aContainer("a", { resources: { requests: all, limits: all } })] });

describe("a pod's cgroup (RES-01, RES-02)", () => {
  it.each([
    { pod: aPod(), root: [], driver: "cgroupfs", want: "/kubepods/besteffort/podu1" },
    { pod: burstable, root: [], driver: "cgroupfs", want: `/kubepods/burstable/pod${UID}` },
    { pod: guaranteed, root: [], driver: "cgroupfs", want: "/kubepods/podu1" },
    { pod: guaranteed, root: ["hearth-x"], driver: "cgroupfs", want: "/hearth-x/kubepods/podu1" },
    {
      pod: burstable,
      root: [],
      driver: "systemd",
      want: "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod7d672ea5_d2db_4c8e_be14_cd10571ef470.slice",
    },
    { pod: guaranteed, root: [], driver: "systemd", want: "/kubepods.slice/kubepods-podu1.slice" },
    {
      pod: guaranteed,
      root: ["kubelet"],
      driver: "systemd",
      want: "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-podu1.slice",
    },
  ] as const)("is $want", ({ pod, root, driver, want }) => expect(podCgroupParent(pod, { root, driver })).toBe(want));

  it("may be in three places when only the uid is known", () => {
    expect(podCgroupNames("u1", []).map((name) => cgroupPath(name, "cgroupfs"))).toEqual([
      "/kubepods/podu1",
      "/kubepods/burstable/podu1",
      "/kubepods/besteffort/podu1",
    ]);
  });
});

it("the root is a slice too", () => expect(sliceUnit([])).toBe("-.slice"));

it.each([
  { text: "/", driver: "cgroupfs", want: [] },
  { text: "", driver: "systemd", want: [] },
  { text: "/hearth-x", driver: "cgroupfs", want: ["hearth-x"] },
  { text: "/hearth-x", driver: "systemd", want: ["hearth-x"] },
  { text: "/system.slice", driver: "systemd", want: ["system"] },
  { text: "/kubelet.slice/kubelet-a_b.slice", driver: "systemd", want: ["kubelet", "a-b"] },
  { text: "/system.slice", driver: "cgroupfs", want: ["system.slice"] },
] as const)("$text with $driver names $want", ({ text, driver, want }) =>
  expect(parseCgroupName(text, driver)).toEqual(want),
);
