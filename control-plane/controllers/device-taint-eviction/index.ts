/**
 * Deletes pods that use devices with NoExecute taints which their claims do not tolerate, or no longer (KEP-5055). The taints
 * are those that drivers write into ResourceSlices: DeviceTaintRules are off by default.
 */
import { PODS, RESOURCE_CLAIMS, RESOURCE_SLICES } from "../../../shared/api/refs.ts";
import type { Pod, ResourceClaim, ResourceSlice } from "../../../shared/api/types.ts";
import { type ControllerDefinition, type Enqueue, type InformerEvent, keyOf } from "../../runtime/index.ts";
import { BY_RESOURCE_CLAIM, byResourceClaim } from "../by-resource-claim.ts";
import { BY_POOL, type Deps, reconcile } from "./reconcile.ts";
import { allocatedDevices, hasEvictingTaint, poolOfDevice, poolOfSlice } from "./tainted-devices.ts";

/** A key is that of a pod. */
export const deviceTaintEvictionController: ControllerDefinition = {
  name: "device-taint-eviction",
  serviceAccount: "device-taint-eviction-controller",
  eventSource: "device-taint-eviction-controller",
  build(base) {
    const deps: Deps = {
      ...base,
      pods: base.informer<Pod>(PODS),
      claims: base.informer<ResourceClaim>(RESOURCE_CLAIMS),
      slices: base.informer<ResourceSlice>(RESOURCE_SLICES),
      waiting: new Map(),
    };
    deps.pods.addIndex(BY_RESOURCE_CLAIM, byResourceClaim);
    deps.claims.addIndex(BY_POOL, (claim) => [...new Set(allocatedDevices(claim).map(poolOfDevice))]);
    deps.slices.addIndex(BY_POOL, (slice) => [poolOfSlice(slice)]);
    return { concurrency: 8, start: (enqueue) => start(deps, enqueue), reconcile: (key) => reconcile(key, deps) };
  },
};

function start(deps: Deps, enqueue: Enqueue): void {
  const { pods, claims, slices, waiting } = deps;
  const lookAtUsers = (claim: ResourceClaim) => {
    for (const pod of pods.byIndex(BY_RESOURCE_CLAIM, keyOf(claim))) enqueue(keyOf(pod));
  };
  pods.onEvent((event) => {
    const key = keyOf(event.object);
    if (waiting.has(key) || (event.object.spec.resourceClaims?.length && !isSame(event))) enqueue(key);
  });
  claims.onEvent(({ object }) => lookAtUsers(object));
  slices.onEvent((event) => {
    const pool = poolOfSlice(event.object);
    const before = event.type === "updated" ? event.old : event.object;
    // Also a slice without taints counts: one of a new generation ends those of the old one.
    if (![before, ...slices.byIndex(BY_POOL, pool)].some(hasEvictingTaint)) return;
    for (const claim of claims.byIndex(BY_POOL, pool)) lookAtUsers(claim);
  });
}

const isSame = (event: InformerEvent<Pod>): boolean =>
  event.type === "updated" &&
  event.old.spec.nodeName === event.object.spec.nodeName &&
  JSON.stringify(event.old.status?.resourceClaimStatuses) ===
    JSON.stringify(event.object.status?.resourceClaimStatuses);
