import type { KubeObject } from "../../shared/api/object.ts";
import { ignoreStale } from "../../shared/api/status.ts";
import type { ApiClient, ResourceRef } from "../../shared/client/api-client.ts";

/**
 * What a protection finalizer wants:
 * - add: the object lives and lacks it (it was made before admission gave it)
 * - release: the object is being deleted, and nothing uses it any more, as far as is known
 * - keep: neither
 */
export type ProtectionStep = "add" | "release" | "keep";

/** @param isUsed called only for an object that is being deleted */
export function decideProtection({ metadata }: KubeObject, finalizer: string, isUsed: () => boolean): ProtectionStep {
  const isHeld = metadata.finalizers?.includes(finalizer) ?? false;
  if (!metadata.deletionTimestamp) return isHeld ? "keep" : "add";
  return isHeld && !isUsed() ? "release" : "keep";
}

/** Writes the step's list of finalizers; an object that changed meanwhile comes back as another event. */
export async function takeProtectionStep(
  api: ApiClient,
  ref: ResourceRef,
  { object, finalizer, step }: { object: KubeObject; finalizer: string; step: ProtectionStep },
): Promise<void> {
  if (step === "keep") return;
  const { name, namespace, uid, resourceVersion, finalizers: present = [] } = object.metadata;
  const finalizers = step === "add" ? [...present, finalizer] : present.filter((other) => other !== finalizer);
  await api
    .patch(ref, { name, namespace }, "merge", { metadata: { uid, resourceVersion, finalizers } })
    .catch(ignoreStale);
}
