import type { GroupVersionResource } from "../../shared/api/group-resource.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import { decodeStored, encodeStored } from "../../shared/api/stored-object.ts";
import { findResource, type ResourceFacts, resolve, schemaOf } from "../../shared/schema/index.ts";
import type { Env } from "../env.ts";
import { forget } from "./cluster-reader.ts";
import { planDeletion } from "./deletion.ts";
import { trackUpdate, type Update } from "./managed-fields/index.ts";
import { fillSystemMetadata } from "./object-metadata.ts";
import { typeMetaOf } from "./resource-request.ts";
import { keyOf, storeOf } from "./stores.ts";
import { strategyFor } from "./strategy/index.ts";
import { refusalError } from "./write-outcome.ts";

/** As managedFields name what the server itself writes. */
const MANAGER = "kube-apiserver";

/** Writes of the chain itself, for admission that keeps accounts: no admission of their own, no validation. */
export interface ClusterWriter {
  /**
   * Writes an object's status over the revision that `before` was read at. Times in epoch ms.
   * @returns false when another write came first, or the object is gone
   */
  replaceStatus(resource: GroupVersionResource, before: KubeObject, status: object): Promise<boolean>;
  /** @returns false when there is one of that name */
  create(resource: GroupVersionResource, object: KubeObject): Promise<boolean>;
  /** Sets labels of an object that was just read. @returns false when another write came first, or it is gone */
  label(resource: GroupVersionResource, before: KubeObject, labels: Record<string, string>): Promise<boolean>;
  /**
   * Deletes a cluster-scoped object, if it is there and still the one that is meant; one with finalizers is marked.
   * @throws ApiError Conflict when others write to it all the time
   */
  remove(resource: GroupVersionResource, name: string, isMeant: (object: KubeObject) => boolean): Promise<void>;
}

/** Writes that may come between reading an object and removing it. */
const MAX_ATTEMPTS = 8;

export function clusterWriter(env: Env, cluster: string): ClusterWriter {
  /** Over the revision that `before` was read at. */
  async function overwrite(facts: ResourceFacts, update: Tracked & { before: KubeObject }): Promise<boolean> {
    const { before, after: object } = update;
    const { name, namespace, resourceVersion } = before.metadata;
    object.metadata.managedFields = track(facts, update);
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
  }

  return {
    async replaceStatus(resource, before, status) {
      const object: KubeObject = { ...before, metadata: { ...before.metadata }, status } as KubeObject;
      return overwrite(factsOf(resource), { before, after: object, subresource: "status", ignored: ["spec"] });
    },

    async label(resource, before, labels) {
      const metadata = { ...before.metadata, labels: { ...before.metadata.labels, ...labels } };
      return overwrite(factsOf(resource), { before, after: { ...before, metadata }, ignored: ["status"] });
    },

    async create(resource, wanted) {
      const facts = factsOf(resource);
      const object: KubeObject = { ...typeMetaOf(facts), ...wanted, metadata: { ...wanted.metadata } };
      const { metadata } = object;
      const managedFields = track(facts, { before: undefined, after: object, ignored: [] });
      fillSystemMetadata(metadata, { uid: crypto.randomUUID(), nowMs: Date.now() });
      metadata.managedFields = managedFields;
      const strategy = strategyFor(facts);
      const key = keyOf(metadata.namespace, metadata.name);
      const result = await storeOf(env, cluster, facts).write({
        op: "create",
        key,
        uid: metadata.uid ?? "",
        value: encodeStored(object),
        attributes: { labels: metadata.labels ?? {}, fields: strategy.fields?.(object) ?? {} },
        claims: strategy.claims?.(object),
      });
      forget(cluster, facts, key);
      if (!result.ok && result.reason !== "exists") throw refusalError(result, facts, metadata.name);
      return result.ok;
    },

    async remove(resource, name, isMeant) {
      const facts = factsOf(resource);
      const strategy = strategyFor(facts);
      const store = storeOf(env, cluster, facts);
      const key = keyOf(undefined, name);
      for (let attempts = 1; ; attempts++) {
        const stored = await store.get(key);
        if (!stored) return;
        const object = decodeStored(stored.value, stored.revision);
        if (!isMeant(object)) return;
        const plan = planDeletion(object, { dryRun: false }, { facts, strategy, nowMs: Date.now() });
        if (plan.step === "pending") return;
        const { metadata } = plan.object;
        const write = { key, expectRevision: stored.revision, value: encodeStored(plan.object) };
        const attributes = { labels: metadata.labels ?? {}, fields: strategy.fields?.(plan.object) ?? {} };
        const result = await store.write(
          plan.step === "remove" ? { op: "delete", ...write } : { op: "update", ...write, attributes },
        );
        forget(cluster, facts, key);
        if (result.ok || result.reason === "notFound") return;
        if (result.reason !== "conflict" || attempts >= MAX_ATTEMPTS) throw refusalError(result, facts, name);
      }
    },
  };
}

function factsOf(resource: GroupVersionResource): ResourceFacts {
  const facts = findResource(resource);
  if (!facts) throw new Error(`${resource.resource}.${resource.group} is not served`);
  return facts;
}

type Tracked = Pick<Update, "before" | "after" | "subresource" | "ignored">;

const track = (facts: ResourceFacts, update: Tracked) =>
  trackUpdate({
    ...update,
    schema: schemaOf(facts.schema),
    schemaName: facts.schema,
    resolve,
    manager: MANAGER,
    apiVersion: typeMetaOf(facts).apiVersion,
    nowMs: Date.now(),
  });
