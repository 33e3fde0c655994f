import { PODS, RESOURCE_CLAIMS } from "../../../shared/api/refs.ts";
import type { Pod, ResourceClaim } from "../../../shared/api/types.ts";
import { messageOf } from "../../../shared/message-of.ts";
import { keyOf } from "../../runtime/index.ts";
import { decidePod, POD_CLAIM_NAME, type PodPlan } from "./decide-pod.ts";
import { BY_OWNER, type Deps, recentKey } from "./deps.ts";

/** Makes, names and reserves what the claims of a pod lack. */
export async function reconcilePod(key: string, deps: Deps): Promise<void> {
  const { pods, claims, templates, recent, log } = deps;
  const pod = pods.get(key);
  if (!pod) return;
  const { namespace, uid = "" } = pod.metadata;
  const plan = decidePod(pod, {
    claim: (claim) => claims.get(`${namespace}/${claim}`),
    madeFor: (podClaim) =>
      claims.byIndex(BY_OWNER, uid).find(({ metadata }) => metadata.annotations?.[POD_CLAIM_NAME] === podClaim)
        ?.metadata.name ?? recent.get(recentKey(uid, podClaim)),
    template: (template) => templates.get(`${namespace}/${template}`),
  });
  const { create, name, reserve } = plan;
  if (create.length + name.length + reserve.length > 0) {
    const made = create.map(({ podClaim }) => podClaim);
    log.info("resourceclaim plan", { key, create: made, named: name, reserve: reserve.map(keyOf) });
  }
  await carryOut(plan, pod, deps);
}

async function carryOut({ create, name: named, reserve, failure }: PodPlan, pod: Pod, deps: Deps): Promise<void> {
  const { api, events, recent } = deps;
  const { name, namespace, uid = "" } = pod.metadata;
  const statuses = named.map(({ podClaim, claim }) => ({ name: podClaim, resourceClaimName: claim }));
  let why = failure;
  for (const { podClaim, claim } of create) {
    try {
      const { metadata } = await api.create<ResourceClaim>(RESOURCE_CLAIMS, claim);
      recent.set(recentKey(uid, podClaim), metadata.name);
      statuses.push({ name: podClaim, resourceClaimName: metadata.name });
    } catch (error) {
      why = `PodResourceClaim ${podClaim}: create ResourceClaim : ${messageOf(error)}`;
      break;
    }
  }
  if (statuses.length > 0) {
    const status = { resourceClaimStatuses: statuses };
    await api.patch(PODS, { name, namespace, subresource: "status" }, "strategic", { metadata: { uid }, status });
  }
  if (why !== undefined) {
    events.event(pod, "Warning", "FailedResourceClaimCreation", why);
    throw new Error(`pod ${namespace}/${name}, ${why}`);
  }
  for (const claim of reserve) {
    const reservedFor = [...(claim.status?.reservedFor ?? []), { resource: "pods", name, uid }];
    await api.update(RESOURCE_CLAIMS, { ...claim, status: { ...claim.status, reservedFor } }, "status");
  }
}
