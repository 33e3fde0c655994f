import type { DeviceClass, ResourceClaim } from "../../../shared/api/types.ts";
import type { Device, DeviceRequest, Devices } from "./devices.ts";
import type { Pool, PooledDevice } from "./pools.ts";
import type { DeviceSelectors } from "./selectors.ts";

/** Of one claim (upstream AllocationResultsMaxSize). */
export const MAX_RESULTS = 32;

/** A request, or one alternative of a request. */
export interface Wanted {
  request: string;
  /** The alternative's name. */
  subRequest: string | undefined;
  deviceClass: DeviceClass;
  count: number;
  /** Exactly these, where all that fit are asked for. */
  all: PooledDevice[] | undefined;
  adminAccess: boolean | undefined;
  tolerations: NonNullable<NonNullable<DeviceRequest["exactly"]>["tolerations"]>;
  isSelectable(candidate: PooledDevice): boolean;
}

export const nameOf = ({ request, subRequest }: Wanted): string =>
  subRequest === undefined ? request : `${request}/${subRequest}`;

interface Context {
  pools: readonly Pool[];
  devices: Pick<Devices, "deviceClass">;
  selectors: DeviceSelectors;
}

/**
 * The requests of a claim, each with its alternatives in the order of preference.
 * @throws Error in upstream's words where no node could ever give what is asked for, or not just now
 */
export function requestsOf(claim: ResourceClaim, context: Context): Wanted[][] {
  const requests = (claim.spec.devices?.requests ?? []).map(({ name, exactly, firstAvailable = [] }) =>
    exactly
      ? [wantedOf(claim, { ...exactly, request: name }, context)]
      : firstAvailable.map((sub) => wantedOf(claim, { ...sub, request: name, subRequest: sub.name }, context)),
  );
  const least = requests.reduce((sum, wanted) => sum + Math.min(...wanted.map(({ count }) => count)), 0);
  if (least > MAX_RESULTS) {
    const { namespace, name } = claim.metadata;
    throw new Error(
      `claim ${namespace}/${name}: number of requested devices ${least} exceeds the claim limit of ${MAX_RESULTS}`,
    );
  }
  return requests;
}

type Asked = NonNullable<DeviceRequest["exactly"]> & { request: string; subRequest?: string };

function wantedOf(claim: ResourceClaim, asked: Asked, { pools, devices, selectors }: Context): Wanted {
  const { request, subRequest, deviceClassName, allocationMode = "ExactCount", count = 1 } = asked;
  const { namespace, name } = claim.metadata;
  const ofClaim = `claim ${namespace}/${name}`;
  const ofRequest = `${ofClaim}, request ${subRequest ?? request}`;
  if (asked.capacity) {
    throw new Error(`${ofRequest}: has capacity requests, but the DRAConsumableCapacity feature is disabled`);
  }
  const deviceClass = devices.deviceClass(deviceClassName);
  if (!deviceClass) throw new Error(`${ofRequest}: could not retrieve device class ${deviceClassName}`);
  const isSelectable = ({ driver, device }: PooledDevice) =>
    isUsable(device) &&
    selectors.match(deviceClass.spec.selectors, driver, device, `class ${deviceClassName}`) &&
    selectors.match(asked.selectors, driver, device, ofClaim);
  const wanted = {
    request,
    subRequest,
    deviceClass,
    adminAccess: asked.adminAccess,
    tolerations: asked.tolerations ?? [],
    isSelectable,
  };
  if (allocationMode === "ExactCount") return { ...wanted, count, all: undefined };
  if (allocationMode !== "All") throw new Error(`${ofRequest}: unsupported count mode ${allocationMode}`);
  const all = pools.flatMap((pool) => allOf(pool, ofRequest).filter(isSelectable));
  return { ...wanted, count: all.length, all };
}

function allOf({ driver, name, isIncomplete, isInvalid, devices }: Pool, ofRequest: string): PooledDevice[] {
  const asksForAll = `${ofRequest}: asks for all devices, but resource pool ${driver}/${name} is currently`;
  if (isIncomplete) throw new Error(`${asksForAll} being updated`);
  if (isInvalid) throw new Error(`${asksForAll} invalid`);
  return devices;
}

/** Devices that a driver must make ready before a pod may be bound are left alone: nobody would wait for them here. */
const isUsable = ({ bindingConditions = [] }: Device): boolean => bindingConditions.length === 0;
