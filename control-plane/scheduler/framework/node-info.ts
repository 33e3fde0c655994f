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
}

export function podInfoOf(pod: Pod): PodInfo {
  const { metadata, spec } = pod;
  const namespace = metadata.namespace!;
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
    affinity: affinityTermsOf(namespace, spec?.affinity?.podAffinity),
    antiAffinity: affinityTermsOf(namespace, spec?.affinity?.podAntiAffinity),
    groupKey: `${namespace}/${JSON.stringify(metadata.labels ?? {})}`,
  };
}

/** The pods of a node that look alike to label selectors: replicas are counted together, not one by one. */
export interface PodGroup extends Labelled {
  count: number;
  /** How many of them are going away. */
  terminating: number;
}

const hasAffinity = ({ affinity, antiAffinity }: PodInfo) =>
  [affinity, antiAffinity].some(({ required, preferred }) => required.length + preferred.length > 0);

/** A node with what its pods have been promised, kept up to date one pod at a time. */
export class NodeInfo {
  readonly node: Node;
  readonly allocatable: Amounts & { pods: number };
  readonly requested: Amounts = noAmounts();
  /** As `requested`, but a container without a request counts as 100m and 200Mi: for scores only (SCH-08). */
  readonly nonZeroRequested: Amounts = noAmounts();
  readonly imageBytes: Map<string, number>;
  readonly #pods = new Map<string, PodInfo>();
  readonly #groups = new Map<string, PodGroup>();
  readonly #withAffinity = new Set<PodInfo>();

  constructor(node: Node, pods: Iterable<PodInfo> = []) {
    this.node = node;
    this.allocatable = allocatableOf(node);
    this.imageBytes = imagesOf(node);
    for (const pod of pods) this.addPod(pod);
  }

  get name(): string {
    return this.node.metadata.name;
  }

  get labels(): Record<string, string> {
    return this.node.metadata.labels ?? {};
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

  /** Those that have any affinity or anti-affinity to other pods. */
  get podsWithAffinity(): ReadonlySet<PodInfo> {
    return this.#withAffinity;
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
    if (hasAffinity(info)) this.#withAffinity.add(info);
  }

  removePod(uid: string): void {
    const info = this.#pods.get(uid);
    if (!info) return;
    this.#pods.delete(uid);
    this.#count(info, -1);
    this.#withAffinity.delete(info);
  }

  #count(info: PodInfo, sign: 1 | -1): void {
    addAmounts(this.requested, info.amounts.requests, sign);
    addAmounts(this.nonZeroRequested, info.amounts.nonZeroRequests, sign);
    let group = this.#groups.get(info.groupKey);
    if (!group) {
      group = { namespace: info.namespace, labels: info.labels, count: 0, terminating: 0 };
      this.#groups.set(info.groupKey, group);
    }
    group.count += sign;
    if (info.isTerminating) group.terminating += sign;
    if (group.count === 0) this.#groups.delete(info.groupKey);
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
