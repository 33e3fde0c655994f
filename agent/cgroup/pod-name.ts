import { qosClass } from "../../shared/api/pod-requests.ts";
import type { Pod } from "../api/index.ts";
import { type CgroupName, cgroupPath } from "./name.ts";
import type { CgroupSettings } from "./settings.ts";

type Place = Pick<CgroupSettings, "root" | "driver">;

/** The cgroups over the pods of a node. Guaranteed pods hang in the first one itself (RES-01). */
export const nodeCgroups = (root: CgroupName) => ({
  node: [...root, "kubepods"],
  burstable: [...root, "kubepods", "burstable"],
  bestEffort: [...root, "kubepods", "besteffort"],
});

/** Where the cgroup of a pod is. */
export function podCgroupName(pod: Pod, root: CgroupName): CgroupName {
  const { node, burstable, bestEffort } = nodeCgroups(root);
  const parents = { Guaranteed: node, Burstable: burstable, BestEffort: bestEffort };
  return [...parents[qosClass(pod.spec)], `pod${pod.metadata.uid}`];
}

/** Where the cgroup of a pod may be of which no more than the uid is known. */
export const podCgroupNames = (uid: string, root: CgroupName): CgroupName[] =>
  Object.values(nodeCgroups(root)).map((parent) => [...parent, `pod${uid}`]);

/** The cgroup over all pods of the node. */
export const nodeCgroupPath = ({ root, driver }: Place): string => cgroupPath(nodeCgroups(root).node, driver);

/** As the runtime is told it: the parent of the cgroups of a pod's containers. */
export const podCgroupParent = (pod: Pod, { root, driver }: Place): string =>
  cgroupPath(podCgroupName(pod, root), driver);
