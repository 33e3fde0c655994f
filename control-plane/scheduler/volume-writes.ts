import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from "../../shared/api/refs.ts";
import type { PersistentVolumeClaim } from "../../shared/api/types.ts";
import { BOUND_BY_CONTROLLER, isVolumeBoundTo, SELECTED_NODE } from "../../shared/api/volume-binding.ts";
import { type ControllerDeps, referenceTo } from "../runtime/index.ts";
import type { VolumeChoices } from "./volumes/index.ts";

/**
 * Tells the volume controller what was chosen for a node. May be repeated.
 * @returns the claims as they are now
 * @throws what the API says: Conflict if a volume or claim has changed since it was looked at
 */
export async function carryOutChoices(
  { bind, provision }: VolumeChoices,
  node: string,
  api: ControllerDeps["api"],
): Promise<PersistentVolumeClaim[]> {
  const bound = bind.map(async ({ claim, volume }) => {
    const { name, resourceVersion } = volume.metadata;
    const annotations = isVolumeBoundTo(volume, claim) ? {} : { annotations: { [BOUND_BY_CONTROLLER]: "yes" } };
    const metadata = { resourceVersion, ...annotations };
    await api.patch(PERSISTENT_VOLUMES, { name }, "merge", { metadata, spec: { claimRef: referenceTo(claim) } });
    return claim;
  });
  const provisioned = provision.map(({ metadata: { name, namespace, resourceVersion } }) => {
    const metadata = { resourceVersion, annotations: { [SELECTED_NODE]: node } };
    return api.patch<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, { name, namespace }, "merge", { metadata });
  });
  return Promise.all([...bound, ...provisioned]);
}
