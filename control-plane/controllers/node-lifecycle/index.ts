import { isReady } from "../../../shared/api/conditions.ts";
import { NODES, PODS } from "../../../shared/api/refs.ts";
import type { Node, Pod } from "../../../shared/api/types.ts";
import type { ControllerDefinition, Enqueue, InformerEvent } from "../../runtime/index.ts";
import { BY_NODE, byNode } from "../by-node.ts";
import { EvictionTurns } from "./eviction-turns.ts";
import { LifeNotes } from "./life-notes.ts";
import { type NodeDeps, reconcile } from "./reconcile.ts";

/**
 * Judges by its Lease whether a node lives, and turns its conditions into taints. Evicting pods for these taints is the
 * taint-eviction controller's.
 */
export const nodeLifecycleController: ControllerDefinition = {
  name: "node-lifecycle",
  serviceAccount: "node-controller",
  build(base) {
    const deps: NodeDeps = {
      ...base,
      nodes: base.informer<Node>(NODES),
      pods: base.informer<Pod>(PODS),
      life: new LifeNotes(base.notes),
      turns: new EvictionTurns(base.notes),
    };
    deps.pods.addIndex(BY_NODE, byNode);
    return {
      concurrency: 8,
      start(enqueue) {
        // Those that were deleted while nobody looked have to be signed off.
        for (const name of deps.life.names()) enqueue(name);
        deps.nodes.onEvent((event) => onNode(event, deps, enqueue));
        deps.pods.onEvent((event) => {
          const node = event.object.spec.nodeName;
          const isNew = event.type === "added" || (event.type === "updated" && event.old.spec.nodeName !== node);
          const known = node === undefined ? undefined : deps.nodes.get(node);
          if (node && isNew && known && !isReady(known)) enqueue(node);
        });
      },
      reconcile: (key) => reconcile(key, deps),
    };
  },
};

function onNode(event: InformerEvent<Node>, { nodes }: NodeDeps, enqueue: Enqueue): void {
  enqueue(event.object.metadata.name);
  // How many nodes are lost decides on the taints of each.
  const isChanged = event.type !== "updated" || isReady(event.old) !== isReady(event.object);
  if (isChanged) for (const { metadata } of nodes.list()) enqueue(metadata.name);
}
