import type { Pod, ResourceClaim, ResourceSlice } from "../../../shared/api/types.ts";
import { type ControllerDeps, done, type Informer, printTime, type Requeue, splitKey } from "../../runtime/index.ts";
import { evictPod } from "../evict-pod.ts";
import { decideEviction } from "./decide.ts";
import { evictingTaints, poolOfDevice } from "./tainted-devices.ts";

/** Index of slices, and of claims by their devices', by the pool. */
export const BY_POOL = "device-pool";

export interface Deps extends ControllerDeps {
  pods: Informer<Pod>;
  claims: Informer<ResourceClaim>;
  slices: Informer<ResourceSlice>;
  /** The uids, by key, of pods that wait for their eviction, as far as this run knows: its end is told in an event. */
  waiting: Map<string, string>;
}

export async function reconcile(key: string, deps: Deps): Promise<Requeue> {
  const { pods, claims, slices, clock, waiting, log, api } = deps;
  const pod = pods.get(key);
  const { uid = "", deletionTimestamp } = pod?.metadata ?? {};
  if (!pod || deletionTimestamp || waiting.get(key) !== uid) waiting.delete(key);
  if (!pod) return done;
  const { namespace } = splitKey(key);
  const evictAtMs = decideEviction(pod, {
    claim: (name) => claims.get(`${namespace}/${name}`),
    taints: (device) => evictingTaints(device.device, slices.byIndex(BY_POOL, poolOfDevice(device))),
  });
  const tell = (message: string) => deps.events.event(pod, "Normal", "DeviceTaintManagerEviction", message);
  const nowMs = clock.nowMs();
  if (evictAtMs === undefined) {
    if (waiting.delete(key)) tell("Cancelling deletion");
    return done;
  }
  const isNews = !waiting.has(key);
  if (evictAtMs > nowMs) {
    if (isNews) log.info("device-taint-eviction plan", { key, evictAtMs });
    waiting.set(key, uid);
    return { afterMs: evictAtMs - nowMs };
  }
  log.info("device-taint-eviction plan", { key, evict: true });
  waiting.delete(key);
  tell("Marking for deletion");
  const why = {
    reason: "DeletionByDeviceTaintManager",
    message: "Device Taint manager: deleting due to NoExecute taint",
    lastTransitionTime: printTime(nowMs),
  };
  await evictPod(pod, why, api);
  return done;
}
