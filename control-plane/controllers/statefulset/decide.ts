import { isPodTerminal } from "../../../shared/api/pod-phase.ts";
import type { ControllerRevision, Pod, StatefulSet } from "../../../shared/api/types.ts";
import { isPodAvailable } from "../pod-state.ts";
import { type ClaimPlan, decideClaims, type FindClaim, isBlockedByClaims } from "./claims.ts";
import { isInRange, ordinalOf, replicasOf, startOrdinal } from "./ordinal.ts";
import { hasIdentity, hasStorage, newPod } from "./pod.ts";
import { templateAt } from "./revisions.ts";
import { isRunningAndReady } from "./status.ts";
import { decideUpdates, type Slot } from "./update.ts";

/** One thing to do about one pod, or about its claims. */
export type Step =
  | { op: "create"; pod: Pod; claims: ClaimPlan }
  | { op: "delete"; pod: Pod }
  /** The claims that a waiting pod lacks are made. */
  | { op: "claims"; pod: Pod; claims: ClaimPlan }
  /** The claims of a pod that has to go get the owners that its end asks for. */
  | { op: "reown"; pod: Pod; claims: ClaimPlan }
  /** Labels, volumes or owners of claims are not as they must be. */
  | { op: "repair"; pod: Pod; claims: ClaimPlan };

export interface Plan {
  /** Each only when the one before went well. */
  stages: Step[][];
  /** Pods to delete, so that they come back as the new revision has them; after all else. */
  updates: Pod[];
  /** The steps of a stage one after the other; else at once, slowly at first. */
  isOrdered: boolean;
}

export interface State {
  set: StatefulSet;
  /** Those it controls. */
  pods: Pod[];
  claims: FindClaim;
  /** The revision below the partition, and the one to roll out. */
  current: ControllerRevision;
  update: ControllerRevision;
}

interface Situation extends State {
  /** The places to fill, in rising order. */
  slots: Slot[];
  /** Pods outside of them, in falling order. */
  condemned: Pod[];
  isOrdered: boolean;
  nowMs: number;
}

/** `isBlocked`: with order kept, nothing that comes later may be done yet. */
interface Stage {
  steps: Step[];
  isBlocked: boolean;
}

/**
 * The next steps of a StatefulSet. OrderedReady goes on with a pod only when all before it are available, up from the
 * first ordinal and down from the last (STS-02); Parallel waits for nobody. Scaling comes before updates.
 */
export function decide(state: State, nowMs: number): Plan {
  const { set } = state;
  const isOrdered = set.spec.podManagementPolicy !== "Parallel";
  const plan: Plan = { stages: [], updates: [], isOrdered };
  if (set.metadata.deletionTimestamp) return plan;
  const situation: Situation = { ...state, ...sortPods(state), isOrdered, nowMs };
  for (const stageOf of [keepReplicas, keepClaims, scaleDown]) {
    const { steps, isBlocked } = stageOf(situation);
    if (steps.length > 0) plan.stages.push(steps);
    if (isBlocked && isOrdered) return plan;
  }
  const updateRevision = state.update.metadata.name;
  plan.updates = decideUpdates(set, { slots: situation.slots, updateRevision }, nowMs);
  return plan;
}

/** Pods whose names have no ordinal are left alone. */
function sortPods({ set, pods }: State): Pick<Situation, "slots" | "condemned"> {
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]));
  const slots = Array.from({ length: replicasOf(set) }, (_, i) => {
    const ordinal = startOrdinal(set) + i;
    return { ordinal, pod: byOrdinal.get(ordinal) };
  });
  const condemned = pods
    .filter((pod) => ordinalOf(pod) >= 0 && !isInRange(set, ordinalOf(pod)))
    .sort((a, b) => ordinalOf(b) - ordinalOf(a));
  return { slots, condemned };
}

