import type { ResourceAmounts } from "../../shared/api/pod-requests.ts";
import type { ResourceClaim } from "../../shared/api/types.ts";
import { count, type Evaluator } from "./evaluator.ts";

const COUNT = "count/resourceclaims.resource.k8s.io";
const OF_CLASS = ".deviceclass.resource.k8s.io/devices";
/** A claim for all devices counts as the most that one claim may be given. */
const MAX_ALLOCATED_DEVICES = 32;

interface Wanted {
  deviceClassName?: string;
  allocationMode?: string;
  count?: number;
}

const devicesOf = ({ allocationMode = "ExactCount", count: number = 1 }: Wanted): number => {
  if (allocationMode === "All") return MAX_ALLOCATED_DEVICES;
  return allocationMode === "ExactCount" ? number : 0;
};

/** Of alternatives the one that takes most of a class counts. */
function devicesByClass(alternatives: Wanted[]): Map<string, number> {
  const most = new Map<string, number>();
  for (const wanted of alternatives) {
    const { deviceClassName = "" } = wanted;
    most.set(deviceClassName, Math.max(most.get(deviceClassName) ?? 0, devicesOf(wanted)));
  }
  return most;
}

/** Resource claims use devices of their classes (KEP-4840). */
export const resourceClaimEvaluator: Evaluator = {
  handles: ({ operation, subresource }) => !subresource && operation !== "DELETE",
  matching: (names) => names.filter((name) => name === COUNT || name.endsWith(OF_CLASS)),
  usage(object) {
    const total = new Map<string, number>();
    for (const { exactly, firstAvailable = [] } of (object as unknown as ResourceClaim).spec.devices?.requests ?? []) {
      const alternatives: Wanted[] = firstAvailable.length > 0 ? firstAvailable : exactly ? [exactly] : [];
      for (const [name, number] of devicesByClass(alternatives)) total.set(name, (total.get(name) ?? 0) + number);
    }
    const used: ResourceAmounts = new Map([[COUNT, count(1)]]);
    for (const [name, number] of total) used.set(`${name}${OF_CLASS}`, count(number));
    return used;
  },
};
