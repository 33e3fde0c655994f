import type { KubeObject } from "../../../shared/api/object.ts";
import { conflict, notFound, OBJECT_MODIFIED } from "../../../shared/api/status.ts";
import { encodeStored } from "../../../shared/api/stored-object.ts";
import { printTime } from "../../../shared/api/timestamp.ts";
import type { StoredValue } from "../../storage/interface.ts";
import { type AdmissionRequest, admit, validateAdmission } from "../admission/index.ts";
import { valueAnswer } from "../answer.ts";
import type { Answer } from "../call.ts";
import { clusterReader, forget } from "../cluster-reader.ts";
import { clusterWriter } from "../cluster-writer.ts";
import type { DeleteOptions } from "../delete-options.ts";
import { checkDeletePreconditions, planDeletion } from "../deletion.ts";
import { withAddresses } from "../held-addresses.ts";
import { groupResourceOf, type ResourceRequest, storeFor } from "../resource-request.ts";
import { objectAnswer, readStored, storedAnswer } from "../response-object.ts";
import { keyOf, storageOf } from "../stores.ts";
import { strategyFor } from "../strategy/index.ts";
import { refusalError } from "../write-outcome.ts";
import { returnsDeletedObject } from "../write-rules.ts";
import { attempts } from "./attempts.ts";

const JOB_PODS_ARE_KEPT =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";

export interface Deletion {
  name: string;
  namespace: string;
  options: DeleteOptions;
}

/** What became of the object. */
export type DeletionOutcome = { object: KubeObject; removed: boolean; stored?: StoredValue };

/**
 * Deletes, or marks for deletion, one object.
 * @throws ApiError 404, 409 for a precondition that fails, whatever admission refuses
 */
export async function deleteOne(request: ResourceRequest, deletion: Deletion): Promise<DeletionOutcome> {
  const { name, namespace, options } = deletion;
  const store = storeFor(request);
  const key = keyOf(namespace, name);
  const gr = groupResourceOf(request);
  request.attributes.dryRun = options.dryRun;
  if (isJob(request) && !options.propagationPolicy && options.orphanDependents === undefined) {
    request.warnings.push(JOB_PODS_ARE_KEPT);
  }
  for await (const _ of attempts(request)) {
    const stored = await store.get(key);
    if (!stored) throw notFound(gr, name);
    const object = readStored(request.facts, stored);
    checkDeletePreconditions(request.facts, object, options);
    await admitDeletion(request, object, name);
    const outcome = await carryOut(request, object, stored, options);
    if (outcome) return outcome;
    if (options.resourceVersion !== undefined) throw conflict(gr, name, OBJECT_MODIFIED);
  }
  throw conflict(gr, name, OBJECT_MODIFIED);
}

const isJob = ({ facts }: ResourceRequest) => facts.group === "batch" && facts.resource === "jobs";

async function admitDeletion(request: ResourceRequest, old: KubeObject, name: string): Promise<void> {
  const { context, attributes, warnings } = request;
  const admission: AdmissionRequest = {
    operation: "DELETE",
    attributes: { ...attributes, name },
    user: context.user,
    old,
    reader: clusterReader(context.env, context.cluster),
    writer: clusterWriter(context.env, context.cluster),
    causes: [],
    warn: (text) => warnings.push(text),
  };
  await admit(admission);
  await validateAdmission(admission);
}

/** One attempt; undefined when another write came first. */
async function carryOut(
  request: ResourceRequest,
  object: KubeObject,
  stored: StoredValue,
  options: DeleteOptions,
): Promise<DeletionOutcome | undefined> {
  const { facts, context } = request;
  const strategy = strategyFor(storageOf(facts));
  const plan = planDeletion(object, options, { facts, strategy, nowMs: Date.now() });
  if (plan.step === "pending") return { object, removed: false, stored };
  if (isNamespace(request)) {
    const held = holdNamespace(plan.object);
    if (held) return mark(request, held, stored, options.dryRun);
  }
  if (plan.step === "mark") return mark(request, plan.object, stored, options.dryRun);
  if (options.dryRun) return { object: plan.object, removed: true };
  const result = await withAddresses(request, { before: object }, () =>
    storeFor(request).write({
      op: "delete",
      key: stored.key,
      expectRevision: stored.revision,
      value: encodeStored(plan.object),
    }),
  );
  forget(context.cluster, storageOf(facts), stored.key);
  if (result.ok) return { object: plan.object, removed: true };
  if (result.reason === "conflict") return undefined;
  throw refusalError(result, groupResourceOf(request), object.metadata.name);
}

async function mark(
  request: ResourceRequest,
  object: KubeObject,
  stored: StoredValue,
  dryRun: boolean,
): Promise<DeletionOutcome | undefined> {
  const { facts, context } = request;
  if (dryRun) return { object, removed: false };
  const value = encodeStored(object);
  const result = await storeFor(request).write({
    op: "update",
    key: stored.key,
    expectRevision: stored.revision,
    value,
    attributes: { labels: object.metadata.labels ?? {}, fields: strategyFor(storageOf(facts)).fields?.(object) ?? {} },
  });
  forget(context.cluster, storageOf(facts), stored.key);
  if (result.ok) {
    const written = { key: stored.key, revision: result.revision, value };
    return { object: readStored(facts, written), removed: false, stored: written };
  }
  if (result.reason === "conflict") return undefined;
  throw refusalError(result, groupResourceOf(request), object.metadata.name);
}

const isNamespace = ({ facts }: ResourceRequest) => facts.group === "" && facts.resource === "namespaces";

/** A namespace stays, Terminating, until the namespace controller has emptied it and taken off `spec.finalizers`. */
function holdNamespace(namespace: KubeObject): KubeObject | undefined {
  const { finalizers = [] } = (namespace.spec ?? {}) as { finalizers?: string[] };
  if (finalizers.length === 0) return undefined;
  const { metadata } = namespace;
  return {
    ...namespace,
    metadata: {
      ...metadata,
      deletionTimestamp: metadata.deletionTimestamp ?? printTime(Date.now()),
    },
    status: { ...(namespace.status as object | undefined), phase: "Terminating" },
  };
}

/** What a delete answers: the object if it is still there or the kind shows it, else a Status that names it. */
export function deletionAnswer(
  request: ResourceRequest,
  { object, removed, stored }: DeletionOutcome,
  code = 200,
): Answer {
  const { facts, output } = request;
  if (!removed && stored) return storedAnswer(request, code, stored);
  if (!removed || returnsDeletedObject(facts)) return objectAnswer(request, code, object);
  const { name, uid } = object.metadata;
  return valueAnswer(
    code,
    {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name, ...(facts.group ? { group: facts.group } : {}), kind: facts.resource, uid },
    },
    output,
  );
}

/** Removes an object whose last finalizer an update took off, as that update left it. Undefined: a write came first. */
export async function removeEmptied(
  request: ResourceRequest,
  { object, stored, dryRun }: { object: KubeObject; stored: StoredValue; dryRun: boolean },
): Promise<{ object: KubeObject } | undefined> {
  const { facts, context } = request;
  if (!dryRun) {
    const result = await withAddresses(request, { before: object }, () =>
      storeFor(request).write({
        op: "delete",
        key: stored.key,
        expectRevision: stored.revision,
        value: encodeStored(object),
      }),
    );
    forget(context.cluster, storageOf(facts), stored.key);
    if (!result.ok && result.reason === "conflict") return undefined;
    if (!result.ok && result.reason !== "notFound") {
      throw refusalError(result, groupResourceOf(request), object.metadata.name);
    }
  }
  return { object };
}
