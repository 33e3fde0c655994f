import type { CgroupLimits } from "./limits.ts";

/** A property of a systemd unit, in busctl's words: name, D-Bus signature, values. */
export type UnitProperty = readonly [name: string, signature: string, ...values: string[]];

/** systemd's "infinity". */
const INFINITY = "18446744073709551615";
/** systemd counts CPU time in hundredths of a second for each second. */
const QUOTA_STEP_US = 10_000;

/**
 * The same as limitFiles for systemd, which would else write its own values over ours. It knows nothing of huge pages.
 * @see org.freedesktop.systemd1(5)
 */
export function unitProperties(limits: CgroupLimits): UnitProperty[] {
  const properties: UnitProperty[] = [];
  const uint64 = (name: string, value: number | "max" | undefined) => {
    if (value !== undefined) properties.push([name, "t", value === "max" ? INFINITY : String(value)]);
  };
  uint64("CPUWeight", limits.cpuWeight);
  if (limits.cpuMax) {
    const { quota, period } = limits.cpuMax;
    uint64("CPUQuotaPerSecUSec", quota === "max" ? "max" : quotaPerSecond(quota, period));
    uint64("CPUQuotaPeriodUSec", period);
  }
  uint64("MemoryMax", limits.memoryMax);
  uint64("MemoryMin", limits.memoryMin);
  uint64("MemoryLow", limits.memoryLow);
  uint64("TasksMax", limits.pidsMax);
  return properties;
}

/** Microseconds of CPU time a second, rounded up to systemd's step. */
const quotaPerSecond = (quota: number, period: number) =>
  Math.ceil((quota * 1_000_000) / period / QUOTA_STEP_US) * QUOTA_STEP_US;
