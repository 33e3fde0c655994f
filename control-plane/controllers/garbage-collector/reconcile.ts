import { printGroupVersion } from "../../../shared/api/group-resource.ts";
import type { OwnerReference } from "../../../shared/api/object.ts";
import { isNotFound } from "../../../shared/api/status.ts";
import { type ControllerDeps, done, type Enqueue, type Requeue } from "../../runtime/index.ts";
import { blocks, decide, type OwnerState } from "./decide.ts";
import { type DependencyGraph, type GraphNode, isDeletingDependents, isOrphaning, ORPHAN_FINALIZER } from "./graph.ts";
import { collectKey } from "./observe.ts";
import type { Owners } from "./owners.ts";

export interface CollectorDeps extends ControllerDeps {
  graph: DependencyGraph;
  owners: Owners;
  enqueue: Enqueue;
}

export async function reconcile(key: string, deps: CollectorDeps): Promise<Requeue> {
  const slash = key.indexOf("/");
  const node = deps.graph.get(key.slice(slash + 1));
  if (!node) return done;
  try {
    if (key.slice(0, slash) === "orphan") await orphanDependents(node, deps);
    else await collect(node, deps);
  } catch (error) {
    // Somebody else deleted it; the feed will say so.
    if (!isNotFound(error)) throw error;
  }
  return done;
}

async function collect(node: GraphNode, deps: CollectorDeps): Promise<void> {
  const { graph, owners, api, log, enqueue } = deps;
  const states = new Map<string, OwnerState>();
  if (!node.isDeleting) for (const owner of node.owners) states.set(owner.uid, await owners.stateOf(node, owner));
  // The caller waited: what the graph knows now counts.
  const current = graph.get(node.uid);
  if (!current) return;
  warnOfStrangers(current, states, deps);
  const dependents = graph.dependentsOf(node.uid);
  const plan = decide(current, dependents, (uid) => states.get(uid) ?? "solid");
  if (plan.action === "none" || (plan.action === "collectDependents" && plan.uids.length === 0)) return;
  log.info("garbage-collector plan", {
    resource: current.ref.resource,
    namespace: current.namespace,
    name: current.name,
    ...plan,
  });
  switch (plan.action) {
    case "removeOwners":
      return patchMetadata(current, { ownerReferences: plan.keep }, deps);
    case "removeFinalizer":
      return patchMetadata(current, { finalizers: without(current.finalizers, plan.finalizer) }, deps);
    case "collectDependents":
      for (const uid of plan.uids) enqueue(collectKey(uid));
      return;
    case "delete":
      if (plan.unblock) for (const dependent of dependents) await stopBlocking(dependent, current.uid, deps);
      return api.delete(current.ref, current, {
        uid: current.uid,
        resourceVersion: current.resourceVersion,
        propagationPolicy: plan.policy,
      });
  }
}

/** An owner in another namespace owns nothing, whatever becomes of its dependent: an event tells. */
function warnOfStrangers(node: GraphNode, states: Map<string, OwnerState>, { owners, events }: CollectorDeps): void {
  const { ref, namespace = "", name, uid } = node;
  const about = { kind: ref.kind, apiVersion: printGroupVersion(ref), namespace, name, uid };
  for (const owner of node.owners) {
    const isBeside = !["absent", "impossible"].includes(states.get(owner.uid) ?? "solid");
    if (isBeside || !owners.isElsewhere(node, owner)) continue;
    const { apiVersion, kind } = owner;
    const meant = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${owner.name}, uid: ${owner.uid}]`;
    const message = `ownerRef ${meant} does not exist in namespace "${namespace}"`;
    events.event(about, "Warning", "OwnerRefInvalidNamespace", message);
  }
}

/** The dependents lose their reference first, then the owner its finalizer: interrupted, it begins again. */
async function orphanDependents(owner: GraphNode, deps: CollectorDeps): Promise<void> {
  if (!isOrphaning(owner)) return;
  const dependents = deps.graph.dependentsOf(owner.uid);
  deps.log.info("garbage-collector plan", {
    resource: owner.ref.resource,
    namespace: owner.namespace,
    name: owner.name,
    action: "orphan",
    dependents: dependents.map(({ name }) => name),
  });
  for (const dependent of dependents) {
    const keep = dependent.owners.filter(({ uid }) => uid !== owner.uid);
    await patchMetadata(dependent, { ownerReferences: keep }, deps).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
  await patchMetadata(owner, { finalizers: without(owner.finalizers, ORPHAN_FINALIZER) }, deps);
}

/** Two that wait for each other would wait for ever. */
async function stopBlocking(dependent: GraphNode, ownerUid: string, deps: CollectorDeps): Promise<void> {
  if (!isDeletingDependents(dependent) || !blocks(dependent, ownerUid)) return;
  const ownerReferences = dependent.owners.map(
    (owner): OwnerReference => (owner.uid === ownerUid ? { ...owner, blockOwnerDeletion: false } : owner),
  );
  await patchMetadata(dependent, { ownerReferences }, deps);
}

/** A merge patch, which custom resources take too; the resourceVersion keeps it from undoing somebody's change. */
async function patchMetadata(
  { ref, name, namespace, uid, resourceVersion }: GraphNode,
  change: { ownerReferences: OwnerReference[] } | { finalizers: string[] },
  { api }: CollectorDeps,
): Promise<void> {
  const lists = Object.fromEntries(
    Object.entries(change).map(([field, list]) => [field, list.length === 0 ? null : list]),
  );
  await api.patch(ref, { name, namespace }, "merge", { metadata: { uid, resourceVersion, ...lists } });
}

const without = (list: string[], entry: string): string[] => list.filter((other) => other !== entry);
