import { tolerates } from "../../../shared/api/toleration.ts";
import type { Pod, ResourceClaim } from "../../../shared/api/types.ts";
import { controllerOf, parseTime } from "../../runtime/index.ts";
import { type AllocatedDevice, allocatedDevices, type DeviceTaint } from "./tainted-devices.ts";

export interface Known {
  /** A claim in the pod's namespace. */
  claim(name: string): ResourceClaim | undefined;
  /** The NoExecute taints that a device has now. */
  taints(device: AllocatedDevice): DeviceTaint[];
}

/**
 * When a pod has to leave for the devices that it uses (epoch ms); undefined: never. A taint that the claim does not
 * tolerate sends it away at once, counted from when the taint was put on; of several tolerations with a time the shortest
 * counts, and one without a time holds for ever. Only tolerations that name the effect count (KEP-5055).
 */
export function decideEviction(pod: Pod, known: Known): number | undefined {
  if (!pod.spec.nodeName || pod.metadata.deletionTimestamp) return undefined;
  const times = claimsInUse(pod, known).flatMap((claim) =>
    allocatedDevices(claim).flatMap((device) =>
      known.taints(device).flatMap((taint) => evictAtMs(device, taint) ?? []),
    ),
  );
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** The claims that are reserved for the pod: it alone uses them by that name. */
function claimsInUse(pod: Pod, known: Known): ResourceClaim[] {
  return (pod.spec.resourceClaims ?? []).flatMap(({ name, resourceClaimName }) => {
    const made = pod.status?.resourceClaimStatuses?.find((entry) => entry.name === name)?.resourceClaimName;
    const claim = known.claim(resourceClaimName ?? made ?? "");
    if (!claim) return [];
    const isOthers = resourceClaimName === undefined && controllerOf(claim)?.uid !== pod.metadata.uid;
    const isReserved = claim.status?.reservedFor?.some(({ uid }) => uid === pod.metadata.uid);
    return isReserved && !isOthers ? [claim] : [];
  });
}

function evictAtMs({ tolerations = [] }: AllocatedDevice, taint: DeviceTaint): number | undefined {
  const used = tolerations.filter((toleration) => toleration.effect === taint.effect && tolerates([toleration], taint));
  if (used.some(({ tolerationSeconds }) => tolerationSeconds === undefined)) return undefined;
  const seconds = used.map(({ tolerationSeconds = 0 }) => Math.max(0, tolerationSeconds));
  // The API server dates each taint.
  return parseTime(taint.timeAdded) + (used.length > 0 ? Math.min(...seconds) : 0) * 1000;
}
