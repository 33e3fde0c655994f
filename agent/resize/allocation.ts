import { isSidecar } from "../../shared/api/pod-requests.ts";
import { compareQuantities, parseQuantity } from "../../shared/api/quantity.ts";
import type { Container, Pod, ResourceRequirements } from "../api/index.ts";

/** Resources that the node has granted to a pod, or that its containers run with. */
export interface Allocation {
  /** The pod's own (KEP-2837). */
  pod?: ResourceRequirements;
  /** By name: of containers and sidecars, the ones that may be resized. */
  containers: Record<string, ResourceRequirements>;
}

const resizable = ({ spec }: Pod): Container[] => [
  ...(spec.initContainers ?? []).filter(isSidecar),
  ...spec.containers,
];

/** What the pod asks for. */
export const allocationOf = (pod: Pod): Allocation => ({
  ...(pod.spec.resources && { pod: pod.spec.resources }),
  containers: Object.fromEntries(resizable(pod).map(({ name, resources }) => [name, resources ?? {}])),
});

/** The pod as if it asked for that. The same object where it does. */
export function withAllocation(pod: Pod, allocation: Allocation): Pod {
  if (sameAllocation(allocationOf(pod), allocation)) return pod;
  const allocated = (container: Container): Container =>
    allocation.containers[container.name]
      ? { ...container, resources: allocation.containers[container.name]! }
      : container;
  const { resources: _, ...spec } = pod.spec;
  return {
    ...pod,
    spec: {
      ...spec,
      ...(allocation.pod && { resources: allocation.pod }),
      containers: spec.containers.map(allocated),
      ...(spec.initContainers && { initContainers: spec.initContainers.map(allocated) }),
    },
  };
}

/** Whether two allocations are the same amounts, however they are written. */
export function sameAllocation(a: Allocation, b: Allocation): boolean {
  const names = new Set([...Object.keys(a.containers), ...Object.keys(b.containers)]);
  return (
    sameResources(a.pod, b.pod) && [...names].every((name) => sameResources(a.containers[name], b.containers[name]))
  );
}

export const sameResources = (a: ResourceRequirements | undefined, b: ResourceRequirements | undefined): boolean =>
  sameAmounts(a?.requests, b?.requests) && sameAmounts(a?.limits, b?.limits);

function sameAmounts(a: Record<string, string> = {}, b: Record<string, string> = {}): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => {
    const [one, other] = [a[name], b[name]];
    return (
      one !== undefined && other !== undefined && compareQuantities(parseQuantity(one), parseQuantity(other)) === 0
    );
  });
}
