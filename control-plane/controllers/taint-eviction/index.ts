import { NODES, PODS } from "../../../shared/api/refs.ts";
import type { Node, Pod } from "../../../shared/api/types.ts";
import {
  type ControllerDefinition,
  type ControllerDeps,
  done,
  type Enqueue,
  type Informer,
  type InformerEvent,
  keyOf,
  printTime,
  type Requeue,
  splitKey,
} from "../../runtime/index.ts";
import { BY_NODE, byNode } from "../by-node.ts";
import { evictPod } from "../evict-pod.ts";
import { decideEviction, noExecuteTaints } from "./decide.ts";
import { TaintTimes } from "./taint-times.ts";

interface Deps extends ControllerDeps {
  nodes: Informer<Node>;
  pods: Informer<Pod>;
  times: TaintTimes;
  /** Pods that wait for their eviction, as far as this run knows: its end is told in an event. */
  waiting: Set<string>;
}

/** Deletes pods from nodes with NoExecute taints that they do not tolerate, or no longer. */
export const taintEvictionController: ControllerDefinition = {
  name: "taint-eviction",
  serviceAccount: "node-controller",
  eventSource: "taint-eviction-controller",
  build(base) {
    const deps: Deps = {
      ...base,
      nodes: base.informer<Node>(NODES),
      pods: base.informer<Pod>(PODS),
      times: new TaintTimes(base.notes),
      waiting: new Set(),
    };
    deps.pods.addIndex(BY_NODE, byNode);
    return {
      concurrency: 8,
      start(enqueue) {
        deps.nodes.onEvent((event) => onNode(event, deps, enqueue));
        deps.pods.onEvent((event) => {
          const { nodeName, tolerations } = event.object.spec;
          const isSame =
            event.type === "updated" &&
            event.old.spec.nodeName === nodeName &&
            JSON.stringify(event.old.spec.tolerations) === JSON.stringify(tolerations);
          const isTainted = nodeName && noExecuteTaints(deps.nodes.get(nodeName)?.spec?.taints).length > 0;
          if ((isTainted && !isSame) || deps.waiting.has(keyOf(event.object))) enqueue(keyOf(event.object));
        });
      },
      reconcile: (key) => reconcile(key, deps),
    };
  },
};

function onNode(event: InformerEvent<Node>, { pods, times, clock }: Deps, enqueue: Enqueue): void {
  const { name } = event.object.metadata;
  const before = event.type === "updated" ? noExecuteTaints(event.old.spec?.taints) : [];
  const now = event.type === "deleted" ? [] : noExecuteTaints(event.object.spec?.taints);
  times.observe(name, event.type === "deleted" ? undefined : event.object, clock.nowMs());
  if (JSON.stringify(before) === JSON.stringify(now) && event.type === "updated") return;
  if (before.length + now.length > 0) for (const pod of pods.byIndex(BY_NODE, name)) enqueue(keyOf(pod));
}

async function reconcile(key: string, deps: Deps): Promise<Requeue> {
  const { pods, nodes, clock, times, waiting, log } = deps;
  const pod = pods.get(key);
  const node = nodes.get(pod?.spec.nodeName ?? "");
  const nowMs = clock.nowMs();
  const evictAtMs =
    pod &&
    node &&
    decideEviction(pod, noExecuteTaints(node.spec?.taints), (taint) => times.addedMs(node.metadata.name, taint, nowMs));
  if (!pod || evictAtMs === undefined) {
    if (waiting.delete(key)) podEvent(key, `Cancelling deletion of Pod ${key}`, deps);
    return done;
  }
  if (evictAtMs > nowMs) {
    if (!waiting.has(key)) log.info("taint-eviction plan", { key, node: node?.metadata.name, evictAtMs });
    waiting.add(key);
    return { afterMs: evictAtMs - nowMs };
  }
  log.info("taint-eviction plan", { key, node: node?.metadata.name, evict: true });
  waiting.delete(key);
  podEvent(key, `Marking for deletion Pod ${key}`, deps);
  const why = {
    reason: "DeletionByTaintManager",
    message: "Taint manager: deleting due to NoExecute taint",
    lastTransitionTime: printTime(nowMs),
    observedGeneration: pod.metadata.generation,
  };
  await evictPod(pod, why, deps.api);
  return done;
}

function podEvent(key: string, message: string, { events }: Deps): void {
  events.event({ apiVersion: "v1", kind: "Pod", ...splitKey(key) }, "Normal", "TaintManagerEviction", message);
}
