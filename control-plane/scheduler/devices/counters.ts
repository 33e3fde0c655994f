import { parseQuantity } from "../../../shared/api/quantity.ts";
import type { Device } from "./devices.ts";
import type { PooledDevice } from "./pools.ts";

/**
 * Whether a pool's shared counters have enough left for one more device (KEP-4815).
 * @param isTaken whether another device of the pool is in use
 */
export function hasCountersFor({ pool, device }: PooledDevice, isTaken: (device: Device) => boolean): boolean {
  const consumed = device.consumesCounters ?? [];
  if (consumed.length === 0) return true;
  const taken = pool.allDevices.filter((other) => other.name !== device.name && isTaken(other));
  return consumed.every(({ counterSet, counters }) =>
    Object.entries(counters).every(([name, { value }]) => {
      let left = parseQuantity(pool.counters.get(counterSet)![name]!.value).nanos;
      for (const other of taken) left -= consumptionOf(other, counterSet, name);
      return parseQuantity(value).nanos <= left;
    }),
  );
}

function consumptionOf({ consumesCounters = [] }: Device, counterSet: string, name: string): bigint {
  let sum = 0n;
  for (const consumed of consumesCounters) {
    if (consumed.counterSet !== counterSet || !Object.hasOwn(consumed.counters, name)) continue;
    sum += parseQuantity(consumed.counters[name]!.value).nanos;
  }
  return sum;
}
