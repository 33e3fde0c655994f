import { printGroupResource } from "../../../shared/api/group-resource.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { decodeStored } from "../../../shared/api/stored-object.ts";
import type { ResourceRef } from "../../../shared/client/api-client.ts";
import type { ControllerDefinition, Informer } from "../../runtime/index.ts";
import type { ChangeBatch } from "../../storage/interface.ts";
import { DependencyGraph } from "./graph.ts";
import { observe } from "./observe.ts";
import { Owners } from "./owners.ts";
import { type CollectorDeps, reconcile } from "./reconcile.ts";
import { isOfInterest, storedResource, WatchedResources } from "./watched-resources.ts";

/**
 * Deletes what lost its last owner, holds back owners that are deleted in the foreground until their dependents are
 * gone, and sets dependents free where they are to stay. It knows objects by their metadata alone.
 */
export const garbageCollector: ControllerDefinition = {
  name: "garbage-collector",
  serviceAccount: "generic-garbage-collector",
  eventSource: "garbage-collector-controller",
  build(base) {
    const graph = new DependencyGraph();
    const informers = new Map<string, Informer>();
    const watched = new WatchedResources(base.notes);
    const owners = new Owners(base.api, {
      get: (ref, key) => informers.get(printGroupResource(ref))?.get(key),
      list: (ref) => informers.get(printGroupResource(ref))?.list() ?? [],
    });
    let deps: CollectorDeps | undefined;

    const take = (ref: ResourceRef, type: "present" | "deleted", object: KubeObject) => {
      if (type === "deleted") owners.wasDeleted(ref, object);
      const keys = observe(graph, { ref, type, object }, (node, uid) =>
        node.owners.every((owner) => owner.uid !== uid || owners.isKnown(node, owner)),
      );
      for (const key of keys) deps?.enqueue(key);
    };

    const follow = (informer: Informer) => {
      const id = printGroupResource(informer.ref);
      if (informers.has(id)) return;
      informers.set(id, informer);
      informer.onEvent(({ type, object }) => take(informer.ref, type === "deleted" ? "deleted" : "present", object));
    };
    const watch = (ref: ResourceRef) => follow(base.metadataInformer(ref));

    return {
      concurrency: 20,
      start(enqueue) {
        deps = { ...base, graph, owners, enqueue };
        for (const id of watched.ids) {
          const ref = storedResource(id);
          if (ref) watch(ref);
        }
      },
      onInformer: follow,
      onUncached(batch) {
        const ref = storedResource(printGroupResource(batch));
        if (!ref) return;
        const objects = decode(ref, batch);
        if (objects.some(({ object }) => isOfInterest(object))) {
          watched.add(printGroupResource(ref));
          watch(ref);
        }
        // What was deleted meanwhile is not in the list that a new watch begins with.
        for (const { type, object } of objects) if (type === "deleted") take(ref, type, object);
      },
      reconcile: async (key) => (deps ? reconcile(key, deps) : {}),
    };
  },
};

function decode(ref: ResourceRef, { changes }: ChangeBatch): { type: "present" | "deleted"; object: KubeObject }[] {
  return changes.map(({ type, value, revision }) => ({
    type: type === "DELETED" ? "deleted" : "present",
    object: decodeStored(value, revision, { apiVersion: ref.version, kind: ref.kind }),
  }));
}
