import { compareQuantities, parseQuantity, printQuantity, ZERO_QUANTITY } from "../../shared/api/quantity.ts";
import type { Pod } from "../api/index.ts";
import { FACTS, type Observations, type StarvedResource } from "./signals.ts";
import { printAmount, printValue, type Threshold } from "./thresholds.ts";
import type { ContainerUsage, PodUsage } from "./usage.ts";

/** The kubelet's words, with the blank at their ends: they are put together from sentences. */
export interface EvictionText {
  message: string;
  /** Of the event. */
  annotations: Record<string, string>;
}

/**
 * Why a pod is evicted, and which of its containers use more than they asked for.
 * @param facts.met the thresholds that the node is below
 */
export function renderEviction(
  pod: Pod,
  resource: StarvedResource,
  { usage, met, observations }: { usage: PodUsage | undefined; met: readonly Threshold[]; observations: Observations },
): EvictionText {
  const low = `The node was low on resource: ${resource}. ${renderThreshold(resource, met, observations)}`;
  if (!usage) return { message: low, annotations: {} };
  const ofPod = excessOfPod(pod, resource, usage);
  const containers = usage.containers.flatMap((each) => excessOfContainer(pod, resource, each));
  return {
    message: [low, ...(ofPod ? [ofPod.text] : []), ...containers.map(({ text }) => text)].join(""),
    annotations: {
      ...(ofPod && { offending_pod: pod.metadata.name, offending_pod_usage: ofPod.used }),
      offending_containers: containers.map(({ name }) => name).join(","),
      offending_containers_usage: containers.map(({ used }) => used).join(","),
      starved_resource: resource,
    },
  };
}

function renderThreshold(resource: StarvedResource, met: readonly Threshold[], observations: Observations): string {
  const threshold = met.find(({ signal }) => FACTS[signal].resource === resource && observations[signal]);
  const observed = threshold && observations[threshold.signal];
  if (!observed) return "";
  const available = printAmount(observed.available, FACTS[threshold.signal].format);
  return `Threshold quantity: ${printValue(threshold.value, observed.capacity)}, available: ${available}. `;
}

/** Only for a pod that has asked for memory as a whole (KEP-2837). */
function excessOfPod({ metadata, spec }: Pod, resource: StarvedResource, { memoryBytes }: PodUsage) {
  const request = resource === "memory" ? spec.resources?.requests?.["memory"] : undefined;
  if (request === undefined) return undefined;
  const used = printAmount(memoryBytes, "BinarySI");
  return { text: renderExcess(`Pod ${metadata.name}`, used, printQuantity(parseQuantity(request)), resource), used };
}

function excessOfContainer({ spec }: Pod, resource: StarvedResource, usage: ContainerUsage) {
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  const container = all.find(({ name }) => name === usage.name);
  const amount = container && usedBy(usage, resource);
  if (!container || amount === undefined) return [];
  const text = container.resources?.requests?.[resource];
  const request = text === undefined ? ZERO_QUANTITY : parseQuantity(text);
  const used = printAmount(amount, "BinarySI");
  if (compareQuantities(parseQuantity(used), request) <= 0) return [];
  const { name } = container;
  return [{ name, used, text: renderExcess(`Container ${name}`, used, printQuantity(request), resource) }];
}

function usedBy({ memoryBytes, rootfs, logs }: ContainerUsage, resource: StarvedResource): number | undefined {
  if (resource === "memory") return memoryBytes;
  return resource === "ephemeral-storage" && rootfs && logs ? rootfs.bytes + logs.bytes : undefined;
}

const renderExcess = (who: string, used: string, request: string, resource: StarvedResource) =>
  `${who} was using ${used}, request is ${request}, has larger consumption of ${resource}. `;
