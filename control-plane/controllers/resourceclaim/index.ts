/**
 * Makes the claims for devices that pods ask for by template, and takes them back: a claim's devices are free when the
 * last pod that uses it has ended. It allocates nothing; the scheduler does.
 */
import { PODS, RESOURCE_CLAIM_TEMPLATES, RESOURCE_CLAIMS } from "../../../shared/api/refs.ts";
import type { Pod, ResourceClaim, ResourceClaimTemplate } from "../../../shared/api/types.ts";
import { type ControllerDefinition, controllerOf, done, type Enqueue, keyOf, LruMap } from "../../runtime/index.ts";
import { BY_RESOURCE_CLAIM, byResourceClaim } from "../by-resource-claim.ts";
import { isPodDone } from "./decide-claim.ts";
import { POD_CLAIM_NAME } from "./decide-pod.ts";
import { BY_OWNER, type Deps, recentKey } from "./deps.ts";
import { reconcileClaim } from "./reconcile-claim.ts";
import { reconcilePod } from "./reconcile-pod.ts";

/** What a key begins with: it is a pod's or a claim's. */
const POD = "pod:";
const CLAIM = "claim:";
const BY_TEMPLATE = "resource-claim-template";
/** Of claims just made, that the cache does not have yet. */
const MAX_RECENT = 1000;

export const resourceClaimController: ControllerDefinition = {
  name: "resourceclaim",
  serviceAccount: "resource-claim-controller",
  eventSource: "resource_claim",
  build(base) {
    const deps: Deps = {
      ...base,
      pods: base.informer<Pod>(PODS),
      claims: base.informer<ResourceClaim>(RESOURCE_CLAIMS),
      templates: base.informer<ResourceClaimTemplate>(RESOURCE_CLAIM_TEMPLATES),
      recent: new LruMap(MAX_RECENT),
    };
    deps.pods.addIndex(BY_RESOURCE_CLAIM, byResourceClaim);
    deps.pods.addIndex(BY_TEMPLATE, ({ metadata, spec }) =>
      (spec.resourceClaims ?? []).flatMap(({ resourceClaimTemplateName: name }) => {
        return name === undefined ? [] : `${metadata.namespace}/${name}`;
      }),
    );
    deps.claims.addIndex(BY_OWNER, (claim) => {
      const owner = controllerOf(claim);
      return owner?.kind === "Pod" ? [owner.uid] : [];
    });
    return {
      concurrency: 5,
      start: (enqueue) => start(deps, enqueue),
      async reconcile(key) {
        if (key.startsWith(POD)) await reconcilePod(key.slice(POD.length), deps);
        else await reconcileClaim(key.slice(CLAIM.length), deps);
        return done;
      },
    };
  },
};

function start({ pods, claims, templates, recent }: Deps, enqueue: Enqueue): void {
  const look = (pod: Pod) => {
    if (pod.spec.resourceClaims?.length && !isPodDone(pod)) enqueue(POD + keyOf(pod));
  };
  pods.onEvent(({ type, object }) => {
    if (!object.spec.resourceClaims?.length) return;
    if (type !== "deleted") look(object);
    if (type !== "deleted" && !isPodDone(object)) return;
    for (const key of byResourceClaim(object)) enqueue(CLAIM + key);
    for (const claim of claims.byIndex(BY_OWNER, object.metadata.uid!)) enqueue(CLAIM + keyOf(claim));
  });
  claims.onEvent(({ type, object }) => {
    const podClaim = object.metadata.annotations?.[POD_CLAIM_NAME];
    recent.delete(recentKey(`${controllerOf(object)?.uid}`, `${podClaim}`));
    if (type !== "deleted") enqueue(CLAIM + keyOf(object));
    for (const pod of pods.byIndex(BY_RESOURCE_CLAIM, keyOf(object))) look(pod);
  });
  templates.onEvent(({ type, object }) => {
    if (type === "added") for (const pod of pods.byIndex(BY_TEMPLATE, keyOf(object))) look(pod);
  });
}
