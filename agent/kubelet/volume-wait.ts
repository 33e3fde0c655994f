import { describeWait } from "../volumes/index.ts";

/** A kubelet waits this long for a pod's volumes before it says so and begins anew (podAttachAndMountTimeout). */
const VOLUME_WAIT_MS = 123_000;

/** How long a pod has waited for its volumes. */
export interface VolumeWait {
  /** They are not there. @returns what to tell, once the wait is over; it then begins anew */
  failed(volumes: string[], nowMs: number): string | undefined;
  /** They are there. */
  succeeded(): void;
}

export function createVolumeWait(): VolumeWait {
  let sinceMs: number | undefined;
  return {
    failed(volumes, nowMs) {
      sinceMs ??= nowMs;
      if (nowMs - sinceMs < VOLUME_WAIT_MS) return undefined;
      sinceMs = nowMs;
      return describeWait(volumes, [], "context deadline exceeded");
    },
    succeeded() {
      sinceMs = undefined;
    },
  };
}
