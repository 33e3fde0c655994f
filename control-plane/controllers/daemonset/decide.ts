import { isReady } from "../../../shared/api/conditions.ts";
import { isTerminalPhase } from "../../../shared/api/pod-phase.ts";
import type { DaemonSet, Pod } from "../../../shared/api/types.ts";
import { REVISION_LABEL } from "../controller-revision/index.ts";
import { isPodAvailable } from "../pod-state.ts";
import type { NodePods } from "./by-node.ts";
import { type FailedPodDelay, waitMs } from "./failed-pods.ts";
import { surges } from "./rolling-limits.ts";
import { decideRollingUpdate } from "./rolling-update.ts";

/** Pods created, and pods deleted, in one step at most (upstream BurstReplicas). */
export const BURST_REPLICAS = 250;

export interface PlanEvent {
  type: "Normal" | "Warning";
  reason: string;
  message: string;
}

export interface Plan {
  /** Names of the nodes to make a pod for. */
  create: string[];
  remove: Pod[];
  events: PlanEvent[];
  /** Nodes where a failed pod is removed: the next one there has to wait longer. */
  failedOn: string[];
  recheckAfterMs?: number;
}

export interface State {
  set: DaemonSet;
  nodes: NodePods[];
  /** The hash of the present template. */
  hash: string;
  /** How the last failed pod of a node holds up the next one. */
  failedPods(nodeName: string): FailedPodDelay | undefined;
}

/**
 * The next step of a DaemonSet: one pod on each node where it belongs and none elsewhere; when that is so, the rolling
 * update. The caller asks only when nothing it wrote before is outstanding.
 */
export function decide(state: State, nowMs: number): Plan {
  const plan: Plan = { create: [], remove: [], events: [], failedOn: [] };
  for (const node of state.nodes) keepNode(plan, node, state, nowMs);
  const { updateStrategy } = state.set.spec;
  if (plan.create.length + plan.remove.length === 0 && updateStrategy?.type === "RollingUpdate") {
    const { create, remove } = decideRollingUpdate(state, nowMs);
    plan.create = create;
    plan.remove = remove;
  }
  plan.create = plan.create.slice(0, BURST_REPLICAS);
  plan.remove = plan.remove.slice(0, BURST_REPLICAS);
  return plan;
}

const staying = (pods: Pod[]): Pod[] => pods.filter(({ metadata }) => !metadata.deletionTimestamp);

function keepNode(plan: Plan, node: NodePods, state: State, nowMs: number): void {
  const { name, pods } = node;
  // Bound pods of a removed node are left to the pod garbage collector.
  if (node.isGone) plan.remove.push(...staying(pods).filter(({ spec }) => !spec.nodeName));
  else if (node.shouldRun && pods.length === 0) plan.create.push(name);
  else if (!node.mayStay) plan.remove.push(...staying(pods));
  else {
    const running = staying(pods).filter((pod) => !removeEnded(plan, pod, { node, state, nowMs }));
    if (surges(state.set)) keepTwo(plan, running, { node, state, nowMs });
    else plan.remove.push(...running.slice(1));
  }
}

interface OnNode {
  node: NodePods;
  state: State;
  nowMs: number;
}

/** @returns whether the pod has ended; its successor is made when it is gone */
function removeEnded(plan: Plan, pod: Pod, { node, state, nowMs }: OnNode): boolean {
  const { namespace, name } = pod.metadata;
  const phase = pod.status?.phase;
  if (!isTerminalPhase(phase)) return false;
  const where = `daemon pod ${namespace}/${name} on node ${node.name}`;
  if (phase === "Succeeded") {
    const message = `Found succeeded ${where}, will try to delete it`;
    plan.events.push({ type: "Normal", reason: "SucceededDaemonPod", message });
  } else {
    // A node that refuses the pod would have it made and refused for ever.
    const leftMs = waitMs(state.failedPods(node.name), nowMs);
    if (leftMs > 0) {
      plan.recheckAfterMs = Math.min(plan.recheckAfterMs ?? leftMs, leftMs);
      return true;
    }
    const message = `Found failed ${where}, will try to kill it`;
    plan.events.push({ type: "Warning", reason: "FailedDaemonPod", message });
    if (!plan.failedOn.includes(node.name)) plan.failedOn.push(node.name);
  }
  plan.remove.push(pod);
  return true;
}

/** With surge a node may have an old pod that is ready beside a new one that is not available yet; all others go. */
function keepTwo(plan: Plan, running: Pod[], { node, state: { set, hash }, nowMs }: OnNode): void {
  if (running.length <= 1) {
    if (running.length === 0 && node.shouldRun) plan.create.push(node.name);
    return;
  }
  const isNew = ({ metadata: { labels } }: Pod) => labels?.[REVISION_LABEL] === hash;
  const newPod = running.find(isNew);
  const oldPod = running.find((pod) => !isNew(pod));
  plan.remove.push(...running.filter((pod) => pod !== newPod && pod !== oldPod));
  if (!newPod || !oldPod) return;
  if (!isReady(oldPod) || isPodAvailable(newPod, set.spec.minReadySeconds ?? 0, nowMs)) plan.remove.push(oldPod);
}
