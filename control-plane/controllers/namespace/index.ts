import { NAMESPACES, PODS } from "../../../shared/api/refs.ts";
import type { Namespace, Pod } from "../../../shared/api/types.ts";
import type { ControllerDefinition } from "../../runtime/index.ts";
import { reconcile } from "./reconcile.ts";

/** Empties a namespace that is being deleted, then lets it go. What a new namespace gets is made by other controllers. */
export const namespaceController: ControllerDefinition = {
  name: "namespace",
  serviceAccount: "namespace-controller",
  build(deps) {
    const namespaces = deps.informer<Namespace>(NAMESPACES);
    const pods = deps.informer<Pod>(PODS);
    return {
      concurrency: 5,
      start(enqueue) {
        namespaces.onEvent(({ type, object }) => {
          if (type !== "deleted" && object.metadata.deletionTimestamp) enqueue(object.metadata.name);
        });
        // All else waits for the pods: go on as soon as one is gone, not when its grace period would have ended.
        pods.onEvent(({ type, object: { metadata } }) => {
          if (type === "deleted" && namespaces.get(metadata.namespace ?? "")?.metadata.deletionTimestamp)
            enqueue(metadata.namespace ?? "");
        });
      },
      reconcile: (key) => reconcile(key, deps),
    };
  },
};
