import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, VOLUME_ATTRIBUTES_CLASSES } from "../../../shared/api/refs.ts";
import type { PersistentVolume, PersistentVolumeClaim, VolumeAttributesClass } from "../../../shared/api/types.ts";
import { type ControllerDefinition, done, type Enqueue, type Informer } from "../../runtime/index.ts";
import { decideProtection, takeProtectionStep } from "../protection-finalizer.ts";
import { classesOfClaim, classesOfVolume } from "./references.ts";

const FINALIZER = "kubernetes.io/vac-protection";
const BY_CLASS = "volumeAttributesClass";

/** Lets a VolumeAttributesClass go that is being deleted once no claim and no volume names it (KEP-3751). */
export const vacProtectionController: ControllerDefinition = {
  name: "vac-protection",
  serviceAccount: "volumeattributesclass-protection-controller",
  build({ api, log, informer }) {
    const classes = informer<VolumeAttributesClass>(VOLUME_ATTRIBUTES_CLASSES);
    const claims = informer<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS);
    const volumes = informer<PersistentVolume>(PERSISTENT_VOLUMES);
    claims.addIndex(BY_CLASS, classesOfClaim);
    volumes.addIndex(BY_CLASS, classesOfVolume);
    const stepFor = (attributesClass: VolumeAttributesClass) =>
      decideProtection(attributesClass, FINALIZER, () => {
        const { name } = attributesClass.metadata;
        return volumes.byIndex(BY_CLASS, name).length > 0 || claims.byIndex(BY_CLASS, name).length > 0;
      });
    return {
      concurrency: 5,
      start(enqueue) {
        classes.onEvent(({ type, object }) => {
          if (type !== "deleted" && stepFor(object) !== "keep") enqueue(object.metadata.name);
        });
        enqueueLeft(claims, classesOfClaim, enqueue);
        enqueueLeft(volumes, classesOfVolume, enqueue);
      },
      async reconcile(key) {
        const attributesClass = classes.get(key);
        if (!attributesClass) return done;
        const step = stepFor(attributesClass);
        if (step !== "keep") log.info("vac-protection plan", { key, step });
        await takeProtectionStep(api, VOLUME_ATTRIBUTES_CLASSES, {
          object: attributesClass,
          finalizer: FINALIZER,
          step,
        });
        return done;
      },
    };
  },
};

/** Looks again at the classes that an object no longer names. */
function enqueueLeft<T extends PersistentVolume | PersistentVolumeClaim>(
  informer: Informer<T>,
  namesOf: (object: T) => string[],
  enqueue: Enqueue,
): void {
  informer.onEvent(({ type, object, old }) => {
    const left = type === "deleted" ? namesOf(object) : old ? namesOf(old) : [];
    const named = type === "deleted" ? [] : namesOf(object);
    for (const name of left) if (!named.includes(name)) enqueue(name);
  });
}
