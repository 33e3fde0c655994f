import { PERSISTENT_VOLUME_CLAIMS, PODS } from "../../../shared/api/refs.ts";
import { isNotFound } from "../../../shared/api/status.ts";
import type { PersistentVolumeClaim, Pod } from "../../../shared/api/types.ts";
import { messageOf } from "../../../shared/message-of.ts";
import { type ControllerDefinition, done, keyOf, splitKey } from "../../runtime/index.ts";
import { isNamespaceTerminating } from "../pod-control.ts";
import { claimKeys } from "../pvc-protection/decide.ts";
import { decide } from "./decide.ts";

const BY_CLAIM = "claim";

/** Makes the claims of generic ephemeral volumes (KEP-1698). They belong to their pod, and go with it. */
export const ephemeralVolumeController: ControllerDefinition = {
  name: "ephemeral-volume",
  serviceAccount: "ephemeral-volume-controller",
  eventSource: "ephemeral_volume",
  build({ api, events, log, informer }) {
    const pods = informer<Pod>(PODS);
    const claims = informer<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS);
    pods.addIndex(BY_CLAIM, claimKeys);
    return {
      concurrency: 5,
      start(enqueue) {
        const look = (pod: Pod) => {
          const isOurs = pod.spec.volumes?.some(({ ephemeral }) => ephemeral) && !pod.metadata.deletionTimestamp;
          if (isOurs) enqueue(keyOf(pod));
        };
        pods.onEvent(({ type, object }) => {
          if (type === "added") look(object);
        });
        claims.onEvent(({ type, object }) => {
          if (type === "deleted") for (const pod of pods.byIndex(BY_CLAIM, keyOf(object))) look(pod);
        });
      },
      async reconcile(key) {
        const { name, namespace } = splitKey(key);
        const cached = pods.get(key);
        const isMissing = (claim: string) => claimOwner(claim) !== cached?.metadata.uid;
        if (!cached || !claimKeys(cached).some(isMissing)) return done;
        let pod: Pod;
        try {
          pod = await api.get<Pod>(PODS, name, namespace);
        } catch (error) {
          if (isNotFound(error)) return done;
          throw error;
        }
        for (const step of decide(pod, (claim) => claims.get(`${namespace}/${claim}`))) {
          const error = "error" in step ? step.error : await make(step.create);
          if (error === undefined) continue;
          const message = `ephemeral volume ${step.volume}: ${error}`;
          events.event(pod, "Warning", "FailedBinding", message);
          throw new Error(`pod ${key}, ${message}`);
        }
        return done;
      },
    };

    function claimOwner(key: string): string | undefined {
      return claims.get(key)?.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
    }

    /** @returns why it could not be made */
    async function make(claim: PersistentVolumeClaim): Promise<string | undefined> {
      log.info("ephemeral-volume plan", { create: keyOf(claim) });
      try {
        await api.create(PERSISTENT_VOLUME_CLAIMS, claim);
        return undefined;
      } catch (error) {
        if (isNamespaceTerminating(error)) return undefined;
        return `create PVC ${claim.metadata.name}: ${messageOf(error)}`;
      }
    }
  },
};
