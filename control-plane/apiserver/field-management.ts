import type { JsonObject } from "../../shared/api/json.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import {
  dropEmpty,
  findKind,
  markEmptyMaps,
  type ResourceFacts,
  resolve,
  schemaOf,
} from "../../shared/schema/index.ts";
import type { ApiCall } from "./call.ts";
import { fromStored, toStored } from "./conversion/index.ts";
import { type InVersion, trackUpdate } from "./managed-fields/index.ts";
import { copyJson, sameObject } from "./object-text.ts";
import { type ResourceRequest, typeMetaOf } from "./resource-request.ts";
import { storageOf, storedFacts } from "./stores.ts";
import { strategyFor } from "./strategy/index.ts";
import { hasStatus } from "./write-rules.ts";

const MAX_MANAGER_BYTES = 128;
/** What nearly all are called, within that bound. */
const PLAIN_MANAGER = /^[ -~]{1,128}$/;

/** Who writes: the `fieldManager` parameter, or the first part of the user agent. */
export function managerOf({ url, headers }: Pick<ApiCall, "url" | "headers">): string {
  const named = url.searchParams.get("fieldManager");
  if (named) return named;
  const [agent = ""] = (headers.get("user-agent") ?? "").split("/");
  if (PLAIN_MANAGER.test(agent)) return agent;
  const printable = Array.from(agent).filter((char) => /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char));
  let name = "";
  for (const char of printable) {
    if (new TextEncoder().encode(name + char).length > MAX_MANAGER_BYTES) break;
    name += char;
  }
  return name === "" ? "unknown" : name;
}

/** The fields that a request to this part of the object cannot change, so that it cannot come to own them. */
export function ignoredFields({ facts, info }: ResourceRequest): string[] {
  if (facts.resource === "certificatesigningrequests") {
    if (info.subresource === "status") return ["spec", "status.conditions"];
    return info.subresource === "approval" ? ["spec", "status.certificate"] : ["spec", "status"];
  }
  if (info.subresource === "status") {
    const { metaKeptFromStatus = [] } = strategyFor(storageOf(facts));
    return [
      "spec",
      ...(metaKeptFromStatus === "all" ? ["metadata"] : metaKeptFromStatus.map((name) => `metadata.${name}`)),
    ];
  }
  return hasStatus(facts) ? ["status"] : [];
}

/**
 * Notes in `after.metadata.managedFields` who now owns which field. To be called before admission and the kind's own
 * preparations, so that what the server adds is nobody's.
 * @param before what is stored; undefined for a create
 */
export function trackFields(request: ResourceRequest, before: KubeObject | undefined, after: KubeObject): void {
  const { facts, info, call } = request;
  // Fields have the names of the version in which the client wrote.
  const shown = (object: KubeObject) => (facts.storedAs ? fromStored(facts, copyJson(object)) : object);
  const written = shown(copyJson(after));
  dropEmpty(facts.schema, written as unknown as JsonObject, "owned");
  // An empty list says something here.
  written.metadata.managedFields = after.metadata.managedFields;
  const entries = trackUpdate({
    before: before && shown(before),
    after: written,
    schema: schemaOf(facts.schema),
    schemaName: facts.schema,
    resolve,
    manager: managerOf(call),
    apiVersion: typeMetaOf(facts).apiVersion,
    ...(info.subresource ? { subresource: info.subresource } : {}),
    inVersion: inVersionOf(facts),
    ignored: ignoredFields(request),
    nowMs: Date.now(),
  });
  if (entries === undefined || entries.length === 0) delete after.metadata.managedFields;
  else after.metadata.managedFields = entries;
}

/** Converts objects of a kind between the versions in which it is served, for the owners of fields. */
export const inVersionOf =
  (facts: ResourceFacts): InVersion =>
  (apiVersion, object) => {
    const from = findVersion(facts, object.apiVersion ?? typeMetaOf(facts).apiVersion) ?? facts;
    const to = findVersion(facts, apiVersion);
    // Upstream finds no way between groups: owners of events in the one are lost by a write in the other.
    if (!to || to.group !== from.group) return undefined;
    const converted = to === from ? object : fromStored(to, toStored(from, copyJson(object)));
    return { object: { ...converted, ...typeMetaOf(to) }, schema: schemaOf(to.schema), schemaName: to.schema };
  };

function findVersion({ kind }: ResourceFacts, apiVersion: string): ResourceFacts | undefined {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  return findKind({ group, version, kind });
}

/** See `dropEmpty`. @param object in the stored form, changed in place */
export const dropEmptyFields = (
  { facts }: ResourceRequest,
  object: KubeObject,
  what: Parameters<typeof dropEmpty>[2],
): void => dropEmpty(storedFacts(facts).schema, object as unknown as JsonObject, what);

/** See `markEmptyMaps`. @param object in the stored form */
export const markEmptyMapsOf = ({ facts }: ResourceRequest, object: KubeObject): void =>
  markEmptyMaps(storedFacts(facts).schema, object as unknown as JsonObject);

/** Whether two states differ in nothing but the times of managers: such a write is none. */
export function sameButForTimes(a: KubeObject, b: KubeObject): boolean {
  return sameObject(withoutTimes(a), withoutTimes(b));
}

function withoutTimes(object: KubeObject): KubeObject {
  const { managedFields } = object.metadata;
  if (!managedFields) return object;
  const entries = managedFields.map(({ time: _time, ...entry }) => entry);
  return { ...object, metadata: { ...object.metadata, managedFields: entries } };
}
