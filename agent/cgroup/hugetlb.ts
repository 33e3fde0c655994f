import type { ResourceAmounts } from "../../shared/api/pod-requests.ts";
import { parseQuantity, wholeUnits } from "../../shared/api/quantity.ts";

const PREFIX = "hugepages-";
const UNITS = ["B", "KB", "MB", "GB"];

/** How cgroupfs names a page size: 2097152 is `2MB`. @param bytes a power of two */
export function pageSizeName(bytes: number): string {
  const unit = Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  return `${bytes / 1024 ** unit}${UNITS[unit]}`;
}

/** Every page size that the kernel has; those that nobody asked for are 0. */
export function hugetlbLimits(amounts: ResourceAmounts, sizes: readonly string[]): Record<string, number> {
  const limits = Object.fromEntries(sizes.map((size) => [size, 0]));
  for (const [name, amount] of amounts) {
    if (!name.startsWith(PREFIX)) continue;
    const size = pageSizeName(wholeUnits(parseQuantity(name.slice(PREFIX.length))));
    if (size in limits) limits[size] = wholeUnits(amount);
  }
  return limits;
}
