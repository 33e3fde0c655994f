import { PODS, RESOURCE_CLAIM_TEMPLATES, RESOURCE_CLAIMS } from "../../../shared/api/refs.ts";
import { RESOURCE_CLAIM_FINALIZER } from "../../../shared/api/resource-claim.ts";
import { isNotFound } from "../../../shared/api/status.ts";
import type { Pod, ResourceClaim, ResourceClaimTemplate } from "../../../shared/api/types.ts";
import { messageOf } from "../../../shared/message-of.ts";
import { type ControllerDefinition, controllerOf, done, keyOf, LruMap, splitKey } from "../../runtime/index.ts";
import { decideClaim, isPod, isPodDone } from "./decide-claim.ts";
import { decidePod, POD_CLAIM_NAME } from "./decide-pod.ts";

const POD = "pod:";
const CLAIM = "claim:";
const BY_CLAIM = "resource-claim";
const BY_TEMPLATE = "resource-claim-template";
const BY_OWNER = "pod-owner";
/** Claims just made, that the cache does not have yet. */
const MAX_RECENT = 1000;

/**
 * Makes the claims for devices that pods ask for by template, and takes them back: a claim's devices are free when the
 * last pod that uses it has ended. It allocates nothing; the scheduler does.
 */
export const resourceClaimController: ControllerDefinition = {
  name: "resourceclaim",
  serviceAccount: "resource-claim-controller",
  eventSource: "resource_claim",
  build({ api, events, log, informer }) {
    const pods = informer<Pod>(PODS);
    const claims = informer<ResourceClaim>(RESOURCE_CLAIMS);
    const templates = informer<ResourceClaimTemplate>(RESOURCE_CLAIM_TEMPLATES);
    /** The claim's name by its pod's uid and the pod's name for it. */
    const recent = new LruMap<string, string>(MAX_RECENT);
    pods.addIndex(BY_CLAIM, (pod) => claimNames(pod).map((name) => `${pod.metadata.namespace}/${name}`));
    pods.addIndex(BY_TEMPLATE, ({ metadata, spec }) =>
      (spec.resourceClaims ?? []).flatMap(({ resourceClaimTemplateName: name }) => {
        return name === undefined ? [] : `${metadata.namespace}/${name}`;
      }),
    );
    claims.addIndex(BY_OWNER, (claim) => {
      const owner = controllerOf(claim);
      return owner?.kind === "Pod" ? [owner.uid] : [];
    });
    return {
      concurrency: 5,
      start(enqueue) {
        const look = (pod: Pod) => {
          if (pod.spec.resourceClaims?.length && !isPodDone(pod)) enqueue(POD + keyOf(pod));
        };
        pods.onEvent(({ type, object }) => {
          if (!object.spec.resourceClaims?.length) return;
          if (type !== "deleted") look(object);
          if (type !== "deleted" && !isPodDone(object)) return;
          for (const name of claimNames(object)) enqueue(`${CLAIM}${object.metadata.namespace}/${name}`);
          for (const claim of claims.byIndex(BY_OWNER, object.metadata.uid!)) enqueue(CLAIM + keyOf(claim));
        });
        claims.onEvent(({ type, object }) => {
          recent.delete(`${controllerOf(object)?.uid}/${object.metadata.annotations?.[POD_CLAIM_NAME]}`);
          if (type !== "deleted") enqueue(CLAIM + keyOf(object));
          for (const pod of pods.byIndex(BY_CLAIM, keyOf(object))) look(pod);
        });
        templates.onEvent(({ type, object }) => {
          if (type === "added") for (const pod of pods.byIndex(BY_TEMPLATE, keyOf(object))) look(pod);
        });
      },
      async reconcile(key) {
        if (key.startsWith(POD)) await reconcilePod(key.slice(POD.length));
        else await reconcileClaim(key.slice(CLAIM.length));
        return done;
      },
    };

    async function reconcilePod(key: string): Promise<void> {
      const pod = pods.get(key);
      if (!pod) return;
      const { name, namespace, uid } = pod.metadata;
      const plan = decidePod(pod, {
        claim: (claim) => claims.get(`${namespace}/${claim}`),
        madeFor: (podClaim) =>
          claims.byIndex(BY_OWNER, uid!).find(({ metadata }) => metadata.annotations?.[POD_CLAIM_NAME] === podClaim)
            ?.metadata.name ?? recent.get(`${uid}/${podClaim}`),
        template: (template) => templates.get(`${namespace}/${template}`),
      });
      const { create, name: named, reserve, failure } = plan;
      if (create.length + named.length + reserve.length > 0) {
        const made = create.map(({ podClaim }) => podClaim);
        log.info("resourceclaim plan", { key, create: made, named, reserve: reserve.map(keyOf) });
      }
      const statuses = named.map(({ podClaim, claim }) => ({ name: podClaim, resourceClaimName: claim }));
      let why = failure;
      for (const { podClaim, claim } of create) {
        try {
          const { metadata } = await api.create<ResourceClaim>(RESOURCE_CLAIMS, claim);
          recent.set(`${uid}/${podClaim}`, metadata.name);
          statuses.push({ name: podClaim, resourceClaimName: metadata.name });
        } catch (error) {
          why = `PodResourceClaim ${podClaim}: create ResourceClaim : ${messageOf(error)}`;
          break;
        }
      }
      if (statuses.length > 0) {
        const status = { resourceClaimStatuses: statuses };
        const target = { name, namespace, subresource: "status" as const };
        await api.patch(PODS, target, "strategic", { metadata: { uid }, status });
      }
      if (why !== undefined) {
        events.event(pod, "Warning", "FailedResourceClaimCreation", why);
        throw new Error(`pod ${key}, ${why}`);
      }
      for (const claim of reserve) {
        const consumer = { resource: "pods", name, uid: uid! };
        const reservedFor = [...(claim.status?.reservedFor ?? []), consumer];
        await api.update(RESOURCE_CLAIMS, { ...claim, status: { ...claim.status, reservedFor } }, "status");
      }
    }

    async function reconcileClaim(key: string): Promise<void> {
      const claim = claims.get(key);
      if (!claim) return;
      const { namespace } = splitKey(key);
      const gone = new Set<string>();
      for (const consumer of (claim.status?.reservedFor ?? []).filter(isPod)) {
        if (await isGone(`${namespace}/${consumer.name}`, consumer.uid)) gone.add(consumer.uid);
      }
      const plan = decideClaim(claim, {
        isGone: ({ uid }) => gone.has(uid),
        owner: pods.get(`${namespace}/${controllerOf(claim)?.name}`),
      });
      if (!plan.status && !plan.removeFinalizer && !plan.remove) return;
      log.info("resourceclaim plan", { key, gone: [...gone], ...plan, status: plan.status !== undefined });
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
      try {
        await api.delete(RESOURCE_CLAIMS, { name: metadata.name, namespace }, { uid: metadata.uid });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }

    /** The cache may be behind the scheduler: a pod that is not in it is asked for. */
    async function isGone(key: string, uid: string): Promise<boolean> {
      const { name, namespace } = splitKey(key);
      try {
        const pod = pods.get(key) ?? (await api.get<Pod>(PODS, name, namespace));
        return pod.metadata.uid !== uid || isPodDone(pod);
      } catch (error) {
        if (isNotFound(error)) return true;
        throw error;
      }
    }
  },
};

/** All claims that a pod is known to use. */
const claimNames = ({ spec, status }: Pod): string[] => [
  ...(spec.resourceClaims ?? []).flatMap(({ resourceClaimName }) => resourceClaimName ?? []),
  ...(status?.resourceClaimStatuses ?? []).flatMap(({ resourceClaimName }) => resourceClaimName ?? []),
];
