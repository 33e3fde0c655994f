import type { KubeObject } from "../../../shared/api/object.ts";
import { PODS } from "../../../shared/api/refs.ts";
import { matchesLabelSelector } from "../../../shared/api/selector.ts";
import type { Pod, ReplicaSet, ReplicaSetStatus } from "../../../shared/api/types.ts";
import type { ResourceRef } from "../../../shared/client/api-client.ts";
import { messageOf } from "../../../shared/message-of.ts";
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
import { BY_CONTROLLER, claimableBy } from "../by-controller.ts";
import { claimObjects } from "../claim.ts";
import { type PodControl, podFromTemplate } from "../pod-control.ts";
import { createExpectedPods, removeExpectedPods } from "../pod-expectations.ts";
import { isPodActive, isPodTerminating, nextAvailabilityMs } from "../pod-state.ts";
import { writeStatus } from "../write-status.ts";
import { decideReplicas, decideStatus, type ReplicasPlan } from "./decide.ts";

/** A kind that keeps so many pods of one template: ReplicaSet, or what can be looked at as one. */
export interface ReplicasKind<T extends KubeObject> {
  ref: ResourceRef;
  view(object: T): ReplicaSet;
  /** The status tells of pods that are being deleted. */
  countsTerminating: boolean;
  withStatus(object: T, status: ReplicaSetStatus): T;
}

export interface ReplicasDeps<T extends KubeObject> extends ControllerDeps {
  kind: ReplicasKind<T>;
  pods: Informer<Pod>;
  owners: Informer<T>;
  expectations: Expectations;
  ownWrites: OwnWrites;
  podControl: PodControl;
}

export async function reconcile<T extends KubeObject>(key: string, deps: ReplicasDeps<T>): Promise<Requeue> {
  const { kind, pods, expectations, clock, log } = deps;
  const owner = deps.owners.get(key);
  if (!owner) {
    expectations.forget(key);
    deps.ownWrites.forget(key);
    return done;
  }
  const rs = kind.view(owner);
  if (!deps.ownWrites.areSeen(key)) return done;
  // Asked before the cache is read: what is observed after this is in the cache.
  const mayAct = expectations.areSatisfied(key);
  const candidates = claimableBy(rs, pods);
  const active = await claimObjects({
    api: deps.api,
    owner: rs,
    ownerRef: kind.ref,
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
      log.info("replicas plan", { key, create: plan.create, remove: plan.remove.map(keyOf) });
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
    terminatingCount: kind.countsTerminating ? terminatingCount : undefined,
    failure: failure === undefined ? undefined : messageOf(failure),
    nowMs,
  });
  if (status) {
    log.info("replicas status", { key, status });
    await writeStatus(deps, kind.ref, deps.owners, kind.withStatus(owner, status));
  }
  if (failure !== undefined) throw failure;
  return requeueAfter(nextAvailabilityMs(active, rs.spec.minReadySeconds ?? 0, nowMs));
}

const isOwned = (rs: ReplicaSet, pod: Pod): boolean =>
  controllerOf(pod)?.uid === rs.metadata.uid && matchesLabelSelector(rs.spec.selector, pod.metadata.labels);

/** Pods of all ReplicaSets of the same owner. */
function relatedPods<T extends KubeObject>(rs: ReplicaSet, { kind, owners, pods }: ReplicasDeps<T>): Pod[] {
  const owner = controllerOf(rs);
  if (!owner) return [];
  const related = new Set<Pod>();
  for (const sibling of owners.byIndex(BY_CONTROLLER, owner.uid).map(kind.view))
    for (const pod of pods.list(sibling.metadata.namespace))
      if (matchesLabelSelector(sibling.spec.selector, pod.metadata.labels)) related.add(pod);
  return [...related];
}

/** @returns the first error */
async function carryOut<T extends KubeObject>(
  key: string,
  rs: ReplicaSet,
  plan: ReplicasPlan,
  deps: ReplicasDeps<T>,
): Promise<unknown> {
  return plan.create > 0 ? createPods(key, rs, plan.create, deps) : removePods(key, rs, plan.remove, deps);
}

function createPods<T extends KubeObject>(
  key: string,
  rs: ReplicaSet,
  count: number,
  deps: ReplicasDeps<T>,
): Promise<unknown> {
  deps.expectations.expectCreations(key, count);
  const podOf = () => podFromTemplate(rs.spec.template ?? {}, rs, deps.kind.ref);
  return createExpectedPods(rs, { count, podOf }, deps);
}

function removePods<T extends KubeObject>(
  key: string,
  rs: ReplicaSet,
  victims: Pod[],
  deps: ReplicasDeps<T>,
): Promise<unknown> {
  deps.expectations.expectDeletions(key, victims.map(keyOf));
  return removeExpectedPods(rs, victims, deps);
}
