import { CONTROLLER_REVISIONS, PODS, STATEFUL_SETS } from "../../../shared/api/refs.ts";
import { matchesLabelSelector } from "../../../shared/api/selector.ts";
import { isAlreadyExists } from "../../../shared/api/status.ts";
import type { ControllerRevision, Pod, StatefulSet, StatefulSetStatus } from "../../../shared/api/types.ts";
import { done, keyOf, type Requeue, requeueAfter } from "../../runtime/index.ts";
import { claimableBy } from "../by-controller.ts";
import { claimObjects } from "../claim.ts";
import { dataText, deleteRevision, patchRevision } from "../controller-revision/index.ts";
import { nextAvailabilityMs } from "../pod-state.ts";
import { writeStatus } from "../write-status.ts";
import { carryOut, type Outcome } from "./carry-out.ts";
import { decide, type Plan } from "./decide.ts";
import type { StatefulSetDeps } from "./deps.ts";
import { identityOf } from "./ordinal.ts";
import { collisionsOf, decideTruncation, decideUpdateRevision, renamed } from "./revisions.ts";
import { decideStatus, isSameStatus } from "./status.ts";

export async function reconcile(key: string, deps: StatefulSetDeps): Promise<Requeue> {
  const set = deps.sets.get(key);
  if (!set) {
    deps.expectations.forget(key);
    deps.ownWrites.forget(key);
    return done;
  }
  // What is on its way wakes the key.
  if (!deps.ownWrites.areSeen(key) || !deps.expectations.areSatisfied(key)) return done;
  const revisions = await ownRevisions(set, deps);
  const pods = await ownPods(set, deps);
  const update = await settleUpdateRevision(set, revisions, deps);
  if (!update) return done;
  const current = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update.revision;
  const nowMs = deps.clock.nowMs();
  const claims = (name: string) => deps.claims.get(`${set.metadata.namespace}/${name}`);
  const plan = decide({ set, pods, claims, current, update: update.revision }, nowMs);
  if (plan.stages.length + plan.updates.length > 0) deps.log.info("statefulset plan", { key, ...summary(plan) });
  const outcome = await carryOut(set, plan, deps);
  const status = decideStatus({
    set,
    pods,
    currentRevision: current.metadata.name,
    updateRevision: update.revision.metadata.name,
    collisionCount: update.collisionCount,
    replaced: outcome.replaced,
    nowMs,
  });
  if (isWorthWriting(set, status, outcome)) {
    deps.log.info("statefulset status", { key, status });
    await writeStatus(deps, STATEFUL_SETS, deps.sets, { ...set, status });
  }
  const live = [current.metadata.name, update.revision.metadata.name];
  for (const revision of decideTruncation(set, { revisions, pods, live })) await deleteRevision(deps.api, revision);
  if (outcome.error !== undefined) throw outcome.error;
  return requeueAfter(nextAvailabilityMs(pods, set.spec.minReadySeconds ?? 0, nowMs));
}

const summary = ({ stages, updates }: Plan) => ({
  stages: stages.map((steps) => steps.map(({ op, pod }) => `${op} ${pod.metadata.name}`)),
  updates: updates.map(keyOf),
});

/** Revisions that it selects and nobody else controls. */
function ownRevisions(set: StatefulSet, { api, revisions }: StatefulSetDeps): Promise<ControllerRevision[]> {
  const candidates = claimableBy(set, revisions);
  return claimObjects({
    api,
    owner: set,
    ownerRef: STATEFUL_SETS,
    selector: set.spec.selector,
    // One whose labels were changed is not let go, as upstream has it: it goes with the set.
    objects: candidates.filter(({ metadata }) => matchesLabelSelector(set.spec.selector, metadata.labels)),
    objectRef: CONTROLLER_REVISIONS,
  });
}

/** Its pods are also named for it. */
function ownPods(set: StatefulSet, { api, pods }: StatefulSetDeps): Promise<Pod[]> {
  return claimObjects({
    api,
    owner: set,
    ownerRef: STATEFUL_SETS,
    selector: set.spec.selector,
    objects: claimableBy(set, pods),
    objectRef: PODS,
    isKin: (pod) => identityOf(pod.metadata.name).parent === set.metadata.name,
  });
}

interface Settled {
  revision: ControllerRevision;
  collisionCount: number;
}

/** @returns undefined when the set is being deleted and its history is gone already */
async function settleUpdateRevision(
  set: StatefulSet,
  revisions: ControllerRevision[],
  deps: StatefulSetDeps,
): Promise<Settled | undefined> {
  const decision = decideUpdateRevision(set, revisions);
  const collisionCount = collisionsOf(set);
  if (decision.op === "keep") return { revision: decision.revision, collisionCount };
  if (set.metadata.deletionTimestamp) return undefined;
  const settled =
    decision.op === "create"
      ? await createRevision(set, decision.revision, deps)
      : { revision: await patchRevision(deps.api, decision.revision, { revision: decision.to }), collisionCount };
  deps.ownWrites.wrote(keyOf(set), deps.revisions, settled.revision);
  return settled;
}

/** A name that another revision has got gives way to that of the next collision count. */
async function createRevision(
  set: StatefulSet,
  revision: ControllerRevision,
  { api, log }: StatefulSetDeps,
): Promise<Settled> {
  let wanted = revision;
  for (let collisionCount = collisionsOf(set); ; ) {
    try {
      return { revision: await api.create<ControllerRevision>(CONTROLLER_REVISIONS, wanted), collisionCount };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const { name, namespace } = wanted.metadata;
    const existing = await api.get<ControllerRevision>(CONTROLLER_REVISIONS, name, namespace);
    if (dataText(existing.data) === dataText(wanted.data)) return { revision: existing, collisionCount };
    collisionCount += 1;
    log.info("statefulset hash collision", { key: keyOf(set), collisionCount });
    wanted = renamed(set, revision, collisionCount);
  }
}

/** Pods that were just created or deleted wake the key when they are seen: counting before that would be in vain. */
function isWorthWriting(set: StatefulSet, status: StatefulSetStatus, { changed, error }: Outcome): boolean {
  if (isSameStatus(set.status, status)) return false;
  const isOfNewRevision =
    set.status?.updateRevision !== status.updateRevision ||
    set.status?.currentRevision !== status.currentRevision ||
    set.status?.observedGeneration !== status.observedGeneration;
  return isOfNewRevision || changed === 0 || error !== undefined;
}
