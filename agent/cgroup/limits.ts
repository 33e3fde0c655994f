import {
  aggregateContainerLimits,
  effectiveRequests,
  parseAmounts,
  qosClass,
  type ResourceAmounts,
} from "../../shared/api/pod-requests.ts";
import { addQuantities, milliUnits, wholeUnits, ZERO_QUANTITY } from "../../shared/api/quantity.ts";
import type { Container, Pod } from "../api/index.ts";
import { cpuQuota, cpuShares, cpuWeight } from "./cpu.ts";
import { hugetlbLimits } from "./hugetlb.ts";
import type { CgroupSettings } from "./settings.ts";

/** What a cgroup v2 is set to; a field that is not there is left as it is. */
export interface CgroupLimits {
  cpuWeight?: number;
  /** Microseconds. */
  cpuMax?: { quota: number | "max"; period: number };
  /** Bytes, as all of memory. */
  memoryMax?: number | "max";
  memoryMin?: number;
  memoryLow?: number;
  pidsMax?: number | "max";
  /** Bytes by page size: `2MB`. */
  hugetlb?: Readonly<Record<string, number | "max">>;
}

const milli = (amounts: ResourceAmounts, name: string) => milliUnits(amounts.get(name) ?? ZERO_QUANTITY);
const whole = (amounts: ResourceAmounts, name: string) => wholeUnits(amounts.get(name) ?? ZERO_QUANTITY);

/**
 * The pod's own cgroup: its requests as weight; its limits only for resources that every container limits, init
 * containers too, or that the pod limits as a whole (RES-06).
 */
export function podLimits({ spec }: Pod, settings: CgroupSettings): CgroupLimits {
  const requests = effectiveRequests(spec);
  const qos = qosClass(spec);
  const period = settings.cpuPeriod;
  const isHeld = settings.enforcesCpuLimits && isLimited(spec, "cpu");
  const quota = isHeld ? cpuQuota(milli(effectiveLimits(spec), "cpu"), period) : 0;
  const memory = podMemoryLimit(spec);
  const requested = whole(requests, "memory");
  return {
    cpuWeight: cpuWeight(cpuShares(qos === "BestEffort" ? 0 : milli(requests, "cpu"))),
    cpuMax: { quota: quota || "max", period },
    memoryMax: memory || "max",
    ...(settings.reservesMemory &&
      requested > 0 &&
      (qos === "Guaranteed" ? { memoryMin: requested } : { memoryLow: requested })),
    ...(settings.podPidsLimit > 0 && { pidsMax: settings.podPidsLimit }),
    hugetlb: hugetlbLimits(requests, settings.hugePageSizes),
  };
}

/** Bytes that all of a pod may have together; 0 without such a limit. */
export const podMemoryLimit = (spec: Pod["spec"]): number =>
  isLimited(spec, "memory") ? whole(effectiveLimits(spec), "memory") : 0;

function isLimited(spec: Pod["spec"], name: "cpu" | "memory"): boolean {
  const qos = qosClass(spec);
  return (
    qos === "Guaranteed" || (qos === "Burstable" && (isPositive(spec.resources?.limits, name) || limitsAll(spec, name)))
  );
}

function effectiveLimits(spec: Pod["spec"]): ResourceAmounts {
  const limits = aggregateContainerLimits(spec);
  for (const [name, amount] of parseAmounts(spec.resources?.limits)) limits.set(name, amount);
  for (const [name, amount] of parseAmounts(spec.overhead)) {
    const known = limits.get(name);
    if (known) limits.set(name, addQuantities(known, amount));
  }
  return limits;
}

function limitsAll({ containers, initContainers = [] }: Pod["spec"], name: string): boolean {
  return [...containers, ...initContainers].every((container: Container) =>
    isPositive(container.resources?.limits, name),
  );
}

const isPositive = (texts: Record<string, string> | undefined, name: string) =>
  wholeUnits(parseAmounts(texts).get(name) ?? ZERO_QUANTITY) > 0;

/** The pods of one node by class. Guaranteed ones hang in the node's cgroup itself (RES-01). */
export interface QosLimits {
  node: CgroupLimits;
  burstable: CgroupLimits;
  bestEffort: CgroupLimits;
}

/**
 * The cgroups over the pods: burstable pods together weigh as much as they ask for, best-effort ones next to nothing, and
 * all of them get what is allocatable (RES-03, RES-04).
 * @param pods those that have not ended
 */
export function qosLimits(pods: readonly Pod[], settings: CgroupSettings): QosLimits {
  const { allocatable, hugePageSizes, reservesMemory } = settings;
  const sum = (qos: string, pick: (requests: ResourceAmounts) => number) =>
    pods
      .filter(({ spec }) => qosClass(spec) === qos)
      .reduce((total, { spec }) => total + pick(effectiveRequests(spec)), 0);
  const burstableMemory = sum("Burstable", (requests) => whole(requests, "memory"));
  const guaranteedMemory = sum("Guaranteed", (requests) => whole(requests, "memory"));
  const unbounded = Object.fromEntries(hugePageSizes.map((size): [string, "max"] => [size, "max"]));
  return {
    node: {
      cpuWeight: cpuWeight(cpuShares(allocatable.cpuMilli)),
      memoryMax: allocatable.memoryBytes,
      pidsMax: allocatable.pids,
      hugetlb: unbounded,
      // The parent must cover what is promised below it.
      memoryMin: reservesMemory ? guaranteedMemory + burstableMemory : 0,
    },
    burstable: {
      cpuWeight: cpuWeight(cpuShares(sum("Burstable", (requests) => milli(requests, "cpu")))),
      hugetlb: unbounded,
      memoryLow: reservesMemory ? burstableMemory : 0,
    },
    bestEffort: { cpuWeight: cpuWeight(cpuShares(0)), hugetlb: unbounded },
  };
}

/** Of a cgroup with the system's or the node's own daemons, from its reserve. @param onlyCpu for the compressible kinds */
export function reservedLimits(reserved: Record<string, string>, { onlyCpu }: { onlyCpu: boolean }): CgroupLimits {
  const amounts = parseAmounts(reserved);
  return {
    ...(amounts.has("cpu") && { cpuWeight: cpuWeight(cpuShares(milli(amounts, "cpu"))) }),
    ...(!onlyCpu && amounts.has("memory") && { memoryMax: whole(amounts, "memory") }),
    ...(!onlyCpu && amounts.has("pid") && { pidsMax: whole(amounts, "pid") }),
  };
}
