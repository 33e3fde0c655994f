import { RESOURCE_CLAIMS } from "../../shared/api/refs.ts";
import { RESOURCE_CLAIM_FINALIZER } from "../../shared/api/resource-claim.ts";
import { isConflict, isNotFound } from "../../shared/api/status.ts";
import type { Pod, ResourceClaim } from "../../shared/api/types.ts";
import { type ControllerDeps, printTime } from "../runtime/index.ts";
import type { Allocation } from "./devices/index.ts";

/** Others write claims, too: drivers and the claim controller. */
const MAX_TRIES = 5;

type WriteDeps = Pick<ControllerDeps, "api" | "clock">;

/**
 * Writes what was chosen into a claim, and that the pod uses it. May be repeated.
 * @param allocation undefined where the claim has its devices already
 * @throws Error if the claim was deleted, or got devices from elsewhere; what the API says
 */
export async function reserveClaim(
  claim: ResourceClaim,
  { pod, allocation }: { pod: Pod; allocation: Allocation | undefined },
  deps: WriteDeps,
): Promise<void> {
  let current = claim;
  for (let tries = 1; ; tries++) {
    try {
      return await reserve(current, { pod, allocation }, deps);
    } catch (error) {
      if (!isConflict(error) || tries === MAX_TRIES) throw error;
      const { name, namespace, uid } = claim.metadata;
      current = await deps.api.get<ResourceClaim>(RESOURCE_CLAIMS, name, namespace);
      // Another one by its name may ask for other devices.
      if (current.metadata.uid !== uid) throw new Error(`claim ${namespace}/${name} got deleted in the meantime`);
    }
  }
}

async function reserve(
  claim: ResourceClaim,
  { pod, allocation }: { pod: Pod; allocation: Allocation | undefined },
  { api, clock }: WriteDeps,
): Promise<void> {
  const { name, namespace, deletionTimestamp, finalizers = [] } = claim.metadata;
  const key = `${namespace}/${name}`;
  if (deletionTimestamp) throw new Error(`claim ${key} got deleted in the meantime`);
  let current = claim;
  if (allocation) {
    if (claim.status?.allocation) throw new Error(`claim ${key} got allocated elsewhere in the meantime`);
    if (!finalizers.includes(RESOURCE_CLAIM_FINALIZER)) {
      const metadata = { ...claim.metadata, finalizers: [...finalizers, RESOURCE_CLAIM_FINALIZER] };
      current = await api.update<ResourceClaim>(RESOURCE_CLAIMS, { ...claim, metadata });
    }
  }
  const allocated = allocation ?? claim.status?.allocation;
  if (!allocated) throw new Error(`claim ${key} got deallocated elsewhere in the meantime`);
  const others = (current.status?.reservedFor ?? []).filter(({ uid }) => uid !== pod.metadata.uid);
  const status = {
    ...current.status,
    allocation: { ...allocated, allocationTimestamp: allocated.allocationTimestamp ?? printTime(clock.nowMs()) },
    reservedFor: [...others, { resource: "pods", name: pod.metadata.name, uid: pod.metadata.uid! }],
  };
  await api.update(RESOURCE_CLAIMS, { ...current, status } as ResourceClaim, "status");
}

/** The pod does not get its node after all; the claim keeps its devices for the next try. */
export async function unreserveClaim({ metadata }: ResourceClaim, pod: Pod, { api }: WriteDeps): Promise<void> {
  const { name, namespace, uid } = metadata;
  const status = { reservedFor: [{ $patch: "delete", uid: pod.metadata.uid }] };
  try {
    await api.patch(RESOURCE_CLAIMS, { name, namespace, subresource: "status" }, "strategic", {
      metadata: { uid },
      status,
    });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

/** Takes a claim's devices away, so that they can be chosen anew. */
export async function deallocateClaim(claim: ResourceClaim, { api }: WriteDeps): Promise<void> {
  const { allocation: _allocation, reservedFor: _users, devices: _devices, ...status } = claim.status ?? {};
  await api.update(RESOURCE_CLAIMS, { ...claim, status }, "status");
}
