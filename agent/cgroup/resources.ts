import type { Container, Pod, ResourceRequirements } from "../api/index.ts";
import type { LinuxResources } from "../cri/index.ts";
import { bytes, cpuMilli } from "./quantity.ts";

const MIN_SHARES = 2;
const MAX_SHARES = 262_144;
const SHARES_PER_CPU = 1024;
/** Microseconds: the kubelet's cpuCFSQuotaPeriod. */
const QUOTA_PERIOD = 100_000;
const MIN_QUOTA = 1000;

export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

/** cgroup v1 `cpu.shares` for a request; what the runtime turns into `cpu.weight` on v2. */
export function cpuShares(requestMilli: number): number {
  if (requestMilli === 0) return MIN_SHARES;
  return Math.min(MAX_SHARES, Math.max(MIN_SHARES, Math.floor((requestMilli * SHARES_PER_CPU) / 1000)));
}

/** Microseconds of CPU time in each period; 0 without a limit. */
export function cpuQuota(limitMilli: number): number {
  if (limitMilli === 0) return 0;
  return Math.max(MIN_QUOTA, Math.floor((limitMilli * QUOTA_PERIOD) / 1000));
}

/** By the requests and limits for cpu and memory of all containers. @see pod-qos */
export function qosClass({ spec }: Pod): QosClass {
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  const sums = { requests: new Map<string, number>(), limits: new Map<string, number>() };
  let guaranteed = true;
  const requirements = spec.resources ? [spec.resources] : containers.map(({ resources }) => resources);
  for (const resources of requirements) {
    for (const kind of ["requests", "limits"] as const) {
      for (const name of ["cpu", "memory"]) {
        const text = resources?.[kind]?.[name];
        const value = text === undefined ? 0 : cpuMilli(text);
        if (value > 0) sums[kind].set(name, (sums[kind].get(name) ?? 0) + value);
        else if (kind === "limits") guaranteed = false;
      }
    }
  }
  if (sums.requests.size === 0 && sums.limits.size === 0) return "BestEffort";
  const equal = ["cpu", "memory"].every((name) => {
    const limit = sums.limits.get(name);
    return limit !== undefined && (sums.requests.get(name) ?? limit) === limit;
  });
  return guaranteed && equal ? "Guaranteed" : "Burstable";
}

const CRITICAL_PRIORITY = 2_000_000_000;

/**
 * How soon the kernel kills the container when the node runs out of memory, -997 to 1000: the less memory it asked for,
 * the sooner. @see kubelet/qos/policy.go for the numbers
 */
export function oomScoreAdj(pod: Pod, container: Container, nodeMemoryBytes: number): number {
  if ((pod.spec.priority ?? 0) >= CRITICAL_PRIORITY) return -997;
  const qos = qosClass(pod);
  if (qos === "Guaranteed") return -997;
  if (qos === "BestEffort") return 1000;
  const request = requestOf(container.resources, "memory", bytes);
  const score = 1000 - Math.floor((1000 * request) / nodeMemoryBytes);
  if (score < 1000 + -997) return 1000 + -997;
  return score === 1000 ? 999 : score;
}

/** A request defaults to the limit (the API server writes that too). */
function requestOf(resources: ResourceRequirements | undefined, name: string, parse: (text: string) => number): number {
  const text = resources?.requests?.[name] ?? resources?.limits?.[name];
  return text === undefined ? 0 : parse(text);
}

const limitOf = (resources: ResourceRequirements | undefined, name: string, parse: (text: string) => number) => {
  const text = resources?.limits?.[name];
  return text === undefined ? 0 : parse(text);
};

export function containerResources(pod: Pod, container: Container, nodeMemoryBytes: number): LinuxResources {
  const quota = cpuQuota(limitOf(container.resources, "cpu", cpuMilli));
  const memory = limitOf(container.resources, "memory", bytes);
  return {
    cpuShares: cpuShares(requestOf(container.resources, "cpu", cpuMilli)),
    cpuPeriod: QUOTA_PERIOD,
    ...(quota > 0 && { cpuQuota: quota }),
    ...(memory > 0 && { memoryLimitInBytes: memory }),
    oomScoreAdj: oomScoreAdj(pod, container, nodeMemoryBytes),
  };
}

/** The pod's cgroup, in the layout of the cgroupfs driver, under `root` (so that agents side by side keep apart). */
export const podCgroupParent = (pod: Pod, root = "/kubepods"): string =>
  cgroupPath(pod.metadata.uid, qosClass(pod), root);

/** Where the cgroup of a pod may be of which no more than the uid is known. */
export const podCgroupPaths = (uid: string, root: string): string[] =>
  (["Guaranteed", "Burstable", "BestEffort"] as const).map((qos) => cgroupPath(uid, qos, root));

const cgroupPath = (uid: string, qos: QosClass, root: string) =>
  qos === "Guaranteed" ? `${root}/pod${uid}` : `${root}/${qos.toLowerCase()}/pod${uid}`;
