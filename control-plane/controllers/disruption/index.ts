/**
 * Counts for each PodDisruptionBudget how many of its pods are healthy and how many may be evicted: evictions and
 * preemption read that from its status. It evicts nothing itself.
 */
import { isReady } from "../../../shared/api/conditions.ts";
import {
  DEPLOYMENTS,
  POD_DISRUPTION_BUDGETS,
  PODS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  STATEFUL_SETS,
} from "../../../shared/api/refs.ts";
import { matchesLabelSelector } from "../../../shared/api/selector.ts";
import type {
  Deployment,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from "../../../shared/api/types.ts";
import { type ControllerDefinition, type Enqueue, type InformerEvent, keyOf } from "../../runtime/index.ts";
import { staleConditionInMs } from "./decide.ts";
import { type DisruptionDeps, reconcileBudget, reconcilePod } from "./reconcile.ts";

/** Keys of pods among those of budgets; no namespace has such a name. */
const POD_KEY = "pod:";

export const disruptionController: ControllerDefinition = {
  name: "disruption",
  serviceAccount: "disruption-controller",
  eventSource: "controllermanager",
  build(base) {
    const deps: DisruptionDeps = {
      ...base,
      budgets: base.informer<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS),
      pods: base.informer<Pod>(PODS),
      replicaSets: base.informer<ReplicaSet>(REPLICA_SETS),
      deployments: base.informer<Deployment>(DEPLOYMENTS),
      statefulSets: base.informer<StatefulSet>(STATEFUL_SETS),
      replicationControllers: base.informer<ReplicationController>(REPLICATION_CONTROLLERS),
    };
    return {
      concurrency: 5,
      start(enqueue) {
        deps.budgets.onEvent(({ object }) => enqueue(keyOf(object)));
        deps.pods.onEvent((event) => onPod(event, deps, enqueue));
        for (const kind of [deps.replicaSets, deps.deployments, deps.statefulSets, deps.replicationControllers])
          kind.onEvent((event) => {
            if (event.type !== "updated" || event.old.spec?.replicas !== event.object.spec?.replicas)
              for (const budget of deps.budgets.list(event.object.metadata.namespace)) enqueue(keyOf(budget));
          });
      },
      reconcile: (key) =>
        key.startsWith(POD_KEY) ? reconcilePod(key.slice(POD_KEY.length), deps) : reconcileBudget(key, deps),
    };
  },
};

function onPod(event: InformerEvent<Pod>, deps: DisruptionDeps, enqueue: Enqueue): void {
  const pod = event.object;
  const staleInMs = event.type === "deleted" ? undefined : staleConditionInMs(pod, deps.clock.nowMs());
  if (staleInMs !== undefined) enqueue(POD_KEY + keyOf(pod), staleInMs);
  if (event.type === "updated" && !isCountChanged(event.old, pod)) return;
  const before = event.type === "updated" ? event.old : pod;
  for (const budget of deps.budgets.list(pod.metadata.namespace)) {
    const selects = ({ metadata }: Pod) => matchesLabelSelector(budget.spec.selector, metadata.labels);
    if (selects(pod) || selects(before)) enqueue(keyOf(budget));
  }
}

/** Whether the pod may count otherwise than before. */
const isCountChanged = (before: Pod, after: Pod): boolean =>
  isReady(before) !== isReady(after) ||
  before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
  JSON.stringify(before.metadata.labels) !== JSON.stringify(after.metadata.labels) ||
  JSON.stringify(before.metadata.ownerReferences) !== JSON.stringify(after.metadata.ownerReferences);
