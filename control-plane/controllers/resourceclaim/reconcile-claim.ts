import { PODS, RESOURCE_CLAIMS } from "../../../shared/api/refs.ts";
import { RESOURCE_CLAIM_FINALIZER } from "../../../shared/api/resource-claim.ts";
import { isNotFound } from "../../../shared/api/status.ts";
import type { Pod, ResourceClaim } from "../../../shared/api/types.ts";
import { controllerOf, splitKey } from "../../runtime/index.ts";
import { type ClaimPlan, decideClaim, isPod, isPodDone } from "./decide-claim.ts";
import type { Deps } from "./deps.ts";

/** Takes a claim from pods that are gone, gives its devices back, and removes it with the pod that it was made for. */
export async function reconcileClaim(key: string, deps: Deps): Promise<void> {
  const claim = deps.claims.get(key);
  if (!claim) return;
  const { namespace } = splitKey(key);
  const gone = new Set<string>();
  for (const consumer of (claim.status?.reservedFor ?? []).filter(isPod)) {
    if (await isGone(`${namespace}/${consumer.name}`, consumer.uid, deps)) gone.add(consumer.uid);
  }
  const plan = decideClaim(claim, {
    isGone: ({ uid }) => gone.has(uid),
    owner: deps.pods.get(`${namespace}/${controllerOf(claim)?.name}`),
  });
  if (!plan.status && !plan.removeFinalizer && !plan.remove) return;
  deps.log.info("resourceclaim plan", { key, gone: [...gone], ...plan, status: plan.status !== undefined });
  await carryOut(plan, claim, deps);
}

/** The cache may be behind the scheduler: a pod that is not in it is asked for. */
async function isGone(key: string, uid: string, { api, pods }: Deps): Promise<boolean> {
  const { name, namespace } = splitKey(key);
  try {
    const pod = pods.get(key) ?? (await api.get<Pod>(PODS, name, namespace));
    return pod.metadata.uid !== uid || isPodDone(pod);
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}

async function carryOut(plan: ClaimPlan, claim: ResourceClaim, { api }: Deps): Promise<void> {
  let current = claim;
  if (plan.status) {
    current = await api.update<ResourceClaim>(RESOURCE_CLAIMS, { ...claim, status: plan.status }, "status");
  }
  const { metadata } = current;
  if (plan.removeFinalizer && metadata.finalizers?.includes(RESOURCE_CLAIM_FINALIZER)) {
    const finalizers = metadata.finalizers.filter((name) => name !== RESOURCE_CLAIM_FINALIZER);
    await api.update(RESOURCE_CLAIMS, { ...current, metadata: { ...metadata, finalizers } });
  }
  if (!plan.remove) return;
  const { name, namespace, uid } = metadata;
  try {
    await api.delete(RESOURCE_CLAIMS, { name, namespace }, { uid });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
