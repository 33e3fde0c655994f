import { DEFAULT_STORAGE_CLASS, defaultClass } from "../../../shared/api/default-class.ts";
import { isPodTerminal } from "../../../shared/api/pod-phase.ts";
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, STORAGE_CLASSES } from "../../../shared/api/refs.ts";
import { isNotFound } from "../../../shared/api/status.ts";
import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../../../shared/api/types.ts";
import { BIND_COMPLETED } from "../../../shared/api/volume-binding.ts";
import { type ControllerDefinition, done, keyOf, type Requeue } from "../../runtime/index.ts";
import { claimKeys } from "../pvc-protection/decide.ts";
import { carryOutClaim, carryOutVolume } from "./carry-out.ts";
import { decideClaim } from "./decide-claim.ts";
import { decideVolume } from "./decide-volume.ts";

const CLAIM = "claim:";
const VOLUME = "volume:";
const BY_CLAIM = "claim";
const BY_VOLUME = "volumeName";
/** Upstream looks at every claim that often; here only at those that a pod has come to wait for. */
const CONSUMER_LOOK_MS = 15_000;

/**
 * Brings claims and volumes together and says in their phases how they stand. Provisioning is left to whoever does it
 * for the class, and the choice for a claim that waits for its first consumer to the scheduler. Keys are
 * `claim:<namespace>/<name>` and `volume:<name>`.
 */
export const persistentVolumeBinder: ControllerDefinition = {
  name: "persistent-volume-binder",
  serviceAccount: "persistent-volume-binder",
  eventSource: "persistentvolume-controller",
  build({ api, events, log, informer }) {
    const claims = informer<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS);
    const volumes = informer<PersistentVolume>(PERSISTENT_VOLUMES);
    const classes = informer<StorageClass>(STORAGE_CLASSES);
    const pods = informer<Pod>(PODS);
    pods.addIndex(BY_CLAIM, claimKeys);
    claims.addIndex(BY_VOLUME, ({ spec }) => (spec?.volumeName ? [spec.volumeName] : []));

    return {
      // One at a time: two claims must not be promised one volume.
      concurrency: 1,
      start(enqueue) {
        const lookAtUnbound = () => {
          for (const claim of claims.list()) if (!isBound(claim)) enqueue(CLAIM + keyOf(claim));
        };
        claims.onEvent(({ type, object, old }) => {
          if (type !== "deleted") enqueue(CLAIM + keyOf(object));
          for (const name of new Set([object.spec?.volumeName, old?.spec?.volumeName]))
            if (name) enqueue(VOLUME + name);
          if (type === "deleted") for (const name of keptFor(object)) enqueue(VOLUME + name);
        });
        volumes.onEvent(({ type, object, old }) => {
          const { name } = object.metadata;
          if (type !== "deleted") enqueue(VOLUME + name);
          for (const claim of claims.byIndex(BY_VOLUME, name)) enqueue(CLAIM + keyOf(claim));
          const ref = object.spec?.claimRef;
          if (ref) enqueue(`${CLAIM}${ref.namespace}/${ref.name}`);
          const hasComeFree =
            object.status?.phase === "Available" && (old?.status?.phase !== "Available" || isChanged(old, object));
          if (type !== "deleted" && hasComeFree) lookAtUnbound();
        });
        classes.onEvent(({ type }) => {
          if (type !== "deleted") lookAtUnbound();
        });
        pods.onEvent(({ type, object }) => {
          if (type !== "added" || object.spec.nodeName) return;
          for (const key of claimKeys(object)) {
            const claim = claims.get(key);
            if (claim && !isBound(claim)) enqueue(CLAIM + key, CONSUMER_LOOK_MS);
          }
        });
      },
      reconcile(key) {
        return key.startsWith(CLAIM)
          ? reconcileClaim(key.slice(CLAIM.length))
          : reconcileVolume(key.slice(VOLUME.length));
      },
    };

    function keptFor({ metadata }: PersistentVolumeClaim): string[] {
      return volumes
        .list()
        .filter(({ spec }) => spec?.claimRef?.uid === metadata.uid)
        .map((volume) => volume.metadata.name);
    }

    async function reconcileClaim(key: string): Promise<Requeue> {
      const claim = claims.get(key);
      if (!claim) return done;
      const named = claim.spec?.volumeName;
      const plan = decideClaim(claim, {
        volumes: volumes.list(),
        named: named ? volumes.get(named) : undefined,
        classOf: (name) => classes.get(name),
        defaultClass: defaultClass(classes.list(), DEFAULT_STORAGE_CLASS),
        waitingPods: () =>
          pods
            .byIndex(BY_CLAIM, key)
            .filter((pod) => !pod.spec.nodeName && !isPodTerminal(pod))
            .map((pod) => pod.metadata.name),
      });
      log.info("claim plan", { key, step: plan.step });
      await carryOutClaim({ api, events }, claim, plan);
      return done;
    }

    async function reconcileVolume(name: string): Promise<Requeue> {
      const volume = volumes.get(name);
      if (!volume) return done;
      const claim = await claimOf(volume);
      const plan = decideVolume(volume, claim);
      if (plan.step !== "phase" || plan.phase !== volume.status?.phase)
        log.info("volume plan", { name, step: plan.step });
      await carryOutVolume({ api, events }, { volume, claim }, plan);
      if (plan.step === "bindClaim" && claim) return reconcileClaim(keyOf(claim));
      return done;
    }

    /** Of the volume's uid. A volume whose claim is gone may lose its data: the cache alone is not believed. */
    async function claimOf({ spec }: PersistentVolume): Promise<PersistentVolumeClaim | undefined> {
      const ref = spec?.claimRef;
      if (!ref?.uid || !ref.name) return undefined;
      const cached = claims.get(`${ref.namespace}/${ref.name}`);
      if (cached?.metadata.uid === ref.uid) return cached;
      try {
        const fresh = await api.get<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, ref.name, ref.namespace);
        return fresh.metadata.uid === ref.uid ? fresh : undefined;
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    }
  },
};

const isBound = ({ metadata }: PersistentVolumeClaim) => metadata.annotations?.[BIND_COMPLETED] !== undefined;

/** Anything that binding depends on: all but the status. */
const isChanged = (old: PersistentVolume | undefined, volume: PersistentVolume): boolean =>
  JSON.stringify([old?.spec, old?.metadata.labels, old?.metadata.annotations]) !==
  JSON.stringify([volume.spec, volume.metadata.labels, volume.metadata.annotations]);
