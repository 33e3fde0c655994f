import { parseAmounts } from "../../shared/api/pod-requests.ts";
import { milliUnits, wholeUnits, ZERO_QUANTITY } from "../../shared/api/quantity.ts";
import {
  type CgroupDriver,
  type CgroupSettings,
  pageSizeName,
  parseCgroupName,
  reservedLimits,
} from "../cgroup/index.ts";
import { parseDurationMs } from "./duration.ts";
import type { KubeletConfiguration } from "./kubelet-configuration.ts";

/** What of the machine counts here. */
export interface Machine {
  cgroupVersion: 1 | 2;
  cpuMilli: number;
  memoryBytes: number;
  swapBytes: number;
  /** How many processes the kernel takes. */
  maxPids: number;
  /** Bytes in all pages of a size, by the size as Kubernetes names it: `2Mi`. */
  hugepages: Record<string, number>;
}

/** @param facts.defaultRoot the parent of the tree of pods where the configuration names none */
export function decideCgroupSettings(
  config: KubeletConfiguration,
  machine: Machine,
  { driver, defaultRoot }: { driver: CgroupDriver; defaultRoot: string },
): CgroupSettings {
  const isEnforced = config.enforceNodeAllocatable.includes("pods");
  const reserved = isEnforced ? [parseAmounts(config.systemReserved), parseAmounts(config.kubeReserved)] : [];
  const rest = (name: string, capacity: number, count = wholeUnits) =>
    Math.max(0, capacity - reserved.reduce((sum, amounts) => sum + count(amounts.get(name) ?? ZERO_QUANTITY), 0));
  return {
    version: machine.cgroupVersion,
    driver,
    root: parseCgroupName(config.cgroupRoot || defaultRoot, driver),
    memoryBytes: machine.memoryBytes,
    allocatable: {
      cpuMilli: rest("cpu", machine.cpuMilli, milliUnits),
      memoryBytes: rest("memory", machine.memoryBytes),
      pids: rest("pid", machine.maxPids),
    },
    reserved: decideReserved(config, driver),
    swapBytes: machine.swapBytes,
    hugePageSizes: Object.keys(machine.hugepages).map((size) => pageSizeName(bytesOf(size))),
    enforcesCpuLimits: config.cpuCFSQuota,
    cpuPeriod: 1000 * (parseDurationMs(config.cpuCFSQuotaPeriod) ?? 100),
    podPidsLimit: config.podPidsLimit,
    killsGroups: machine.cgroupVersion === 2 && !config.singleProcessOOMKill,
    memoryThrottlingFactor: config.memoryThrottlingFactor,
    reservesMemory: config.memoryReservationPolicy === "TieredReservation",
    swapBehavior: config.memorySwap.swapBehavior === "LimitedSwap" ? "LimitedSwap" : "NoSwap",
  };
}

function decideReserved(config: KubeletConfiguration, driver: CgroupDriver): CgroupSettings["reserved"] {
  return (["system", "kube"] as const).flatMap((kind) => {
    const isWhole = config.enforceNodeAllocatable.includes(`${kind}-reserved`);
    if (!isWhole && !config.enforceNodeAllocatable.includes(`${kind}-reserved-compressible`)) return [];
    const cgroup = config[`${kind}ReservedCgroup`];
    const onlyCpu = !isWhole;
    const limits = reservedLimits(config[`${kind}Reserved`], { onlyCpu });
    return [{ of: kind, onlyCpu, cgroup, name: parseCgroupName(cgroup, driver), limits }];
  });
}

const bytesOf = (text: string) => wholeUnits(parseAmounts({ size: text }).get("size")!);
