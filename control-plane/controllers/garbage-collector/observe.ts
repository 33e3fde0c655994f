import type { KubeObject } from "../../../shared/api/object.ts";
import type { ResourceRef } from "../../../shared/client/api-client.ts";
import { type DependencyGraph, type GraphNode, isDeletingDependents, isOrphaning, nodeOf } from "./graph.ts";

/** Keys of the collector's queue: an object to look at, or an owner whose dependents are to be set free. */
export const collectKey = (uid: string): string => `collect/${uid}`;
export const orphanKey = (uid: string): string => `orphan/${uid}`;

/**
 * Takes a change into the graph.
 * @param isOwnerKnown whether an owner surely exists: then a new dependent needs no look
 * @returns the keys to work on
 */
export function observe(
  graph: DependencyGraph,
  change: { ref: ResourceRef; type: "present" | "deleted"; object: KubeObject },
  isOwnerKnown: (dependent: GraphNode, uid: string) => boolean,
): string[] {
  const node = nodeOf(change.ref, change.object);
  if (change.type === "deleted") return afterDeletion(graph, graph.remove(node.uid) ?? node);
  const old = graph.set(node);
  const keys: string[] = [];
  if (isOrphaning(node)) keys.push(orphanKey(node.uid));
  if (isDeletingDependents(node) && !(old && isDeletingDependents(old))) {
    keys.push(collectKey(node.uid));
    for (const { uid } of graph.dependentsOf(node.uid)) keys.push(collectKey(uid));
  }
  const hadAll = old !== undefined && node.owners.every(({ uid }) => old.owners.some((owner) => owner.uid === uid));
  if (!hadAll && !node.isDeleting && !node.owners.every(({ uid }) => isOwnerKnown(node, uid)))
    keys.push(collectKey(node.uid));
  // Owners that wait: a dependent no longer blocks them, is itself waiting, or has just come.
  for (const { uid } of [...node.owners, ...(old?.owners ?? [])]) {
    const owner = graph.get(uid);
    if (owner && isDeletingDependents(owner)) keys.push(collectKey(uid));
  }
  return keys;
}

function afterDeletion(graph: DependencyGraph, node: GraphNode): string[] {
  const waitingOwners = node.owners.filter(({ uid }) => {
    const owner = graph.get(uid);
    return owner !== undefined && isDeletingDependents(owner);
  });
  return [...graph.dependentsOf(node.uid), ...waitingOwners].map(({ uid }) => collectKey(uid));
}
