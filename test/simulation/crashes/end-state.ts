import { printGroupResource } from "../../../shared/api/group-resource.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { EVENTS, LEASES } from "../../../shared/api/refs.ts";
import type { MemoryApi } from "../../builders/memory-api.ts";
import { TOUCHED } from "./troubled-client.ts";

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const UID = /uid-\d+/g;
const QUIET = new Set([EVENTS.resource, LEASES.resource]);

/**
 * All that an API holds, as texts that are the same whatever was drawn by lot on the way: without times, versions and
 * uids, names that were generated cut to what they were generated from, lists without their order.
 * @param options.withEvents Events count, too
 * @param options.vague what else may differ
 */
export function endState(
  api: MemoryApi,
  { withEvents = false, vague }: { withEvents?: boolean; vague?: RegExp },
): string[] {
  const objects = api.refs
    .filter(({ resource }) => withEvents || !QUIET.has(resource))
    .flatMap((ref) => api.all(ref).map((object) => ({ ref, object })));
  const names = new Map<string, string>();
  const uids = new Map<string, string>();
  for (const { ref, object } of objects) {
    const { name, namespace, uid = "", generateName } = object.metadata;
    const known = generateName && name.startsWith(generateName) ? `${generateName}*` : name;
    if (known !== name) names.set(name, known);
    uids.set(uid, `${printGroupResource(ref)}/${namespace ?? ""}/${known}`);
  }
  const plain = (text: string) => {
    let result = text.replace(UID, (uid) => uids.get(uid) ?? "nobody").replace(TIME, "then");
    for (const [name, known] of names) result = result.replaceAll(`"${name}"`, `"${known}"`);
    return result;
  };
  return objects
    .map(({ ref, object }) => {
      const text = JSON.stringify(sorted(JSON.parse(plain(JSON.stringify(settled(object))))));
      return `${printGroupResource(ref)} ${vague ? text.replace(vague, "") : text}`;
    })
    .sort();
}

/** How often a spec was written is no difference, whether its status is that of the last one is. */
function settled(object: KubeObject): unknown {
  const { metadata, ...rest } = structuredClone(object);
  const { generation, resourceVersion: _version, uid: _uid, managedFields: _fields, ...kept } = metadata;
  const status = rest["status"] as Record<string, unknown> | undefined;
  if (status && "observedGeneration" in status) {
    status["observedGeneration"] = status["observedGeneration"] === generation ? "this" : "another";
  }
  return { ...rest, metadata: kept };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([name, each]) => name !== "resourceVersion" && name !== TOUCHED && !(name === "minReadySeconds" && each === 0),
      )
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)] as const)
      .filter(([name, each]) => name !== "annotations" || Object.keys(each as object).length > 0),
  );
}
