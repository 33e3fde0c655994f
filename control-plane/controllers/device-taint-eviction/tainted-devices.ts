import type { ResourceClaim, ResourceSlice } from "../../../shared/api/types.ts";

type Device = NonNullable<ResourceSlice["spec"]["devices"]>[number];
export type DeviceTaint = NonNullable<Device["taints"]>[number];
/** A device that a claim has got. */
export type AllocatedDevice = NonNullable<
  NonNullable<NonNullable<NonNullable<ResourceClaim["status"]>["allocation"]>["devices"]>["results"]
>[number];

export const poolOfSlice = ({ spec }: ResourceSlice): string => `${spec.driver}/${spec.pool.name}`;
export const poolOfDevice = ({ driver, pool }: AllocatedDevice): string => `${driver}/${pool}`;

export const allocatedDevices = ({ status }: ResourceClaim): AllocatedDevice[] =>
  status?.allocation?.devices?.results ?? [];

const isEvicting = ({ effect }: DeviceTaint): boolean => effect === "NoExecute";

/** Whether pods may have to leave because of what the slice says of its devices. */
export const hasEvictingTaint = ({ spec }: ResourceSlice): boolean =>
  spec.devices?.some(({ taints }) => taints?.some(isEvicting)) ?? false;

/**
 * The taints of a device that send pods away.
 * @param slices of the device's pool; those of an earlier generation count no more
 */
export function evictingTaints(device: string, slices: readonly ResourceSlice[]): DeviceTaint[] {
  const generation = Math.max(...slices.map(({ spec }) => spec.pool.generation));
  for (const { spec } of slices) {
    if (spec.pool.generation !== generation) continue;
    const found = spec.devices?.find(({ name }) => name === device);
    if (found) return (found.taints ?? []).filter(isEvicting);
  }
  return [];
}
