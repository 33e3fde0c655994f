import { type HostPort, hostPortsOf } from "../../../shared/api/host-ports.ts";
import type { Node, Pod } from "../../../shared/api/types.ts";
import { type AffinityTerms, affinityTermsOf, type Labelled } from "./affinity-term.ts";
import { type Amounts, addAmounts, noAmounts } from "./amounts.ts";
import { allocatableOf, type PodAmounts, podAmounts } from "./pod-amounts.ts";

/** A pod with all that scheduling asks of it, worked out once. */
export interface PodInfo extends Labelled {
  pod: Pod;
  uid: string;
  priority: number;
  isTerminating: boolean;
  /** The node whose pods were evicted for it. */
  nominatedNode: string | undefined;
  amounts: PodAmounts;
  hostPorts: HostPort[];
  affinity: AffinityTerms;
  antiAffinity: AffinityTerms;
  /** Pods of one such key have the same namespace and labels. */
  groupKey: string;
  /** Pods of one such key ask the same of the pods around them; empty: nothing. */
  affinityKey: string;
}

export function podInfoOf(pod: Pod): PodInfo {
  const { metadata, spec } = pod;
  const namespace = metadata.namespace!;
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return {
    pod,
    uid: metadata.uid!,
    namespace,
    labels: metadata.labels,
    priority: spec?.priority ?? 0,
    isTerminating: metadata.deletionTimestamp !== undefined,
    nominatedNode: pod.status?.nominatedNodeName || undefined,
    amounts: podAmounts(pod),
    hostPorts: hostPortsOf(pod),
    affinity: affinityTermsOf(namespace, podAffinity),
    antiAffinity: affinityTermsOf(namespace, podAntiAffinity),
    groupKey: `${namespace}/${JSON.stringify(metadata.labels ?? {})}`,
    affinityKey: podAffinity || podAntiAffinity ? `${namespace}/${JSON.stringify([podAffinity, podAntiAffinity])}` : "",
  };
}

/** The pods of a node that look alike to label selectors: replicas are counted together, not one by one. */
export interface PodGroup extends Labelled {
  key: string;
  count: number;
  /** How many of them are going away. */
  terminating: number;
}

/** The pods of a node that ask the same of the pods around them. */
export interface AffinityGroup {
  key: string;
  affinity: AffinityTerms;
  antiAffinity: AffinityTerms;
  count: number;
}

/** A node with what its pods have been promised, kept up to date one pod at a time. */
export class NodeInfo {
  readonly node: Node;
  readonly name: string;
  readonly labels: Record<string, string>;
  readonly allocatable: Amounts & { pods: number };
  readonly requested: Amounts = noAmounts();
  /** As `requested`, but a container without a request counts as 100m and 200Mi: for scores only (SCH-08). */
  readonly nonZeroRequested: Amounts = noAmounts();
  readonly imageBytes: Map<string, number>;
  readonly #pods = new Map<string, PodInfo>();
  readonly #groups = new Map<string, PodGroup>();
  readonly #affinityGroups = new Map<string, AffinityGroup>();

  constructor(node: Node, pods: Iterable<PodInfo> = []) {
    this.node = node;
    this.name = node.metadata.name;
    this.labels = node.metadata.labels ?? {};
    this.allocatable = allocatableOf(node);
    this.imageBytes = imagesOf(node);
    for (const pod of pods) this.addPod(pod);
  }

  get pods(): Iterable<PodInfo> {
    return this.#pods.values();
  }

  get podCount(): number {
    return this.#pods.size;
  }

  get groups(): Iterable<PodGroup> {
    return this.#groups.values();
  }

  /** Of the pods that have any affinity or anti-affinity to other pods. */
  get affinityGroups(): Iterable<AffinityGroup> {
    return this.#affinityGroups.values();
  }

  get hasAffinity(): boolean {
    return this.#affinityGroups.size > 0;
  }

  /** For trying out what would be: changes of one are not seen by the other. */
  copy(): NodeInfo {
    return new NodeInfo(this.node, this.pods);
  }

  /** Replaces what was counted for a pod of the same uid. */
  addPod(info: PodInfo): void {
    this.removePod(info.uid);
    this.#pods.set(info.uid, info);
    this.#count(info, 1);
  }

  removePod(uid: string): void {
    const info = this.#pods.get(uid);
    if (!info) return;
    this.#pods.delete(uid);
    this.#count(info, -1);
  }

  #count(info: PodInfo, sign: 1 | -1): void {
    addAmounts(this.requested, info.amounts.requests, sign);
    addAmounts(this.nonZeroRequested, info.amounts.nonZeroRequests, sign);
    let group = this.#groups.get(info.groupKey);
    if (!group) {
      group = { key: info.groupKey, namespace: info.namespace, labels: info.labels, count: 0, terminating: 0 };
      this.#groups.set(info.groupKey, group);
    }
    group.count += sign;
    if (info.isTerminating) group.terminating += sign;
    if (group.count === 0) this.#groups.delete(info.groupKey);
    if (info.affinityKey !== "") this.#countAffinity(info, sign);
  }

  #countAffinity({ affinityKey: key, affinity, antiAffinity }: PodInfo, sign: 1 | -1): void {
    let group = this.#affinityGroups.get(key);
    if (!group) {
      group = { key, affinity, antiAffinity, count: 0 };
      this.#affinityGroups.set(key, group);
    }
    group.count += sign;
    if (group.count === 0) this.#affinityGroups.delete(key);
  }
}

/** Names without a tag or digest mean `:latest`, as a pod's image does. */
export function normalizedImageName(image: string): string {
  return image.lastIndexOf(":") <= image.lastIndexOf("/") ? `${image}:latest` : image;
}

function imagesOf(node: Node): Map<string, number> {
  const images = new Map<string, number>();
  for (const image of node.status?.images ?? []) {
    for (const name of image.names ?? []) images.set(normalizedImageName(name), image.sizeBytes ?? 0);
  }
  return images;
}
