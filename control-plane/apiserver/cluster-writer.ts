import type { GroupVersionResource } from "../../shared/api/group-resource.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import { encodeStored } from "../../shared/api/stored-object.ts";
import { findResource, resolve, schemaOf } from "../../shared/schema/index.ts";
import type { Env } from "../env.ts";
import { forget } from "./cluster-reader.ts";
import { trackUpdate } from "./managed-fields/index.ts";
import { typeMetaOf } from "./resource-request.ts";
import { keyOf, storeOf } from "./stores.ts";
import { strategyFor } from "./strategy/index.ts";

/** As managedFields name what the server itself writes. */
const MANAGER = "kube-apiserver";

/** Writes of the chain itself, for admission that keeps accounts: no admission of their own, no validation. */
export interface ClusterWriter {
  /**
   * Writes an object's status over the revision that `before` was read at. Times in epoch ms.
   * @returns false when another write came first, or the object is gone
   */
  replaceStatus(resource: GroupVersionResource, before: KubeObject, status: object): Promise<boolean>;
}

export function clusterWriter(env: Env, cluster: string): ClusterWriter {
  return {
    async replaceStatus(resource, before, status) {
      const facts = findResource(resource);
      if (!facts) throw new Error(`${resource.resource}.${resource.group} is not served`);
      const object: KubeObject = { ...before, metadata: { ...before.metadata }, status } as KubeObject;
      const { name, namespace, resourceVersion } = before.metadata;
      object.metadata.managedFields = trackUpdate({
        before,
        after: object,
        schema: schemaOf(facts.schema),
        schemaName: facts.schema,
        resolve,
        manager: MANAGER,
        apiVersion: typeMetaOf(facts).apiVersion,
        subresource: "status",
        ignored: ["spec"],
        nowMs: Date.now(),
      });
      const strategy = strategyFor(facts);
      const key = keyOf(namespace, name);
      const result = await storeOf(env, cluster, facts).write({
        op: "update",
        key,
        expectRevision: Number(resourceVersion),
        value: encodeStored(object),
        attributes: { labels: object.metadata.labels ?? {}, fields: strategy.fields?.(object) ?? {} },
        claims: strategy.claims?.(object),
      });
      forget(cluster, facts, key);
      return result.ok;
    },
  };
}
