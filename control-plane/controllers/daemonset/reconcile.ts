import { DAEMON_SETS, PODS } from "../../../shared/api/refs.ts";
import { isEmptySelector } from "../../../shared/api/selector.ts";
import type { DaemonSet, Pod } from "../../../shared/api/types.ts";
import { done, keyOf, type Requeue, requeueAfter } from "../../runtime/index.ts";
import { claimableBy } from "../by-controller.ts";
import { claimObjects } from "../claim.ts";
import { deleteRevision } from "../controller-revision/index.ts";
import { createExpectedPods, removeExpectedPods } from "../pod-expectations.ts";
import { nextAvailabilityMs } from "../pod-state.ts";
import { writeStatus } from "../write-status.ts";
import { groupByNode } from "./by-node.ts";
import { decide, type Plan } from "./decide.ts";
import type { DaemonSetDeps } from "./deps.ts";
import { decideTruncation } from "./history.ts";
import { newDaemonPod } from "./pod.ts";
import { settleHistory } from "./settle-history.ts";
import { decideStatus } from "./status.ts";

export async function reconcile(key: string, deps: DaemonSetDeps): Promise<Requeue> {
  const { expectations, ownWrites, events, clock } = deps;
  const set = deps.sets.get(key);
  if (!set) {
    expectations.forget(key);
    ownWrites.forget(key);
    return done;
  }
  if (!ownWrites.areSeen(key)) return done;
  if (isEmptySelector(set.spec.selector)) {
    const message = "This daemon set is selecting all pods. A non-empty selector is required.";
    events.event(set, "Warning", "SelectingAll", message);
    return done;
  }
  // Its history may be gone already: nothing that is counted now would be true.
  if (set.metadata.deletionTimestamp) return done;
  // Asked before the cache is read: what is observed after this is in the cache.
  const mayAct = expectations.areSatisfied(key);
  const pods = await ownPods(set, deps);
  const { hash, old } = await settleHistory(set, pods, deps);
  const nodes = groupByNode(set, deps.nodes.list(), pods);
  const failedPods = (nodeName: string) => deps.failedPods.get(set, nodeName);
  const plan = mayAct ? decide({ set, nodes, hash, failedPods }, clock.nowMs()) : undefined;
  const outcome = plan ? await carryOut(set, plan, { hash, deps }) : { isChanging: false };
  // What was just created or deleted wakes the key when it is seen: counting before that would be one write in vain.
  const failure = "error" in outcome ? outcome.error : undefined;
  if (outcome.isChanging && failure === undefined) return done;
  const nowMs = clock.nowMs();
  const status = decideStatus({ set, nodes, hash, isObserved: mayAct, nowMs });
  if (status) {
    deps.log.info("daemonset status", { key, status });
    await writeStatus(deps, DAEMON_SETS, deps.sets, { ...set, status });
  }
  if (failure !== undefined) throw failure;
  if (mayAct) for (const revision of decideTruncation(set, old, pods)) await deleteRevision(deps.api, revision);
  const availableMs = nextAvailabilityMs(pods, set.spec.minReadySeconds ?? 0, nowMs);
  return requeueAfter(earliest(availableMs, plan?.recheckAfterMs));
}

const earliest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);

function ownPods(set: DaemonSet, { api, pods }: DaemonSetDeps): Promise<Pod[]> {
  return claimObjects({
    api,
    owner: set,
    ownerRef: DAEMON_SETS,
    selector: set.spec.selector,
    objects: claimableBy(set, pods),
    objectRef: PODS,
  });
}

interface Outcome {
  isChanging: boolean;
  /** The first one. */
  error?: unknown;
}

async function carryOut(
  set: DaemonSet,
  plan: Plan,
  { hash, deps }: { hash: string; deps: DaemonSetDeps },
): Promise<Outcome> {
  const { expectations, log, clock } = deps;
  const { create, remove } = plan;
  if (create.length + remove.length === 0) return { isChanging: false };
  const key = keyOf(set);
  log.info("daemonset plan", { key, create, remove: remove.map(keyOf) });
  for (const { type, reason, message } of plan.events) deps.events.event(set, type, reason, message);
  for (const nodeName of plan.failedOn) deps.failedPods.note(set, nodeName, clock.nowMs());
  expectations.expect(key, { creations: create.length, deletions: remove.map(keyOf) });
  const nodes = create.values();
  const podOf = () => newDaemonPod(set, nodes.next().value!, hash);
  const refused = await createExpectedPods(set, { count: create.length, podOf }, deps);
  const failed = await removeExpectedPods(set, remove, deps);
  return { isChanging: true, error: refused ?? failed };
}
