import type { OwnerReference } from "../../../shared/api/object.ts";
import { FOREGROUND_FINALIZER, type GraphNode, isDeletingDependents, ORPHAN_FINALIZER } from "./graph.ts";

/**
 * - solid: it exists and is not waiting for its dependents
 * - absent: there is no such object (any more)
 * - waiting: it is being deleted in the foreground
 * - impossible: what it is said to be cannot own the object
 */
export type OwnerState = "solid" | "absent" | "waiting" | "impossible";

export type Plan =
  | { action: "none" }
  /** Living owners remain: only the references to the others go. */
  | { action: "removeOwners"; keep: OwnerReference[] }
  | {
      action: "delete";
      policy: "Foreground" | "Background" | "Orphan";
      /** Dependents in a circle with their owners no longer block them. */
      unblock: boolean;
    }
  /** The last blocking dependent is gone: its own deletion may end. */
  | { action: "removeFinalizer"; finalizer: string }
  /** Its deletion waits for these. */
  | { action: "collectDependents"; uids: string[] };

/**
 * What becomes of an object, by the state of each of its owners (upstream's attemptToDeleteItem).
 * @param stateOf of an owner, by uid
 */
export function decide(node: GraphNode, dependents: GraphNode[], stateOf: (uid: string) => OwnerState): Plan {
  if (isDeletingDependents(node)) return decideForeground(node, dependents);
  if (node.isDeleting || node.owners.length === 0) return { action: "none" };
  if (node.owners.some(({ uid }) => stateOf(uid) === "impossible")) return { action: "none" };
  const keep = node.owners.filter(({ uid }) => stateOf(uid) === "solid");
  if (keep.length === node.owners.length) return { action: "none" };
  if (keep.length > 0) return { action: "removeOwners", keep };
  const isAwaited = node.owners.some(({ uid }) => stateOf(uid) === "waiting");
  if (isAwaited && dependents.length > 0)
    return { action: "delete", policy: "Foreground", unblock: dependents.some(isDeletingDependents) };
  return { action: "delete", policy: policyOf(node), unblock: false };
}

function decideForeground(node: GraphNode, dependents: GraphNode[]): Plan {
  const blocking = dependents.filter((dependent) => blocks(dependent, node.uid));
  if (blocking.length === 0) return { action: "removeFinalizer", finalizer: FOREGROUND_FINALIZER };
  const uids = blocking.filter((dependent) => !isDeletingDependents(dependent)).map(({ uid }) => uid);
  return { action: "collectDependents", uids };
}

/** Whether the dependent holds back the foreground deletion of its owner. */
export const blocks = (dependent: GraphNode, ownerUid: string): boolean =>
  dependent.owners.some(({ uid, blockOwnerDeletion }) => uid === ownerUid && blockOwnerDeletion === true);

/** A finalizer already there tells what its own deleter wants for its dependents. */
function policyOf({ finalizers }: GraphNode): "Foreground" | "Background" | "Orphan" {
  if (finalizers.includes(ORPHAN_FINALIZER)) return "Orphan";
  return finalizers.includes(FOREGROUND_FINALIZER) ? "Foreground" : "Background";
}
