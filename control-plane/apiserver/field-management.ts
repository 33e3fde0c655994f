import type { KubeObject } from "../../shared/api/object.ts";
import { resolve, schemaOf } from "../../shared/schema/index.ts";
import type { ApiCall } from "./call.ts";
import { fromStored } from "./conversion/index.ts";
import { trackUpdate } from "./managed-fields/index.ts";
import { copyJson, sameObject } from "./object-text.ts";
import { type ResourceRequest, typeMetaOf } from "./resource-request.ts";
import { hasStatus } from "./write-rules.ts";

const MAX_MANAGER_BYTES = 128;

/** Who writes: the `fieldManager` parameter, or the first part of the user agent. */
export function managerOf({ url, headers }: Pick<ApiCall, "url" | "headers">): string {
  const named = url.searchParams.get("fieldManager");
  if (named) return named;
  const [agent = ""] = (headers.get("user-agent") ?? "").split("/");
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
  if (info.subresource === "status" || info.subresource === "approval") return ["spec"];
  if (facts.resource === "certificatesigningrequests") return ["spec", "status"];
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
  const entries = trackUpdate({
    before: before && shown(before),
    after: shown(after),
    schema: schemaOf(facts.schema),
    schemaName: facts.schema,
    resolve,
    manager: managerOf(call),
    apiVersion: typeMetaOf(facts).apiVersion,
    ...(info.subresource ? { subresource: info.subresource } : {}),
    ignored: ignoredFields(request),
    nowMs: Date.now(),
  });
  if (entries === undefined || entries.length === 0) delete after.metadata.managedFields;
  else after.metadata.managedFields = entries;
}

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
