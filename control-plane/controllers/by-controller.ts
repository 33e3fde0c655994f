import type { KubeObject } from "../../shared/api/object.ts";
import { controllerOf } from "../runtime/index.ts";

/** Name of the index of pods and ReplicaSets by the uid of their controller, or `orphansOf` their namespace. */
export const BY_CONTROLLER = "controller";

export const orphansOf = (namespace: string | undefined): string => `orphans/${namespace ?? ""}`;

export function byController(object: KubeObject): string[] {
  const owner = controllerOf(object);
  return [owner ? owner.uid : orphansOf(object.metadata.namespace)];
}

interface Indexed<T> {
  byIndex(name: string, value: string): T[];
}

/** What the owner controls, and what in its namespace nobody does: all that it may claim. */
export const claimableBy = <T>({ metadata }: KubeObject, objects: Indexed<T>): T[] => [
  ...objects.byIndex(BY_CONTROLLER, metadata.uid ?? ""),
  ...objects.byIndex(BY_CONTROLLER, orphansOf(metadata.namespace)),
];
