import { isPodTerminal } from "../../../shared/api/pod-phase.ts";
import { PERSISTENT_VOLUME_CLAIMS, PODS } from "../../../shared/api/refs.ts";
import type { PersistentVolumeClaim, Pod } from "../../../shared/api/types.ts";
import { type ControllerDefinition, done, keyOf } from "../../runtime/index.ts";
import { decideProtection, takeProtectionStep } from "../protection-finalizer.ts";
import { claimKeys, podUsesClaim } from "./decide.ts";

const FINALIZER = "kubernetes.io/pvc-protection";
const BY_CLAIM = "claim";
/** Claims are often deleted together: those of one namespace share one list of its pods. */
const BATCH_MS = 50;

/**
 * Lets a claim go that is being deleted once no pod uses it (KEP-498); a key is a namespace. Admission gives claims
 * their finalizer.
 */
export const pvcProtectionController: ControllerDefinition = {
  name: "pvc-protection",
  serviceAccount: "pvc-protection-controller",
  build({ api, log, informer }) {
    const claims = informer<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS);
    const pods = informer<Pod>(PODS);
    pods.addIndex(BY_CLAIM, claimKeys);
    const needsLook = (claim: PersistentVolumeClaim | undefined) =>
      claim !== undefined && decideProtection(claim, FINALIZER, () => false) !== "keep";
    return {
      concurrency: 5,
      start(enqueue) {
        const look = (namespace: string | undefined) => enqueue(namespace ?? "", BATCH_MS);
        claims.onEvent(({ type, object }) => {
          if (type !== "deleted" && needsLook(object)) look(object.metadata.namespace);
        });
        pods.onEvent(({ type, object, old }) => {
          const lives = type !== "deleted" && !isPodTerminal(object) && object.spec.nodeName;
          // One pod may stand in for the deletion of another of its name.
          const isOther = old !== undefined && old.metadata.uid !== object.metadata.uid;
          const left = [...(lives ? [] : claimKeys(object)), ...(isOther ? claimKeys(old) : [])];
          if (left.some((key) => needsLook(claims.get(key)))) look(object.metadata.namespace);
        });
      },
      async reconcile(namespace) {
        let present: Promise<Pod[]> | undefined;
        for (const claim of claims.list(namespace).filter(needsLook)) {
          const uses = (pod: Pod) => podUsesClaim(pod, claim);
          const key = keyOf(claim);
          const step = decideProtection(claim, FINALIZER, () => pods.byIndex(BY_CLAIM, key).some(uses));
          if (step === "release") {
            // The cache may be behind; a volume that is let go cannot be had back.
            present ??= api.listAll<Pod>(PODS, { namespace }).then(({ items }) => items);
            if ((await present).some(uses)) continue;
          }
          if (step !== "keep") log.info("pvc-protection plan", { key, step });
          await takeProtectionStep(api, PERSISTENT_VOLUME_CLAIMS, { object: claim, finalizer: FINALIZER, step });
        }
        return done;
      },
    };
  },
};
