import type { DeviceClass, ResourceClaim, ResourceSlice } from "../../../shared/api/types.ts";

export type Allocation = NonNullable<NonNullable<ResourceClaim["status"]>["allocation"]>;
export type AllocatedDevice = NonNullable<NonNullable<Allocation["devices"]>["results"]>[number];
export type Device = NonNullable<ResourceSlice["spec"]["devices"]>[number];
export type DeviceRequest = NonNullable<NonNullable<ResourceClaim["spec"]["devices"]>["requests"]>[number];

/** What there is of devices, and who has them. Undefined: no such object. */
export interface Devices {
  claim(namespace: string, name: string): ResourceClaim | undefined;
  deviceClass(name: string): DeviceClass | undefined;
  slices(): readonly ResourceSlice[];
  /** Whether a claim was given devices of which the API does not know yet. */
  isBeingAllocated(uid: string): boolean;
  /** Devices, by `deviceId`, that a claim has for itself, those just chosen among them. */
  allocated(): ReadonlySet<string>;
}

/** A cluster without any devices. */
export const NO_DEVICES: Devices = {
  claim: () => undefined,
  deviceClass: () => undefined,
  slices: () => [],
  isBeingAllocated: () => false,
  allocated: () => new Set(),
};

/** The name of a device in its cluster. */
export const deviceId = ({ driver, pool, device }: { driver: string; pool: string; device: string }): string =>
  `${driver}/${pool}/${device}`;

/** The devices that an allocation keeps from others: who has access as administrator keeps none. */
export const exclusiveDevices = ({ devices }: Allocation): string[] =>
  (devices?.results ?? []).filter(({ adminAccess }) => !adminAccess).map(deviceId);
