import type { KubeObject } from "../../../shared/api/object.ts";

/** Names of fields: core/v1 (stored) on the left, events.k8s.io/v1 on the right. All others are alike. */
const RENAMED: [string, string][] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["reportingComponent", "reportingController"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
];

const rename = (object: KubeObject, names: (readonly [string, string])[]): KubeObject => {
  const map = new Map(names);
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [map.get(key) ?? key, value])) as KubeObject;
};

/** @see pkg/apis/core/v1 and pkg/apis/events/v1: the two versions are one internal type. */
export function eventFromStored(event: KubeObject): KubeObject {
  const shown = rename(event, RENAMED);
  // Only the older version shows them empty.
  for (const field of ["reportingController", "reportingInstance"]) if (shown[field] === "") delete shown[field];
  return shown;
}

export function eventToStored(event: KubeObject): KubeObject {
  const names = RENAMED.map(([stored, shown]) => [shown, stored] as const);
  return {
    ...rename(event, names),
    reportingComponent: event.reportingController ?? "",
    reportingInstance: event.reportingInstance ?? "",
  };
}
