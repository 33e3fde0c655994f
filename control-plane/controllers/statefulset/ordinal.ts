import type { Pod, StatefulSet } from "../../../shared/api/types.ts";

const POD_NAME = /^(.*)-([0-9]+)$/;
const MAX_ORDINAL = 2 ** 31 - 1;

/** The set that a pod is named for, and its number there; -1 when the name has none. */
export function identityOf(podName: string): { parent: string; ordinal: number } {
  const [, parent, digits] = POD_NAME.exec(podName) ?? [];
  if (parent === undefined) return { parent: "", ordinal: -1 };
  const ordinal = Number(digits);
  return { parent, ordinal: ordinal <= MAX_ORDINAL ? ordinal : -1 };
}

export const ordinalOf = (pod: Pod): number => identityOf(pod.metadata.name).ordinal;

export const replicasOf = (set: StatefulSet): number => set.spec.replicas ?? 1;

export const startOrdinal = (set: StatefulSet): number => set.spec.ordinals?.start ?? 0;

/** Past the last ordinal of the set. */
export const endOrdinal = (set: StatefulSet): number => startOrdinal(set) + replicasOf(set);

export const isInRange = (set: StatefulSet, ordinal: number): boolean =>
  ordinal >= startOrdinal(set) && ordinal < endOrdinal(set);

export const podName = (set: StatefulSet, ordinal: number): string => `${set.metadata.name}-${ordinal}`;

export const claimName = (set: StatefulSet, template: string, ordinal: number): string =>
  `${template}-${podName(set, ordinal)}`;
