import type { KubeObject, OwnerReference } from "../../../shared/api/object.ts";
import type { ResourceRef } from "../../../shared/client/api-client.ts";

export const FOREGROUND_FINALIZER = "foregroundDeletion";
export const ORPHAN_FINALIZER = "orphan";

/** What the collector remembers of an object. Objects that own nothing and are owned by nobody are not kept. */
export interface GraphNode {
  uid: string;
  ref: ResourceRef;
  namespace: string | undefined;
  name: string;
  resourceVersion: string | undefined;
  owners: OwnerReference[];
  finalizers: string[];
  isDeleting: boolean;
}

export function nodeOf(ref: ResourceRef, { metadata }: KubeObject): GraphNode {
  return {
    uid: metadata.uid ?? "",
    ref,
    namespace: metadata.namespace,
    name: metadata.name,
    resourceVersion: metadata.resourceVersion,
    owners: metadata.ownerReferences ?? [],
    finalizers: metadata.finalizers ?? [],
    isDeleting: !!metadata.deletionTimestamp,
  };
}

/** Being deleted in the foreground: it waits for the dependents that block it. */
export const isDeletingDependents = (node: GraphNode): boolean =>
  node.isDeleting && node.finalizers.includes(FOREGROUND_FINALIZER);

/** Being deleted, and its dependents are to stay. */
export const isOrphaning = (node: GraphNode): boolean => node.isDeleting && node.finalizers.includes(ORPHAN_FINALIZER);

const isWorthKeeping = (node: GraphNode): boolean =>
  node.owners.length > 0 || isDeletingDependents(node) || isOrphaning(node);

/** Who is owned by whom, by uid. */
export class DependencyGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #dependents = new Map<string, Set<string>>();

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  dependentsOf(uid: string): GraphNode[] {
    const found: GraphNode[] = [];
    for (const dependent of this.#dependents.get(uid) ?? []) {
      const node = this.#nodes.get(dependent);
      if (node) found.push(node);
    }
    return found;
  }

  /** @returns what was known of it before */
  set(node: GraphNode): GraphNode | undefined {
    const old = this.remove(node.uid);
    if (!isWorthKeeping(node)) return old;
    this.#nodes.set(node.uid, node);
    for (const { uid } of node.owners) {
      const dependents = this.#dependents.get(uid);
      if (dependents) dependents.add(node.uid);
      else this.#dependents.set(uid, new Set([node.uid]));
    }
    return old;
  }

  remove(uid: string): GraphNode | undefined {
    const node = this.#nodes.get(uid);
    if (!node) return undefined;
    this.#nodes.delete(uid);
    for (const owner of node.owners) {
      const dependents = this.#dependents.get(owner.uid);
      if (dependents?.delete(uid) && dependents.size === 0) this.#dependents.delete(owner.uid);
    }
    return node;
  }
}
