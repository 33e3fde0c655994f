import { parseFieldSelector, type Requirement } from "../api/selector.ts";
import { badRequest } from "../api/status.ts";
import type { ResourceFacts } from "./resources.ts";

/** Old names, and the names of one view of a stored object, by those that the store keeps. */
const RENAMED: Record<string, Record<string, string>> = {
  "/pods": { "spec.host": "spec.nodeName" },
  "events.k8s.io/events": {
    "regarding.kind": "involvedObject.kind",
    "regarding.namespace": "involvedObject.namespace",
    "regarding.name": "involvedObject.name",
    "regarding.uid": "involvedObject.uid",
    "regarding.apiVersion": "involvedObject.apiVersion",
    "regarding.resourceVersion": "involvedObject.resourceVersion",
    "regarding.fieldPath": "involvedObject.fieldPath",
    reportingController: "reportingComponent",
  },
};

/** Kinds that upstream gave a message of their own, in place of "field label not supported: …". */
const UNSUPPORTED: Record<string, (label: string) => string> = {
  "batch/jobs": (label) => `field label ${JSON.stringify(label)} not supported for Job`,
  "resource.k8s.io/resourceslices": (label) =>
    `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${label}`,
};

function unsupported(resource: ResourceFacts, label: string): string {
  const own = UNSUPPORTED[`${resource.group}/${resource.resource}`];
  if (own) return own(label);
  if (resource.selectableFields.length > 0) return `field label not supported: ${label}`;
  return `${JSON.stringify(label)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

/** Namespaces, nodes, signing requests and resource slices do not know `metadata.namespace`. */
function knowsNamespace({ namespaced, selectableFields }: ResourceFacts): boolean {
  return namespaced || selectableFields.length === 0;
}

/**
 * A request's fieldSelector in the terms of the stored kind's selectable fields.
 * @throws ApiError 400 for a selector that cannot be read or a field the kind does not offer, in upstream's words
 */
export function parseFieldSelectorFor(resource: ResourceFacts, text: string): Requirement[] {
  const renamed = RENAMED[`${resource.group}/${resource.resource}`] ?? {};
  return parseFieldSelector(text).map((requirement) => {
    const { key } = requirement;
    if (Object.hasOwn(renamed, key)) return { ...requirement, key: renamed[key]! };
    const known =
      key === "metadata.name" ||
      (key === "metadata.namespace" && knowsNamespace(resource)) ||
      resource.selectableFields.includes(key);
    if (!known) throw badRequest(unsupported(resource, key));
    return requirement;
  });
}
