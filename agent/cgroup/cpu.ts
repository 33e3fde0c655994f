const MIN_SHARES = 2;
const MAX_SHARES = 262_144;
const SHARES_PER_CPU = 1024;
const MAX_WEIGHT = 10_000;
/** Microseconds: less than this the kernel does not take. */
const MIN_QUOTA = 1000;

/** cgroup v1 `cpu.shares` for a request: what CRI speaks. */
export function cpuShares(requestMilli: number): number {
  if (requestMilli === 0) return MIN_SHARES;
  return Math.min(MAX_SHARES, Math.max(MIN_SHARES, Math.floor((requestMilli * SHARES_PER_CPU) / 1000)));
}

/**
 * cgroup v2 `cpu.weight`, 1 to 10000, in the kubelet's linear formula: that of pods, QoS classes and the node. A container's
 * own weight comes from its runtime, which has another formula since runc 1.3.2 and crun 1.23, so that one CPU is about
 * as much as the default weight of 100; hence pod and container differ (RES-05).
 * @see KEP-2254
 */
export const cpuWeight = (shares: number): number =>
  shares >= MAX_SHARES ? MAX_WEIGHT : 1 + Math.floor(((shares - MIN_SHARES) * 9999) / (MAX_SHARES - MIN_SHARES));

/** Microseconds of CPU time in each period; 0 without a limit. @param period microseconds */
export function cpuQuota(limitMilli: number, period: number): number {
  if (limitMilli === 0) return 0;
  return Math.max(MIN_QUOTA, Math.floor((limitMilli * period) / 1000));
}
