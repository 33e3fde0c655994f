import { type HostPort, hostPortsOf } from "../../../shared/api/host-ports.ts";
import type { Node, Pod } from "../../../shared/api/types.ts";
import { type Amounts, addAmounts, noAmounts } from "./amounts.ts";
import { allocatableOf, type PodAmounts, podAmounts } from "./pod-amounts.ts";

/** A pod with all that scheduling asks of it, worked out once. */
export interface PodInfo {
  pod: Pod;
  amounts: PodAmounts;
  hostPorts: HostPort[];
}

export function podInfoOf(pod: Pod): PodInfo {
  return { pod, amounts: podAmounts(pod), hostPorts: hostPortsOf(pod) };
}

/** A node with what its pods have been promised, kept up to date one pod at a time. */
export class NodeInfo {
  readonly node: Node;
  readonly allocatable: Amounts & { pods: number };
  readonly requested: Amounts = noAmounts();
  /** As `requested`, but a container without a request counts as 100m and 200Mi: for scores only (SCH-08). */
  readonly nonZeroRequested: Amounts = noAmounts();
  readonly imageBytes: Map<string, number>;
  readonly #pods = new Map<string, PodInfo>();

  constructor(node: Node, pods: Iterable<PodInfo> = []) {
    this.node = node;
    this.allocatable = allocatableOf(node);
    this.imageBytes = imagesOf(node);
    for (const pod of pods) this.addPod(pod);
  }

  get name(): string {
    return this.node.metadata.name;
  }

  get pods(): Iterable<PodInfo> {
    return this.#pods.values();
  }

  get podCount(): number {
    return this.#pods.size;
  }

  /** Replaces what was counted for a pod of the same uid. */
  addPod(info: PodInfo): void {
    const uid = info.pod.metadata.uid!;
    this.removePod(uid);
    this.#pods.set(uid, info);
    addAmounts(this.requested, info.amounts.requests);
    addAmounts(this.nonZeroRequested, info.amounts.nonZeroRequests);
  }

  removePod(uid: string): void {
    const info = this.#pods.get(uid);
    if (!info) return;
    this.#pods.delete(uid);
    addAmounts(this.requested, info.amounts.requests, -1);
    addAmounts(this.nonZeroRequested, info.amounts.nonZeroRequests, -1);
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
