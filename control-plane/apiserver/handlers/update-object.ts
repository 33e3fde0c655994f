import type { KubeObject } from "../../../shared/api/object.ts";
import { conflict, failure, invalid, OBJECT_MODIFIED, type StatusCause } from "../../../shared/api/status.ts";
import { encodeStored } from "../../../shared/api/stored-object.ts";
import type { StoredValue } from "../../storage/interface.ts";
import { type AdmissionRequest, admit, validateAdmission } from "../admission/index.ts";
import type { Answer } from "../call.ts";
import { allocationContext, withClaims } from "../claims.ts";
import { clusterReader, forget } from "../cluster-reader.ts";
import { clusterWriter } from "../cluster-writer.ts";
import { dropEmptyFields, markEmptyMapsOf, sameButForTimes, trackFields } from "../field-management.ts";
import { withAddresses } from "../held-addresses.ts";
import { dedupeOwnerReferences, dropSelfLink, keepSystemMetadata, matchNamespace } from "../object-metadata.ts";
import { copyJson } from "../object-text.ts";
import { groupResourceOf, type ResourceRequest, storeFor } from "../resource-request.ts";
import { objectAnswer, storedAnswer } from "../response-object.ts";
import { keyOf, storageOf, storedFacts } from "../stores.ts";
import { type Strategy, strategyFor } from "../strategy/index.ts";
import { refusalError } from "../write-outcome.ts";
import { tellsEmptyFromAbsent } from "../write-rules.ts";
import { removeEmptied } from "./delete-object.ts";

/** How one part of an object is updated: the whole of it, its status, its finalizers … */
export interface UpdatePart {
  /** Takes from `old` what this part may not change; runs before validation. */
  prepare(object: KubeObject, old: KubeObject): void;
  validate(object: KubeObject, old: KubeObject): StatusCause[];
  warnings?(object: KubeObject, old: KubeObject): string[];
  /** See Strategy.allocate. */
  allocate?: Strategy["allocate"];
  /** An update without a resourceVersion is refused. */
  requiresResourceVersion?: boolean;
}

export interface Update {
  /** The object as the client wants it, in the stored form; changed in place. */
  object: KubeObject;
  /** What is stored, and the same decoded (left alone). */
  stored: StoredValue;
  old: KubeObject;
  part: UpdatePart;
  dryRun: boolean;
  /** Its managedFields are what they shall be (an apply has seen to them). */
  isTracked?: boolean;
  /** A PUT's uid is a precondition; elsewhere another uid is a change that validation refuses. */
  checksUid?: boolean;
}

/** What an update left: as it is stored, or, where nothing was stored (dry run, last finalizer gone), the object. */
export type UpdateOutcome = { stored: StoredValue } | { object: KubeObject };

export const updateAnswer = (request: ResourceRequest, outcome: UpdateOutcome): Answer =>
  "stored" in outcome ? storedAnswer(request, 200, outcome.stored) : objectAnswer(request, 200, outcome.object);

/**
 * Checks an update and writes it over what was read.
 * @returns undefined when another write came first; the caller reads again, or reports the conflict
 * @throws ApiError whatever the chain refuses the update for
 */
export async function writeUpdate(request: ResourceRequest, update: Update): Promise<UpdateOutcome | undefined> {
  request.attributes.dryRun = update.dryRun;
  matchNamespace(update.object, request.info.namespace || undefined);
  checkPreconditions(request, update);
  const { allocate } = update.part;
  if (!allocate) return attempt(request, update);
  const context = await allocationContext(request, update.dryRun, update.old);
  return withClaims(request, context, () => {
    const object = copyJson(update.object);
    return attempt(request, { ...update, object }, (old) => allocate(object, old, context));
  });
}

/** One try: undefined when another write came first. */
async function attempt(
  request: ResourceRequest,
  update: Update,
  allocate?: (old: KubeObject) => StatusCause[],
): Promise<UpdateOutcome | undefined> {
  const { object, old, stored, dryRun } = update;
  await prepare(request, update, allocate);
  const { name } = object.metadata;
  if (isEmptied(request, object, old)) return removeEmptied(request, { object, stored, dryRun });
  object.metadata.resourceVersion = String(stored.revision);
  dropEmptyFields(request, object, "stored");
  if (!dryRun) dropSelfLink(object.metadata);
  if (sameButForTimes(object, old)) return { stored };
  if (dryRun) return { object };

  const strategy = strategyFor(storageOf(request.facts));
  const key = keyOf(request.info.namespace, name);
  const value = encodeStored(object);
  const result = await withAddresses(request, { before: old, after: object }, () =>
    storeFor(request).write({
      op: "update",
      key,
      expectRevision: stored.revision,
      value,
      attributes: { labels: object.metadata.labels ?? {}, fields: strategy.fields?.(object) ?? {} },
      claims: strategy.claims?.(object),
    }),
  );
  forget(request.context.cluster, storageOf(request.facts), key);
  if (result.ok) return { stored: { key, revision: result.revision, value } };
  if (result.reason === "conflict") return undefined;
  throw refusalError(result, groupResourceOf(request), name);
}

