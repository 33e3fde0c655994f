/** A pod on a node that needs the volume there. */
export interface NeedingPod {
  name: string;
  namespace: string;
  uid?: string;
  nodeName: string;
}

export interface Attachment {
  nodeName: string;
  isAttached: boolean;
  /** Epoch ms. */
  createdMs: number;
  /** It is being deleted, which is over when the driver has detached the volume. */
  isGoing: boolean;
}

/** What is known of a node that has the volume, or is to have it. */
export interface VolumeNode {
  /** Its kubelet has the volume mounted, or is about to. Of a node that is gone, nobody knows: true. */
  isInUse: boolean;
  isHealthy: boolean;
  /** An administrator vouches that it is off (taint node.kubernetes.io/out-of-service). */
  isOutOfService: boolean;
  /** It says that the volume is attached (`volumesAttached`). */
  isReported: boolean;
  /** Since when nobody there has needed it (epoch ms), as far as noted. */
  unneededSinceMs?: number;
}

export interface Situation {
  isExclusive: boolean;
  /** Oldest first. */
  pods: NeedingPod[];
  attachments: Attachment[];
  nodes: ReadonlyMap<string, VolumeNode>;
  nowMs: number;
}

/** What is to be done, all by names of nodes. */
export interface Plan {
  attach: string[];
  detach: string[];
  /** The volume is there now: to be said in the node's status, and to its pods. */
  report: string[];
  /** The node's status says that the volume is there, which it is not. */
  retract: string[];
  /** Nobody there needs it, but it is mounted still: to be noted since when. */
  waitToDetach: string[];
  /** Needed again, or gone: what was noted of waiting is to be forgotten. */
  forget: string[];
  /** These nodes cannot have it while another has it. */
  refused: string[];
  /** Drivers that have let a node wait for so many times the time that they have. */
  overdue: { nodeName: string; times: number }[];
  recheckAfterMs?: number;
}

/** So long a driver has for attaching a volume, before its pods are told (upstream's csiTimeout). */
export const ATTACH_TIMEOUT_MS = 2 * 60_000;

/** After so long a volume is taken from a node that is not healthy, mounted or not (attach/detach controller's default). */
export const FORCE_DETACH_MS = 6 * 60_000;

/**
 * Which nodes get a volume, and which lose it. It is taken away from where no pod needs it as soon as it is unmounted
 * there; an exclusive one goes to the node of the oldest pod, once no other has it.
 */
export function decide({ isExclusive, pods, attachments, nodes, nowMs }: Situation): Plan {
  const needed = new Set(pods.map(({ nodeName }) => nodeName));
  const plan: Plan = {
    attach: [],
    detach: [],
    report: [],
    retract: [],
    waitToDetach: [],
    forget: [],
    refused: [],
    overdue: [],
  };
  const recheck = (afterMs: number) => {
    plan.recheckAfterMs = Math.min(plan.recheckAfterMs ?? afterMs, afterMs);
  };

  for (const { nodeName, isGoing } of attachments) {
    if (isGoing || needed.has(nodeName)) continue;
    const node = nodes.get(nodeName);
    const sinceMs = node?.unneededSinceMs ?? nowMs;
    const isForced = node?.isOutOfService || (!node?.isHealthy && nowMs - sinceMs > FORCE_DETACH_MS);
    if (!node?.isInUse || isForced) {
      plan.detach.push(nodeName);
      continue;
    }
    if (node.unneededSinceMs === undefined) plan.waitToDetach.push(nodeName);
    // A healthy node tells when it has unmounted it.
    if (!node.isHealthy) recheck(sinceMs + FORCE_DETACH_MS + 1 - nowMs);
  }

  for (const nodeName of needed) {
    const own = attachments.find((attachment) => attachment.nodeName === nodeName);
    if (own) {
      if (own.isAttached && !own.isGoing && !nodes.get(nodeName)?.isReported) plan.report.push(nodeName);
      if (!own.isAttached && !own.isGoing) {
        const times = Math.max(0, Math.floor((nowMs - own.createdMs) / ATTACH_TIMEOUT_MS));
        if (times > 0) plan.overdue.push({ nodeName, times });
        recheck(own.createdMs + (times + 1) * ATTACH_TIMEOUT_MS - nowMs);
      }
      continue;
    }
    const others = isExclusive ? attachments : [];
    if (others.length === 0 && (!isExclusive || plan.attach.length === 0)) plan.attach.push(nodeName);
    // One that is on its way out is only waited for.
    else if (others.some(({ nodeName: other, isGoing }) => !isGoing && !plan.detach.includes(other)))
      plan.refused.push(nodeName);
  }

  for (const [nodeName, { isReported, unneededSinceMs }] of nodes) {
    const own = attachments.find((attachment) => attachment.nodeName === nodeName);
    const isThere = own?.isAttached && !own.isGoing && !plan.detach.includes(nodeName);
    if (isReported && !isThere) plan.retract.push(nodeName);
    if (unneededSinceMs !== undefined && (!own || needed.has(nodeName))) plan.forget.push(nodeName);
  }
  return plan;
}

/**
 * Why a pod's node cannot have an exclusive volume. Names of pods in other namespaces are none of the pod's business.
 * @param users the pods on nodes that have it
 */
export function multiAttachMessage(volume: string, pod: NeedingPod, users: NeedingPod[]): string {
  const names = users.filter(({ namespace }) => namespace === pod.namespace).map(({ name }) => name);
  const others = users.length - names.length;
  return `Multi-Attach error for volume ${JSON.stringify(volume)} ${why()}`;

  function why(): string {
    const elsewhere = `${others} pod(s) in different namespaces`;
    if (users.length === 0)
      return "Volume is already exclusively attached to one node and can't be attached to another";
    if (names.length === 0) return `Volume is already used by ${elsewhere}`;
    return `Volume is already used by pod(s) ${names.join(", ")}${others > 0 ? ` and ${elsewhere}` : ""}`;
  }
}
