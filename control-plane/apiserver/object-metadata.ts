import type { KubeObject, ObjectMeta } from "../../shared/api/object.ts";
import { badRequest } from "../../shared/api/status.ts";
import { printTime } from "../../shared/api/timestamp.ts";

/** Letters and digits that make no words and are not mistaken for each other (apimachinery, util/rand). */
const NAME_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH = 5;
/** The suffix must fit into a name that is a DNS label. */
const MAX_GENERATED_PREFIX = 63 - SUFFIX_LENGTH;

/** Five characters of upstream's alphabet. */
export function randomSuffix(bytes = crypto.getRandomValues(new Uint8Array(SUFFIX_LENGTH))): string {
  return Array.from(bytes, (byte) => NAME_ALPHABET[byte % NAME_ALPHABET.length]).join("");
}

/** `web-` becomes `web-7x2kd`; a prefix that is too long is cut. */
export const generateName = (prefix: string): string => prefix.slice(0, MAX_GENERATED_PREFIX) + randomSuffix();

/** What the server alone may say of a new object. Times in epoch ms. */
export function fillSystemMetadata(metadata: ObjectMeta, { uid, nowMs }: { uid: string; nowMs: number }): void {
  metadata.uid = uid;
  metadata.creationTimestamp = printTime(nowMs);
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  dropSelfLink(metadata);
}

/** Takes out what a client may not say of a new object, so that it is nobody's either. */
export function wipeSystemMetadata(metadata: ObjectMeta): void {
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  dropSelfLink(metadata);
}

/** What an update may not change, and gets from what is stored instead of an error (rest.BeforeUpdate). */
export function keepSystemMetadata(metadata: ObjectMeta, old: ObjectMeta): void {
  set(metadata, "generation", old.generation);
  if (!metadata.uid) metadata.uid = old.uid;
  if (old.creationTimestamp) metadata.creationTimestamp = old.creationTimestamp;
  if (old.deletionTimestamp) metadata.deletionTimestamp = old.deletionTimestamp;
  if (old.deletionGracePeriodSeconds !== undefined && metadata.deletionGracePeriodSeconds === undefined) {
    metadata.deletionGracePeriodSeconds = old.deletionGracePeriodSeconds;
  }
}

/** A link is never stored; only the answer to a dry run shows one that was sent. */
export function dropSelfLink(metadata: ObjectMeta): void {
  delete (metadata as { selfLink?: string }).selfLink;
}

function set<K extends keyof ObjectMeta>(metadata: ObjectMeta, name: K, value: ObjectMeta[K] | undefined): void {
  if (value === undefined) delete metadata[name];
  else metadata[name] = value;
}

/**
 * The namespace of the URL goes into the object; cluster-scoped objects have none.
 * @throws ApiError 400 when the object names another one
 */
export function matchNamespace(object: KubeObject, requested: string | undefined): void {
  const { metadata } = object;
  if (!requested) {
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace && metadata.namespace !== requested) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  metadata.namespace = requested;
}

/** @throws ApiError 400 when the object's name is another one than the URL's, or is missing */
export function matchName(object: KubeObject, requested: string): void {
  const { name } = object.metadata;
  if (!name) {
    throw badRequest(`the name of the object (${requested} based on URL) was undeterminable: name must be provided`);
  }
  if (name !== requested) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${requested})`);
  }
}

/** @param found after which step; a patch is looked at only when admission has changed it */
const duplicateOwners = (found: string, uids: string[]) =>
  `.metadata.ownerReferences contains duplicate entries${found}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids.join(", ")}`;

/** Equal owner references are kept once; a warning names the uids of those left out. */
export function dedupeOwnerReferences(metadata: ObjectMeta, { isPatch = false } = {}): string | undefined {
  const references = metadata.ownerReferences;
  if (!references || references.length < 2) return undefined;
  const seen = new Set<string>();
  const repeated: string[] = [];
  metadata.ownerReferences = references.filter((reference) => {
    const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = reference;
    const key = JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion]);
    if (seen.has(key)) repeated.push(uid);
    const fresh = !seen.has(key);
    seen.add(key);
    return fresh;
  });
  const found = isPatch ? " after mutating admission happens" : "";
  return repeated.length > 0 ? duplicateOwners(found, repeated) : undefined;
}
