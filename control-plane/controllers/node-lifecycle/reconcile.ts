import { isReady, readyCondition } from "../../../shared/api/conditions.ts";
import { LEASES, NODES, PODS } from "../../../shared/api/refs.ts";
import { isNotFound } from "../../../shared/api/status.ts";
import type { Lease, Node, NodeCondition, Pod } from "../../../shared/api/types.ts";
import {
  type ControllerDeps,
  conditionsPatch,
  done,
  type Informer,
  parseTime,
  printTime,
  type Requeue,
  requeueAfter,
} from "../../runtime/index.ts";
import { BY_NODE } from "../by-node.ts";
import type { EvictionTurns } from "./eviction-turns.ts";
import { decideHealth, GRACE_MS, lastSignMs, withConditions } from "./health.ts";
import type { LifeNotes } from "./life-notes.ts";
import { decideOldLabels } from "./os-labels.ts";
import { awaitsEviction, decideTaints, type Eviction } from "./taints.ts";
import { decideEvictionRate, zoneOf } from "./zones.ts";

const LEASE_NAMESPACE = "kube-node-lease";
/** A renewal whose time means nothing counts from when it is noticed: such a node has to be looked at more often. */
const WRONG_CLOCK_CHECK_MS = 5_000;

export interface NodeDeps extends ControllerDeps {
  nodes: Informer<Node>;
  pods: Informer<Pod>;
  life: LifeNotes;
  turns: EvictionTurns;
}

export async function reconcile(name: string, deps: NodeDeps): Promise<Requeue> {
  const { nodes, life, clock, events, api } = deps;
  const node = nodes.get(name);
  const registeredUid = life.registeredUid(name);
  if (registeredUid && registeredUid !== node?.metadata.uid) {
    nodeEvent(deps, { name, uid: registeredUid }, "RemovingNode", `Removing Node ${name} from Controller`);
    life.forget(name);
  }
  if (!node) return done;
  if (registeredUid !== node.metadata.uid) {
    nodeEvent(deps, node.metadata, "RegisteredNode", `Registered Node ${name} in Controller`);
    life.register(name, node.metadata.uid ?? "");
  }

  const renewTime = await leaseRenewTime(name, deps);
  const nowMs = clock.nowMs();
  const health = decideHealth(node, lastSignMs(node, life.notice(node, renewTime, nowMs), nowMs), nowMs);
  const after = health.isLost ? withConditions(node, health.conditions) : node;
  const { evict, recheckAfterMs } = turnOf(after, nowMs, deps);
  const taints = decideTaints(after, { evict, nowMs });
  const labels = decideOldLabels(node);
  const hasLabels = Object.keys(labels).length > 0;
  const isNews = taints !== undefined || hasLabels || (health.isLost && health.conditions.length > 0);
  if (isNews) deps.log.info("node plan", { key: name, renewTime, ...health, taints, labels });

  let resourceVersion = node.metadata.resourceVersion;
  if (health.isLost && health.conditions.length > 0) {
    const status = conditionsPatch(node.status?.conditions, health.conditions);
    const patch = { metadata: { resourceVersion }, status };
    const written = await api.patch<Node>(NODES, { name, subresource: "status" }, "strategic", patch);
    resourceVersion = written.metadata.resourceVersion;
    if (isReady(node)) {
      const about = { apiVersion: "v1", kind: "Node", name, uid: node.metadata.uid };
      events.event(about, "Normal", "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
    }
  }
  if (health.isLost) await markPodsNotReady(name, nowMs, deps);
  if (taints || hasLabels) {
    const patch = {
      metadata: { resourceVersion, ...(hasLabels ? { labels } : {}) },
      ...(taints ? { spec: { taints } } : {}),
    };
    await api.patch<Node>(NODES, { name }, "merge", patch);
  }
  if (health.isLost) return requeueAfter(recheckAfterMs);
  const isTrusted = nowMs - parseTime(renewTime) < GRACE_MS;
  const lookAgainMs = isTrusted ? health.recheckAfterMs : Math.min(health.recheckAfterMs, WRONG_CLOCK_CHECK_MS);
  return requeueAfter(Math.min(lookAgainMs, recheckAfterMs ?? lookAgainMs));
}

function nodeEvent(
  { events }: NodeDeps,
  { name, uid }: { name: string; uid?: string },
  reason: string,
  text: string,
): void {
  events.event({ apiVersion: "v1", kind: "Node", name, uid }, "Normal", reason, `Node ${name} event: ${text}`);
}

async function leaseRenewTime(name: string, { api }: NodeDeps): Promise<string | undefined> {
  try {
    return (await api.get<Lease>(LEASES, name, LEASE_NAMESPACE)).spec?.renewTime;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Whether a node's pods may be evicted: nodes of a zone take turns, fewer or none where it is more than a few. */
function turnOf(node: Node, nowMs: number, { nodes, turns }: NodeDeps): { evict: Eviction; recheckAfterMs?: number } {
  const others = nodes.list().filter(({ metadata }) => metadata.name !== node.metadata.name);
  const zone = zoneOf(node);
  const rate = decideEvictionRate(zone, [node, ...others]);
  if (rate === "none at all") return { evict: "never" };
  if (!awaitsEviction(node)) return { evict: "later" };
  // Another node's readiness wakes it.
  if (rate === 0) return { evict: "later" };
  const leftMs = turns.take(zone, rate, nowMs);
  return leftMs > 0 ? { evict: "later", recheckAfterMs: leftMs } : { evict: "now" };
}

/** At once, long before they are evicted: traffic must not go to a node that may be gone (NODE-08). */
async function markPodsNotReady(node: string, nowMs: number, { api, pods, events }: NodeDeps): Promise<void> {
  for (const pod of pods.byIndex(BY_NODE, node)) {
    if (!isReady(pod)) continue;
    const { name, namespace, uid } = pod.metadata;
    const condition: NodeCondition = {
      ...readyCondition(pod),
      type: "Ready",
      status: "False",
      lastTransitionTime: printTime(nowMs),
    };
    try {
      const patch = { metadata: { uid }, status: { conditions: [condition] } };
      await api.patch(PODS, { name, namespace, subresource: "status" }, "strategic", patch);
    } catch (error) {
      if (isNotFound(error)) continue;
      throw error;
    }
    events.event(pod, "Warning", "NodeNotReady", "Node is not ready");
  }
}