function checkPreconditions(request: ResourceRequest, { object, old, part, checksUid }: Update): void {
  const { facts } = request;
  const { name, uid, resourceVersion } = object.metadata;
  const gr = groupResourceOf(request);
  if (checksUid && uid && uid !== old.metadata.uid)
    throw conflict(gr, name, wrongUid(request, uid, old.metadata.uid ?? ""));
  if (!resourceVersion || resourceVersion === "0") {
    if (!part.requiresResourceVersion) return;
    throw invalid({ group: facts.group, kind: facts.resource }, name, [
      {
        reason: "FieldValueInvalid",
        field: "metadata.resourceVersion",
        message: "Invalid value: 0: must be specified for an update",
      },
    ]);
  }
  if (!/^\d+$/.test(resourceVersion)) {
    throw failure(500, "", `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`);
  }
  if (resourceVersion !== old.metadata.resourceVersion) throw conflict(gr, name, OBJECT_MODIFIED);
}

/** Where upstream's storage keeps resources under another name. */
const STORAGE_NAMES: Record<string, string> = {
  endpoints: "services/endpoints",
  ingresses: "ingress",
  nodes: "minions",
  replicationcontrollers: "controllers",
  services: "services/specs",
};

export const wrongUid = ({ facts, info, attributes }: ResourceRequest, uid: string, found: string): string =>
  storageError(
    { resource: facts.resource, namespace: info.namespace, name: info.name, dryRun: attributes.dryRun },
    unmetUid(uid, found),
  );

export const unmetUid = (uid: string, found = ""): string =>
  `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found}`;

interface StoredUnder {
  resource: string;
  namespace: string;
  name: string;
  dryRun: boolean;
}

/** Upstream's storage speaks here, its key included; clients look for the words. */
export function storageError({ resource, namespace, name, dryRun }: StoredUnder, why: string): string {
  // A dry run does not come as far as the storage's prefix.
  const prefix = dryRun ? "" : "/registry";
  const key = `${prefix}/${STORAGE_NAMES[resource] ?? resource}/${namespace ? `${namespace}/` : ""}${name}`;
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`;
}

async function prepare(
  request: ResourceRequest,
  { object, old, part, isTracked }: Update,
  allocate?: (old: KubeObject) => StatusCause[],
): Promise<void> {
  const { context, attributes, warnings } = request;
  object.metadata.resourceVersion = old.metadata.resourceVersion;
  const duplicates = dedupeOwnerReferences(object.metadata, { isPatch: attributes.verb === "patch" });
  if (duplicates) warnings.push(duplicates);
  if (!isTracked) trackFields(request, old, object);
  if (!tellsEmptyFromAbsent(request.facts)) markEmptyMapsOf(request, object);
  const admission: AdmissionRequest = {
    operation: "UPDATE",
    attributes,
    user: context.user,
    object,
    old,
    reader: clusterReader(context.env, context.cluster),
    writer: clusterWriter(context.env, context.cluster),
    causes: [],
    warn: (text) => warnings.push(text),
  };
  await admit(admission);
  keepSystemMetadata(object.metadata, old.metadata);
  part.prepare(object, copyJson(old));
  refuseInvalid(request, object, allocate?.(old));
  refuseInvalid(request, object, [...admission.causes, ...part.validate(object, old)]);
  if (part.warnings) warnings.push(...part.warnings(object, old));
  await validateAdmission(admission);
}

function refuseInvalid({ facts }: ResourceRequest, { metadata }: KubeObject, causes: StatusCause[] = []): void {
  if (causes.length > 0) throw invalid(storedFacts(facts), metadata.name ?? "", causes);
}

/** The last finalizer of an object that is being deleted has gone: the object goes as well. */
function isEmptied({ facts }: ResourceRequest, { metadata, spec }: KubeObject, old: KubeObject): boolean {
  if (!old.metadata.deletionTimestamp || (metadata.finalizers ?? []).length > 0) return false;
  if (facts.group === "" && facts.resource === "namespaces") {
    const { finalizers = [] } = (spec ?? {}) as { finalizers?: string[] };
    if (finalizers.length > 0) return false;
  }
  return (metadata.deletionGracePeriodSeconds ?? 0) === 0;
}