function keepReplicas(situation: Situation): Stage {
  const steps: Step[] = [];
  for (const slot of situation.slots) {
    const { step, isBlocked } = keepReplica(situation, slot);
    if (step) steps.push(step);
    if (isBlocked && situation.isOrdered) return { steps, isBlocked };
  }
  return { steps, isBlocked: false };
}

function keepReplica(situation: Situation, { ordinal, pod }: Slot): { step?: Step | undefined; isBlocked: boolean } {
  const { set, claims: find, isOrdered } = situation;
  if (!pod) return { step: createStep(situation, ordinal), isBlocked: true };
  const isLeaving = !!pod.metadata.deletionTimestamp;
  // An ended pod is made anew whatever its exit code: that of an evicted one says nothing.
  if (isPodTerminal(pod)) return { step: isLeaving ? undefined : { op: "delete", pod }, isBlocked: true };
  const claims = decideClaims({ set, pod }, find);
  if (pod.status?.phase === "Pending" && hasWork(claims))
    return { step: { op: "claims", pod, claims }, isBlocked: true };
  const isBlocked = isLeaving || !isRunningAndReady(pod) || !isAvailable(pod, situation);
  const isRight = hasIdentity(set, pod) && hasStorage(set, pod) && claims.reown.length === 0;
  const mayRepair = !isOrdered || !isBlocked;
  return { step: isRight || !mayRepair ? undefined : { op: "repair", pod, claims }, isBlocked };
}

const isAvailable = (pod: Pod, { set, nowMs }: Situation): boolean =>
  isPodAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs);

const hasWork = ({ create, leaving, reown, conflicting }: ClaimPlan): boolean =>
  create.length + leaving.length + reown.length + conflicting.length > 0;

/** Undefined while a claim of the pod's predecessor is still to go. */
function createStep({ set, claims: find, current, update }: Situation, ordinal: number): Step | undefined {
  const revision = isOfCurrent(set, ordinal) ? current : update;
  const pod = newPod(set, { template: templateAt(set, revision), revision: revision.metadata.name, ordinal });
  if (isBlockedByClaims({ set, pod }, find)) return undefined;
  return { op: "create", pod, claims: decideClaims({ set, pod }, find) };
}

/** Below the partition pods are made of the current revision: a lost one must not come back updated (STS-03). */
function isOfCurrent(set: StatefulSet, ordinal: number): boolean {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  if (rollingUpdate) return ordinal < startOrdinal(set) + (rollingUpdate.partition ?? 0);
  return type === "RollingUpdate" && ordinal < startOrdinal(set) + (set.status?.currentReplicas ?? 0);
}

function keepClaims({ set, claims: find, condemned }: Situation): Stage {
  const steps = condemned
    .map((pod) => ({ op: "reown" as const, pod, claims: decideClaims({ set, pod }, find) }))
    .filter(({ claims }) => claims.reown.length > 0);
  return { steps, isBlocked: false };
}

/** The highest goes first; in order only when it is available, or when nothing before it is unavailable. */
function scaleDown(situation: Situation): Stage {
  const { slots, condemned, isOrdered } = situation;
  const isLeaving = (pod: Pod) => !!pod.metadata.deletionTimestamp;
  const toDelete = (pods: Pod[]) => pods.map((pod): Step => ({ op: "delete", pod }));
  if (!isOrdered) return { steps: toDelete(condemned.filter((pod) => !isLeaving(pod))), isBlocked: false };
  const [next] = condemned;
  if (!next) return { steps: [], isBlocked: false };
  const inOrder = [...slots.flatMap(({ pod }) => pod ?? []), ...[...condemned].reverse()];
  const firstUnavailable = inOrder.find((pod) => isLeaving(pod) || !isAvailable(pod, situation));
  const isHealthy = isRunningAndReady(next) && isAvailable(next, situation);
  const mayGo = !isLeaving(next) && (isHealthy || next === firstUnavailable);
  return { steps: mayGo ? toDelete([next]) : [], isBlocked: true };
}
