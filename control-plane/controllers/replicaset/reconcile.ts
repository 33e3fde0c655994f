import { PODS, REPLICA_SETS } from "../../../shared/api/refs.ts";
import { matchesLabelSelector } from "../../../shared/api/selector.ts";
import { isNotFound } from "../../../shared/api/status.ts";
import type { Pod, ReplicaSet, ReplicaSetStatus } from "../../../shared/api/types.ts";
import {
  type ControllerDeps,
  controllerOf,
  done,
  type Expectations,
  type Informer,
  keyOf,
  type OwnWrites,
  type Requeue,
  requeueAfter,
} from "../../runtime/index.ts";
import { BY_CONTROLLER, orphansOf } from "../by-controller.ts";
import { claimObjects } from "../claim.ts";
import { isNamespaceTerminating, messageOf, type PodControl, podFromTemplate } from "../pod-control.ts";
import { isPodActive, isPodTerminating, nextAvailabilityMs } from "../pod-state.ts";
import { slowStart } from "../slow-start.ts";
import { decideReplicas, decideStatus, type ReplicasPlan } from "./decide.ts";

export interface ReplicaSetDeps extends ControllerDeps {
  pods: Informer<Pod>;
  replicaSets: Informer<ReplicaSet>;
  expectations: Expectations;
  ownWrites: OwnWrites;
  podControl: PodControl;
}

export async function reconcile(key: string, deps: ReplicaSetDeps): Promise<Requeue> {
  const { pods, replicaSets, expectations, clock, log } = deps;
  const rs = replicaSets.get(key);
  if (!rs) {
    expectations.forget(key);
    deps.ownWrites.forget(key);
    return done;
  }
  if (!deps.ownWrites.areSeen(key)) return done;
  // Asked before the cache is read: what is observed after this is in the cache.
  const mayAct = expectations.areSatisfied(key);
  const candidates = [
    ...pods.byIndex(BY_CONTROLLER, rs.metadata.uid ?? ""),
    ...pods.byIndex(BY_CONTROLLER, orphansOf(rs.metadata.namespace)),
  ];
  const active = await claimObjects({
    api: deps.api,
    owner: rs,
    ownerRef: REPLICA_SETS,
    selector: rs.spec.selector,
    objects: candidates.filter(isPodActive),
    objectRef: PODS,
  });
  const terminatingCount = candidates.filter((pod) => isPodTerminating(pod) && isOwned(rs, pod)).length;

  let failure: unknown;
  let isChanging = false;
  if (mayAct) {
    const hasSurplus = active.length > (rs.spec.replicas ?? 1);
    const plan = decideReplicas(rs, active, hasSurplus ? relatedPods(rs, deps) : [], clock.nowMs());
    if (plan.create > 0 || plan.remove.length > 0) {
      log.info("replicaset plan", { key, create: plan.create, remove: plan.remove.map(keyOf) });
      failure = await carryOut(key, rs, plan, deps);
      isChanging = true;
    }
  }

  // What was just created or deleted wakes the key when it is seen: counting before that would be one write in vain.
  if (isChanging && failure === undefined) return done;
  const nowMs = clock.nowMs();
  const status = decideStatus({
    rs,
    active,
    terminatingCount,
    failure: failure === undefined ? undefined : messageOf(failure),
    nowMs,
  });
  if (status) await writeStatus(rs, status, deps);
  if (failure !== undefined) throw failure;
  return requeueAfter(nextAvailabilityMs(active, rs.spec.minReadySeconds ?? 0, nowMs));
}

const isOwned = (rs: ReplicaSet, pod: Pod): boolean =>
  controllerOf(pod)?.uid === rs.metadata.uid && matchesLabelSelector(rs.spec.selector, pod.metadata.labels);

/** Pods of all ReplicaSets of the same owner. */
function relatedPods(rs: ReplicaSet, { replicaSets, pods }: ReplicaSetDeps): Pod[] {
  const owner = controllerOf(rs);
  if (!owner) return [];
  const related = new Set<Pod>();
  for (const sibling of replicaSets.byIndex(BY_CONTROLLER, owner.uid))
    for (const pod of pods.list(sibling.metadata.namespace))
      if (matchesLabelSelector(sibling.spec.selector, pod.metadata.labels)) related.add(pod);
  return [...related];
}

/** @returns the first error */
async function carryOut(key: string, rs: ReplicaSet, plan: ReplicasPlan, deps: ReplicaSetDeps): Promise<unknown> {
  return plan.create > 0 ? createPods(key, rs, plan.create, deps) : removePods(key, rs, plan.remove, deps);
}

async function createPods(
  key: string,
  rs: ReplicaSet,
  count: number,
  { expectations, podControl }: ReplicaSetDeps,
): Promise<unknown> {
  expectations.expectCreations(key, count);
  const { done: created, error } = await slowStart(count, async () => {
    try {
      await podControl.create(podFromTemplate(rs.spec.template ?? {}, rs, REPLICA_SETS), rs);
    } catch (error) {
      if (!isNamespaceTerminating(error)) throw error;
    }
  });
  for (let i = created; i < count; i++) expectations.creationObserved(key);
  return error;
}

async function removePods(
  key: string,
  rs: ReplicaSet,
  victims: Pod[],
  { expectations, podControl }: ReplicaSetDeps,
): Promise<unknown> {
  expectations.expectDeletions(key, victims.map(keyOf));
  let firstError: unknown;
  await Promise.all(
    victims.map(async (pod) => {
      try {
        await podControl.remove(pod, rs);
      } catch (error) {
        expectations.deletionObserved(key, keyOf(pod));
        if (!isNotFound(error)) firstError ??= error;
      }
    }),
  );
  return firstError;
}

async function writeStatus(rs: ReplicaSet, status: ReplicaSetStatus, deps: ReplicaSetDeps): Promise<void> {
  const key = keyOf(rs);
  deps.log.info("replicaset status", { key, status });
  try {
    const written = await deps.api.update<ReplicaSet>(REPLICA_SETS, { ...rs, status }, "status");
    deps.ownWrites.wrote(key, deps.replicaSets, written);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
