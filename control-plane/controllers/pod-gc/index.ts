import { isPodTerminal } from "../../../shared/api/pod-phase.ts";
import { NODES, PODS } from "../../../shared/api/refs.ts";
import { isNotFound } from "../../../shared/api/status.ts";
import type { Node, Pod } from "../../../shared/api/types.ts";
import {
  type ControllerDefinition,
  type ControllerDeps,
  conditionsPatch,
  done,
  type Informer,
  keyOf,
  parseTime,
  printTime,
  type Requeue,
} from "../../runtime/index.ts";
import { BY_NODE, byNode } from "../by-node.ts";
import { inParallel } from "../in-parallel.ts";
import { decide, type Reason } from "./decide.ts";
import { decideEnded } from "./ended.ts";
import { MissedNodes } from "./missed-nodes.ts";

/** One key for what takes a look at all pods; others are namespace/name. */
const ENDED = "ended";
/** They are counted so long after one of them ended (upstream looks every 20 s). */
const COUNT_AFTER_MS = 20_000;

/** A node that is missing from the cache gets so long to appear (upstream's quarantineTime). */
const QUARANTINE_MS = 40_000;
/** A deleted pod that never ran gets so long to be let go by its finalizers (upstream looks every 20 s). */
const UNSCHEDULED_GRACE_MS = 20_000;

interface Deps extends ControllerDeps {
  nodes: Informer<Node>;
  pods: Informer<Pod>;
  missed: MissedNodes;
}

/**
 * Removes pods whose end no kubelet will confirm, since their node is gone or they never had one, and the oldest of those
 * that have ended when there are too many.
 */
export const podGcController: ControllerDefinition = {
  name: "pod-gc",
  serviceAccount: "pod-garbage-collector",
  build(base) {
    const deps: Deps = {
      ...base,
      nodes: base.informer<Node>(NODES),
      pods: base.informer<Pod>(PODS),
      missed: new MissedNodes(base.notes),
    };
    deps.pods.addIndex(BY_NODE, byNode);
    const reasonOf = (pod: Pod) => decide(pod, deps.nodes.get(pod.spec.nodeName ?? ""));
    return {
      concurrency: 5,
      start(enqueue) {
        // Those that have ended already: no wait, which after each eviction of the object would begin anew.
        enqueue(ENDED);
        deps.pods.onEvent((event) => {
          const { type, object } = event;
          const hasJustEnded = type === "updated" && isPodTerminal(object) && !isPodTerminal(event.old);
          if (hasJustEnded) enqueue(ENDED, COUNT_AFTER_MS);
          if (type !== "deleted" && reasonOf(object)) enqueue(keyOf(object));
          else forgetUnmissed(object.spec.nodeName, deps);
        });
        deps.nodes.onEvent(({ type, object }) => {
          if (type !== "deleted") deps.missed.forget(object.metadata.name);
          for (const pod of deps.pods.byIndex(BY_NODE, object.metadata.name)) if (reasonOf(pod)) enqueue(keyOf(pod));
        });
      },
      reconcile: (key) => (key === ENDED ? lookAtAll(deps) : reconcile(key, deps)),
    };
  },
};

async function reconcile(key: string, deps: Deps): Promise<Requeue> {
  const { pods, nodes, missed, clock, log } = deps;
  const pod = pods.get(key);
  const reason = pod && decide(pod, nodes.get(pod.spec.nodeName ?? ""));
  if (!pod || !reason) return done;
  if (reason === "nodeIsGone") {
    const node = pod.spec.nodeName ?? "";
    const leftMs = missed.sinceMs(node, clock.nowMs()) + QUARANTINE_MS - clock.nowMs();
    if (leftMs > 0) return { afterMs: leftMs };
    // The cache may be behind; what follows cannot be undone.
    if (await hasNode(node, deps)) return done;
  }
  if (reason === "neverScheduled") {
    const leftMs = parseTime(pod.metadata.deletionTimestamp) + UNSCHEDULED_GRACE_MS - clock.nowMs();
    if (leftMs > 0) return { afterMs: leftMs };
  }
  log.info("pod-gc plan", { key, reason });
  await removeByForce(pod, reason, deps);
  return done;
}

/** A node of which no pod is left to be removed is missed no more: the next one waits from the beginning. */
function forgetUnmissed(node: string | undefined, { nodes, pods, missed }: Deps): void {
  // Those that have come are forgotten when they do.
  if (!node || nodes.get(node) || !missed.has(node)) return;
  if (!pods.byIndex(BY_NODE, node).some((pod) => decide(pod, undefined))) missed.forget(node);
}

async function lookAtAll(deps: Deps): Promise<Requeue> {
  // The last pod may have gone while nobody looked.
  for (const node of deps.missed.names()) forgetUnmissed(node, deps);
  const pods = decideEnded(deps.pods.list());
  if (pods.length === 0) return done;
  deps.log.info("pod-gc plan", { key: ENDED, remove: pods.length });
  const { error } = await inParallel(pods, (pod) => removeByForce(pod, "ended", deps));
  if (error) throw error;
  return done;
}

async function hasNode(name: string, { api }: Deps): Promise<boolean> {
  try {
    await api.get(NODES, name);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function removeByForce(pod: Pod, reason: Reason | "ended", { api, clock }: Deps): Promise<void> {
  const { name, namespace, uid, generation } = pod.metadata;
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "DeletionByPodGC",
    message: "PodGC: node no longer exists",
    lastTransitionTime: printTime(clock.nowMs()),
    observedGeneration: generation,
  };
  try {
    if (!isPodTerminal(pod)) {
      const status = {
        phase: "Failed",
        observedGeneration: generation,
        ...(reason === "nodeIsGone" ? conditionsPatch(pod.status?.conditions, [condition]) : {}),
      };
      await api.patch(PODS, { name, namespace, subresource: "status" }, "strategic", { metadata: { uid }, status });
    }
    await api.delete(PODS, { name, namespace }, { uid, gracePeriodSeconds: 0 });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
