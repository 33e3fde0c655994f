import { PERSISTENT_VOLUMES } from "../../../shared/api/refs.ts";
import type { PersistentVolume } from "../../../shared/api/types.ts";
import { type ControllerDefinition, done } from "../../runtime/index.ts";
import { decideProtection, takeProtectionStep } from "../protection-finalizer.ts";

const FINALIZER = "kubernetes.io/pv-protection";

/** Lets a volume go that is being deleted once no claim is bound to it (KEP-498). */
export const pvProtectionController: ControllerDefinition = {
  name: "pv-protection",
  serviceAccount: "pv-protection-controller",
  build({ api, log, informer }) {
    const volumes = informer<PersistentVolume>(PERSISTENT_VOLUMES);
    const stepFor = (volume: PersistentVolume) =>
      decideProtection(volume, FINALIZER, () => volume.status?.phase === "Bound");
    return {
      concurrency: 5,
      start(enqueue) {
        volumes.onEvent(({ type, object }) => {
          if (type !== "deleted" && stepFor(object) !== "keep") enqueue(object.metadata.name);
        });
      },
      async reconcile(key) {
        const volume = volumes.get(key);
        if (!volume) return done;
        const step = stepFor(volume);
        if (step !== "keep") log.info("pv-protection plan", { key, step });
        await takeProtectionStep(api, PERSISTENT_VOLUMES, { object: volume, finalizer: FINALIZER, step });
        return done;
      },
    };
  },
};
