import { printGroupResource } from "../../../shared/api/group-resource.ts";
import { jsonEqual } from "../../../shared/api/json.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { RESOURCE_QUOTAS } from "../../../shared/api/refs.ts";
import { isConflict, isNotFound } from "../../../shared/api/status.ts";
import { decodeStored } from "../../../shared/api/stored-object.ts";
import type { ResourceQuota } from "../../../shared/api/types.ts";
import type { ResourceRef } from "../../../shared/client/api-client.ts";
import { RESOURCES } from "../../../shared/schema/index.ts";
import { evaluatorOf } from "../../quota/index.ts";
import { type ControllerDefinition, done, type Enqueue, type Informer, keyOf, splitKey } from "../../runtime/index.ts";
import type { ChangeBatch } from "../../storage/interface.ts";
import { decide, mayHaveChanged } from "./decide.ts";

/** Admission charges before it is known whether the write succeeds: some time later it is counted again. */
const RECOUNT_AFTER_MS = 30_000;

/** What quotas can count: namespaced resources that are stored. */
const COUNTABLE: ResourceRef[] = RESOURCES.filter(
  (facts) => facts.namespaced && !facts.virtual && !facts.storedAs && evaluatorOf(facts),
);
const BY_ID = new Map(COUNTABLE.map((ref) => [printGroupResource(ref), ref]));

/**
 * Keeps the status of ResourceQuotas: counts what a namespace holds when a quota is made or changed, and again when
 * something that it counts is deleted or ends. What is made is charged by admission.
 */
export const resourceQuotaController: ControllerDefinition = {
  name: "resourcequota",
  serviceAccount: "resourcequota-controller",
  build({ api, clock, log, informer }) {
    const quotas = informer<ResourceQuota>(RESOURCE_QUOTAS);
    let enqueue: Enqueue | undefined;

    /** Wakes the quotas of the object's namespace that count its resource. */
    const release = (ref: ResourceRef, { metadata }: KubeObject) => {
      for (const quota of quotas.list(metadata.namespace ?? "")) {
        if (countsOf(quota, ref)) enqueue?.(keyOf(quota));
      }
    };

    const follow = (cache: Informer) => {
      const ref = BY_ID.get(printGroupResource(cache.ref));
      if (!ref || ref.resource === RESOURCE_QUOTAS.resource) return;
      cache.onEvent((event) => {
        const isFreed =
          event.type === "deleted" ||
          (event.type === "updated" && (evaluatorOf(ref)?.isFreed?.(event.object, event.old) ?? false));
        if (isFreed) release(ref, event.object);
      });
    };

    return {
      concurrency: 5,
      start(into) {
        enqueue = into;
        quotas.onEvent((event) => {
          const { object } = event;
          if (event.type === "deleted") return release(RESOURCE_QUOTAS, object);
          if (event.type === "added") {
            if (mayHaveChanged(object)) into(keyOf(object));
          }
          // A status that somebody else wrote is left to them, as upstream does.
          else if (!jsonEqual(object.spec?.hard, event.old.spec?.hard)) into(keyOf(object));
          else if (!jsonEqual(object.status?.used, event.old.status?.used)) into(keyOf(object), RECOUNT_AFTER_MS);
        });
      },
      onInformer: follow,
      onUncached(batch) {
        const ref = BY_ID.get(printGroupResource(batch));
        if (ref) for (const object of deleted(ref, batch)) release(ref, object);
      },
      async reconcile(key) {
        const quota = quotas.get(key);
        if (!quota || quota.metadata.deletionTimestamp) return done;
        const { namespace = "" } = splitKey(key);
        const refs = COUNTABLE.filter((ref) => countsOf(quota, ref));
        const counted = await Promise.all(
          refs.map(async (ref) => ({
            evaluator: evaluatorOf(ref)!,
            objects: (await api.listAll(ref, { namespace })).items,
          })),
        );
        const plan = decide(quota, counted, clock.nowMs());
        if (plan.write === "none") return done;
        log.info("resourcequota plan", { key, ...plan });
        try {
          await api.update<ResourceQuota>(RESOURCE_QUOTAS, { ...quota, status: plan.status }, "status");
        } catch (error) {
          // Charged or changed meanwhile, and that change wakes this key; or gone.
          if (isConflict(error)) enqueue?.(key);
          else if (!isNotFound(error)) throw error;
        }
        return done;
      },
    };
  },
};

const countsOf = ({ spec }: ResourceQuota, ref: ResourceRef): boolean =>
  (evaluatorOf(ref)?.matching(Object.keys(spec?.hard ?? {})).length ?? 0) > 0;

const deleted = (ref: ResourceRef, { changes }: ChangeBatch): KubeObject[] =>
  changes
    .filter(({ type }) => type === "DELETED")
    .map(({ value, revision }) => decodeStored(value, revision, { apiVersion: ref.version, kind: ref.kind }));
