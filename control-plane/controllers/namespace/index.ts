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
        namespaces.onEvent(({ type, object, old }) => {
          // Known already: it was its status that changed, which is written here.
          if (type === "deleted" || old?.metadata.deletionTimestamp) return;
          if (object.metadata.deletionTimestamp) enqueue(object.metadata.name);
        });
        // All else waits for the pods: go on as soon as the last is gone, not when its grace period would have ended. One
        // that was let in at the last moment has to be told to go, too.
        pods.onEvent(({ type, object: { metadata } }) => {
          const { namespace = "" } = metadata;
          const isDue = type === "added" || (type === "deleted" && pods.isEmpty(namespace));
          if (isDue && namespaces.get(namespace)?.metadata.deletionTimestamp) enqueue(namespace);
        });
      },
      reconcile: (key) => reconcile(key, deps),
    };
  },
};
