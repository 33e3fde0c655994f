import type { Node } from "../../../shared/api/types.ts";
import { messageOf } from "../../../shared/message-of.ts";
import { isStatic, type Pod } from "../../api/index.ts";
import type { Clock } from "../../clock/index.ts";
import type { Pressure } from "../../eviction/index.ts";
import type { Pinning } from "../../pinning/index.ts";
import type { OwnNode } from "../own-node.ts";
import type { NodeFacts } from "../sandbox-config.ts";
import { decideAdmission, printShortage } from "./decide.ts";
import { findShortages } from "./shortages.ts";
import type { Rejection } from "./verdict.ts";

/** How long a pod waits for the Node to be told. Without the control plane (static pods) the machine's own facts count. */
const NODE_TIMEOUT_MS = 10_000;
const MAX_PODS = 110;

const NODE_SHUTDOWN: Rejection = {
  reason: "NodeShutdown",
  message: "Pod was rejected as the node is shutting down.",
};

/** Where pods are let in, one after the other. */
export interface Gate {
  /** @returns why the pod is not run here; undefined lets it in until it is released. Settles after what had to go has gone. */
  admit(pod: Pod): Promise<Rejection | undefined>;
  /** Whether there is room for a pod that was let in and whose requests have changed; then it counts as that. */
  resize(pod: Pod): Promise<Rejection | undefined>;
  release(uid: string): Promise<void>;
}

export function createGate({
  ownNode,
  facts,
  allowedUnsafeSysctls,
  clock,
  signal,
  preempt,
  pressures,
  isShuttingDown,
  pinning,
}: {
  ownNode: OwnNode;
  facts: NodeFacts;
  allowedUnsafeSysctls: string[];
  clock: Clock;
  signal: AbortSignal;
  /** Ends a pod to make room; settles when its containers have ended. */
  preempt(pod: Pod): Promise<void>;
  /** That the node is under. */
  pressures(): ReadonlySet<Pressure>;
  /** Whether the machine is about to go down. */
  isShuttingDown(): boolean;
  pinning: Pick<Pinning, "admit" | "release">;
}): Gate {
  const admitted = new Map<string, Pod>();
  let turn: Promise<unknown> = Promise.resolve();

  async function decide(pod: Pod): Promise<Rejection | undefined> {
    if (needsNode(pod)) await Promise.race([ownNode.known, clock.sleep(NODE_TIMEOUT_MS, signal)]);
    const others = [...admitted.values()].filter(({ metadata }) => metadata.uid !== pod.metadata.uid);
    const node = ownNode.current() ?? fallbackNode(facts);
    const admission = decideAdmission(pod, {
      node,
      others,
      hasAppArmor: facts.hasAppArmor,
      allowedUnsafeSysctls,
      pressures: pressures(),
    });
    if ("rejection" in admission) return admission.rejection;
    if (isShuttingDown()) return NODE_SHUTDOWN;
    for (const victim of admission.preempt) {
      await preempt(victim);
      admitted.delete(victim.metadata.uid);
    }
    const unallocated = await pinning.admit(pod);
    if (unallocated) return unallocated;
    admitted.set(pod.metadata.uid, pod);
    return undefined;
  }

  async function decideResize(pod: Pod): Promise<Rejection | undefined> {
    const { uid } = pod.metadata;
    const others = [...admitted.values()].filter(({ metadata }) => metadata.uid !== uid);
    const [shortage] = findShortages(pod, ownNode.current() ?? fallbackNode(facts), others);
    if (shortage) return printShortage(shortage);
    admitted.set(uid, pod);
    return undefined;
  }

  /** Never rejects: a pod that cannot be decided on is turned away, and holds up nobody. */
  function inTurn(decide: () => Promise<Rejection | undefined>): Promise<Rejection | undefined> {
    const decided = turn
      .then(decide)
      .catch((error: unknown) => ({ reason: "UnexpectedAdmissionError", message: messageOf(error) }));
    turn = decided;
    return decided;
  }

  return {
    admit(pod) {
      if (wasAdmitted(pod)) {
        admitted.set(pod.metadata.uid, pod);
        return pinning.admit(pod).then(() => undefined);
      }
      return inTurn(() => decide(pod));
    },
    resize: (pod) => inTurn(() => decideResize(pod)),
    async release(uid) {
      admitted.delete(uid);
      await pinning.release(uid);
    },
  };
}

/** A static pod starts without the control plane, unless it asks for labels that only the Node has. */
const needsNode = (pod: Pod) =>
  !isStatic(pod) || pod.spec.nodeSelector !== undefined || pod.spec.affinity !== undefined;

/** Before a restart of the agent, or of the machine: what runs is not turned away because something has changed since. */
const wasAdmitted = ({ status }: Pod) => status?.startTime !== undefined;

function fallbackNode({ nodeName, cpuMilli, memoryBytes }: NodeFacts): Node {
  const allocatable = { cpu: `${cpuMilli}m`, memory: String(memoryBytes), pods: String(MAX_PODS) };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: nodeName, labels: { "kubernetes.io/hostname": nodeName, "kubernetes.io/os": "linux" } },
    spec: {},
    status: { allocatable, capacity: allocatable },
  } as Node;
}
