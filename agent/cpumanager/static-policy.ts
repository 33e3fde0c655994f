import { isSidecar, qosClass } from "../../shared/api/pod-requests.ts";
import { milliUnits, parseQuantity } from "../../shared/api/quantity.ts";
import type { Container, Pod } from "../api/index.ts";
import { takeCpus } from "./assign.ts";
import { type CpuSet, union, without } from "./cpu-set.ts";
import type { Cpu } from "./topology.ts";

/** Which containers have CPUs of their own; everything else shares the rest. By pod uid and container. */
export type Assignments = Readonly<Record<string, Readonly<Record<string, CpuSet>>>>;

export interface CpuPool {
  topology: readonly Cpu[];
  /** For the system and for those who share: never anybody's own. */
  reserved: CpuSet;
}

/** How many CPUs a container is to have for itself: guaranteed pods that ask for whole ones. 0 means none. */
export function exclusiveCount({ spec }: Pod, { resources }: Container): number {
  // Pods with resources as a whole share (the kubelet's PodLevelResourceManagers is off by default).
  if (spec.resources || qosClass(spec) !== "Guaranteed") return 0;
  const milli = milliUnits(parseQuantity(resources?.requests?.["cpu"] ?? resources?.limits?.["cpu"] ?? "0"));
  return milli % 1000 === 0 ? milli / 1000 : 0;
}

/** What is nobody's own, reserved CPUs among it. */
export const sharedCpus = ({ topology }: CpuPool, assignments: Assignments): CpuSet =>
  without(
    topology.map(({ cpu }) => cpu),
    union(...Object.values(assignments).flatMap((containers) => Object.values(containers))),
  );

/**
 * Gives each container of a pod its CPUs. What init containers had, the containers after them get again; a sidecar keeps
 * its own. A container that has CPUs already keeps them.
 * @throws RangeError in upstream's words if there are too few
 */
export function assignPod(pod: Pod, assignments: Assignments, pool: CpuPool): Assignments {
  const { uid } = pod.metadata;
  const own: Record<string, CpuSet> = { ...assignments[uid] };
  let reusable: CpuSet = [];
  const { initContainers = [], containers } = pod.spec;
  for (const container of [...initContainers, ...containers]) {
    const count = exclusiveCount(pod, container);
    if (count === 0) continue;
    own[container.name] ??= takeCpus(
      pool.topology,
      union(without(sharedCpus(pool, { ...assignments, [uid]: own }), pool.reserved), reusable),
      count,
    );
    const isShortLived = initContainers.includes(container) && !isSidecar(container);
    reusable = isShortLived ? union(reusable, own[container.name]!) : without(reusable, own[container.name]!);
  }
  return Object.keys(own).length === 0 ? assignments : { ...assignments, [uid]: own };
}

export function releasePod(uid: string, assignments: Assignments): Assignments {
  const { [uid]: _, ...rest } = assignments;
  return rest;
}

/**
 * CPUs that nobody gets for itself: those named, or as many whole ones as are reserved for the system, the lowest numbers
 * first. @throws RangeError in upstream's words without any: sharing needs at least one
 */
export function reserveCpus(topology: readonly Cpu[], named: CpuSet, reservedMilli: number): CpuSet {
  if (named.length > 0) return named;
  if (reservedMilli <= 0) {
    throw new RangeError("the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero");
  }
  return takeCpus(
    topology,
    topology.map(({ cpu }) => cpu),
    Math.ceil(reservedMilli / 1000),
  );
}
