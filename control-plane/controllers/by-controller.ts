import type { KubeObject } from "../../shared/api/object.ts";
import { controllerOf } from "../runtime/index.ts";

/** Name of the index of pods and ReplicaSets by the uid of their controller, or `orphansOf` their namespace. */
export const BY_CONTROLLER = "controller";

export const orphansOf = (namespace: string | undefined): string => `orphans/${namespace ?? ""}`;

export function byController(object: KubeObject): string[] {
  const owner = controllerOf(object);
  return [owner ? owner.uid : orphansOf(object.metadata.namespace)];
}
