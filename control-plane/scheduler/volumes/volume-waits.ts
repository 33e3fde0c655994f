import type { PersistentVolumeClaim } from "../../../shared/api/types.ts";
import { SELECTED_NODE } from "../../../shared/api/volume-binding.ts";
import { isBound } from "./claims.ts";
import type { Storage } from "./storage.ts";

/** How long a pod that has a node waits for its volumes (upstream bindTimeoutSeconds). */
export const BIND_TIMEOUT_MS = 600_000;

export interface PodOfVolumes {
  namespace: string;
  claims: readonly PersistentVolumeClaim[];
}

/** Pods whose node is chosen and whose volumes are being bound, by uid. Bounded by the number of pending pods. */
export class VolumeWaits<T extends PodOfVolumes> {
  readonly #waits = new Map<string, { pod: T; dueMs: number }>();

  add(uid: string, pod: T, nowMs: number): void {
    this.#waits.set(uid, { pod, dueMs: nowMs + BIND_TIMEOUT_MS });
  }

  has(uid: string): boolean {
    return this.#waits.has(uid);
  }

  remove(uid: string): void {
    this.#waits.delete(uid);
  }

  /** When the next wait is given up, epoch ms; undefined: none waits. */
  nextDueMs(): number | undefined {
    for (const { dueMs } of this.#waits.values()) return dueMs; // the first began first
    return undefined;
  }

  /** Those that wait no more: all is bound, or it will not be. They leave. */
  take(storage: Storage, nowMs: number): { pod: T; isBound: boolean }[] {
    const ended: { pod: T; isBound: boolean }[] = [];
    for (const [uid, { pod, dueMs }] of this.#waits) {
      const outcome = outcomeOf(pod, storage);
      if (outcome === "waiting" && dueMs > nowMs) continue;
      this.#waits.delete(uid);
      ended.push({ pod, isBound: outcome === "bound" });
    }
    return ended;
  }
}

function outcomeOf({ namespace, claims }: PodOfVolumes, storage: Storage): "bound" | "waiting" | "failed" {
  let outcome: "bound" | "waiting" = "bound";
  for (const { metadata } of claims) {
    const claim = storage.claim(namespace, metadata.name);
    if (!claim || claim.metadata.uid !== metadata.uid) return "failed";
    if (isBound(claim)) continue;
    // The provisioner takes the node away again where it could make nothing for it.
    const hadNode = metadata.annotations?.[SELECTED_NODE] !== undefined;
    const isNewer = Number(claim.metadata.resourceVersion) > Number(metadata.resourceVersion);
    if (hadNode && isNewer && claim.metadata.annotations?.[SELECTED_NODE] === undefined) return "failed";
    outcome = "waiting";
  }
  return outcome;
}
