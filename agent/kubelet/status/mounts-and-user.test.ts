import { expect, it } from "vitest";
import { aContainer, anInstance, aPod, observation } from "../../../test/builders/kubelet.ts";
import { decideContainerStatuses } from "./container-statuses.ts";

const mounts = [
  { name: "deep", mountPath: "/deep", readOnly: true, recursiveReadOnly: "IfPossible" },
  { name: "shallow", mountPath: "/shallow", readOnly: true },
  { name: "open", mountPath: "/open" },
];
const container = aContainer("main", { volumeMounts: mounts });
const statusOf = (fields: Partial<ReturnType<typeof anInstance>>) =>
  decideContainerStatuses("regular", {
    pod: aPod({ containers: [container] }),
    observed: observation([anInstance("main", "running", fields)]),
    previous: [],
    restartedAll: false,
    startErrors: new Map(),
    isReady: () => true,
    isStarted: () => true,
  })[0]!;

it("tells which mounts are read-only all the way down: those that the runtime has made so", () => {
  expect(statusOf({ recursiveReadOnly: ["/deep"] }).volumeMounts).toEqual([
    { name: "deep", mountPath: "/deep", readOnly: true, recursiveReadOnly: "Enabled" },
    { name: "shallow", mountPath: "/shallow", readOnly: true, recursiveReadOnly: "Disabled" },
    { name: "open", mountPath: "/open" },
  ]);
  expect(statusOf({}).volumeMounts?.[0]).toMatchObject({ recursiveReadOnly: "Disabled" });
});

it("tells as whom the container runs, if the runtime does", () => {
  const user = { uid: 7, gid: 8, supplementalGroups: [9] };
  expect(statusOf({ user }).user).toEqual({ linux: user });
  expect(statusOf({})).not.toHaveProperty("user");
});
