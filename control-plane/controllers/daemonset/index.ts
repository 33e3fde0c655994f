import { CONTROLLER_REVISIONS, DAEMON_SETS, NODES, PODS } from "../../../shared/api/refs.ts";
import type { ControllerRevision, DaemonSet, Node, Pod } from "../../../shared/api/types.ts";
import {
  type ControllerDefinition,
  type Enqueue,
  Expectations,
  type InformerEvent,
  keyOf,
  OwnWrites,
} from "../../runtime/index.ts";
import { BY_CONTROLLER, byController } from "../by-controller.ts";
import { ownerKey, wakeOwners } from "../owner-keys.ts";
import { podControl } from "../pod-control.ts";
import { observePod } from "../pod-expectations.ts";
import type { DaemonSetDeps } from "./deps.ts";
import { FailedPods } from "./failed-pods.ts";
import { decidePlacement } from "./placement.ts";
import { reconcile } from "./reconcile.ts";

/**
 * Keeps one pod of a DaemonSet on every node where it belongs, pinned there for the scheduler to bind, and rolls a new
 * template out node by node, with a history of templates.
 */
export const daemonSetController: ControllerDefinition = {
  name: "daemonset",
  serviceAccount: "daemon-set-controller",
  eventSource: "daemonset-controller",
  build(base) {
    const deps: DaemonSetDeps = {
      ...base,
      sets: base.informer<DaemonSet>(DAEMON_SETS),
      nodes: base.informer<Node>(NODES),
      pods: base.informer<Pod>(PODS),
      revisions: base.informer<ControllerRevision>(CONTROLLER_REVISIONS),
      expectations: new Expectations(base.clock),
      ownWrites: new OwnWrites(),
      podControl: podControl(base.api, base.events),
      failedPods: new FailedPods(base.notes),
    };
    deps.pods.addIndex(BY_CONTROLLER, byController);
    deps.revisions.addIndex(BY_CONTROLLER, byController);
    return {
      concurrency: 2,
      start(enqueue) {
        const wakeUp = { owners: deps.sets, selectorOf: ({ spec }: DaemonSet) => spec.selector, enqueue };
        deps.sets.onEvent((event) => onSet(event, deps, enqueue));
        // What others do to the history is looked at when the set is looked at anyway, as upstream has it: who makes a
        // revision by hand finds it there.
        deps.revisions.onEvent(({ object }) => {
          const key = ownerKey(object, deps.sets);
          if (key !== undefined && deps.ownWrites.areAwaited(key)) enqueue(key);
        });
        deps.pods.onEvent((event) => {
          const owner = wakeOwners(event, wakeUp);
          if (owner !== undefined) observePod(event, owner, deps.expectations);
        });
        deps.nodes.onEvent((event) => onNode(event, deps, enqueue));
      },
      reconcile: (key) => reconcile(key, deps),
    };
  },
};

function onSet({ type, object }: InformerEvent<DaemonSet>, deps: DaemonSetDeps, enqueue: Enqueue): void {
  const key = keyOf(object);
  if (type === "deleted") {
    deps.expectations.forget(key);
    deps.failedPods.forget(object.metadata.uid ?? "");
  }
  enqueue(key);
}

/** Wakes the sets for which the node came, went or changed sides; heartbeats change nothing. */
function onNode(event: InformerEvent<Node>, { sets }: DaemonSetDeps, enqueue: Enqueue): void {
  const { object: node, old } = event;
  if (old && !isPlacementChanged(old, node)) return;
  for (const set of sets.list()) {
    const now = decidePlacement(set, node);
    const before = old ? decidePlacement(set, old) : { shouldRun: false, mayStay: false };
    if (now.shouldRun !== before.shouldRun || now.mayStay !== before.mayStay) enqueue(keyOf(set));
  }
}

const isPlacementChanged = (a: Node, b: Node): boolean =>
  JSON.stringify([a.metadata.labels, a.spec?.taints]) !== JSON.stringify([b.metadata.labels, b.spec?.taints]);
