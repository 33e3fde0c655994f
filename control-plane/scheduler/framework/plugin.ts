import type { LabelSelectorObject } from "../../../shared/api/selector.ts";
import type { Pod, ResourceClaim } from "../../../shared/api/types.ts";
import { messageOf } from "../../../shared/message-of.ts";
import type { Devices } from "../devices/index.ts";
import type { Storage } from "../volumes/index.ts";
import type { NodeInfo, PodInfo } from "./node-info.ts";

/**
 * Why a node does not take a pod. `unresolvable`: not even removing other pods from it would help, so preemption does
 * not look at it (upstream's UnschedulableAndUnresolvable).
 */
export interface Verdict {
  unresolvable: boolean;
  /** Printed with their counts in the FailedScheduling event: users search for these texts. */
  reasons: string[];
}

/** What plugins may know of the cluster besides the pod and the node in hand. */
export interface Cluster {
  nodes: readonly NodeInfo[];
  /** Those of them with pods that have affinity or anti-affinity to other pods: most clusters have few. */
  nodesWithAffinity: Iterable<NodeInfo>;
  /** Undefined: no such namespace (any more). */
  namespaceLabels(namespace: string): Record<string, string> | undefined;
  /**
   * What the Services that select a pod, and its owner, select: labels that all of these select are its replicas.
   * Empty: it is nobody's replica.
   */
  replicaSelectors(pod: Pod): LabelSelectorObject[];
  storage: Storage;
  devices: Devices;
}

/** A filter made ready for one pod. */
export interface NodeFilter {
  /** Undefined: the pod may go there. */
  filter(node: NodeInfo): Verdict | undefined;
  /**
   * Another pod is thought onto a node (1) or off it (-1): what was counted of the cluster follows. Each call is undone
   * by one with the other sign.
   */
  update?(other: PodInfo, node: NodeInfo, sign: 1 | -1): void;
}

/** One "no" of any filter takes the node out. Pure. */
export type FilterPlugin = { name: string } & (
  | { filter(pod: PodInfo, node: NodeInfo): Verdict | undefined }
  | {
      /** Counts once a cycle what the filter needs of the whole cluster. Undefined: it has nothing to say. */
      prepare(pod: PodInfo, cluster: Cluster): NodeFilter | undefined;
    }
) & {
    /** Whether the pod is worth trying at all; until then nothing is said of it (upstream's PreEnqueue). */
    isReady?(pod: PodInfo, cluster: Cluster): boolean;
    /** What the pod alone decides, before any node is looked at. */
    preFilter?(pod: PodInfo, cluster: Cluster): PreFilterResult | undefined;
    /** What could be set free, short of other pods, where no node takes the pod. */
    postFilter?(pod: PodInfo, cluster: Cluster, refusals: readonly { node: NodeInfo; verdict: Verdict }[]): Release;
  };

/** What is tried before preemption, in the words of the event, and the claim that has to give up its devices. */
export interface Release {
  message: string;
  deallocate?: ResourceClaim;
}

/** A plugin could not do its work: the pod is tried again after a while, whatever happens. */
export class PluginFailure extends Error {
  readonly plugin: string;

  constructor(plugin: string, cause: unknown) {
    super(`running ${JSON.stringify(plugin)} filter plugin: ${messageOf(cause)}`, { cause });
    this.plugin = plugin;
  }
}

/** The only nodes, by name, that can take a pod, or why none ever will. */
export type PreFilterResult = { onlyNodes: ReadonlySet<string> } | { never: string };

export const MAX_NODE_SCORE = 100;

/** A score made ready for one pod. */
export interface NodeScore {
  score(node: NodeInfo): number;
  /** Brings the raw scores of the feasible nodes (in their order) to 0..100, in place. */
  normalize?(scores: number[]): void;
}

/** Gives each feasible node 0 to 100; the scores are multiplied by `weight` and summed. Pure. */
export type ScorePlugin = { name: string; weight: number } & (
  | { score(pod: PodInfo, node: NodeInfo): number; normalize?(scores: number[]): void }
  | {
      /** Undefined: it makes no difference between nodes. */
      prepare(pod: PodInfo, feasible: readonly NodeInfo[], cluster: Cluster): NodeScore | undefined;
    }
);

export const unresolvable = (reason: string): Verdict => ({ unresolvable: true, reasons: [reason] });
export const unschedulable = (reason: string): Verdict => ({ unresolvable: false, reasons: [reason] });

/** Scales to 0..100 by the greatest; `reverse` turns it about, so that a high raw score is bad. */
export function scaleToMax(scores: number[], reverse: boolean): void {
  const max = Math.max(0, ...scores);
  scores.forEach((score, i) => {
    if (max === 0) {
      scores[i] = reverse ? MAX_NODE_SCORE : 0;
      return;
    }
    const scaled = Math.trunc((MAX_NODE_SCORE * score) / max);
    scores[i] = reverse ? MAX_NODE_SCORE - scaled : scaled;
  });
}
