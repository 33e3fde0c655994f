import type { Container, ObjectMeta, PodSpec } from "../../../../shared/api/types.ts";

/** A pod, or the template of one. */
export interface PodLike {
  metadata?: Pick<ObjectMeta, "annotations">;
  spec: PodSpec;
}

/** Why a check forbids a pod: `reason` is the kind of fault, `detail` names who is at fault (it may be empty). */
export interface Violation {
  reason: string;
  detail: string;
}

/** One rule of the Pod Security Standards; undefined: the pod keeps it. */
export type Check = (pod: PodLike) => Violation | undefined;

/** Init containers first, ephemeral ones last: in this order they are named. */
export const containersOf = ({ initContainers, containers, ephemeralContainers }: PodSpec): Container[] => [
  ...(initContainers ?? []),
  ...(containers ?? []),
  ...((ephemeralContainers ?? []) as Container[]),
];

export const namesWhere = (spec: PodSpec, isBad: (container: Container) => boolean): string[] =>
  containersOf(spec)
    .filter(isBad)
    .map(({ name }) => name);

export const plural = (count: number, one: string, many = `${one}s`): string => (count === 1 ? one : many);

export const quoteAll = (items: string[]): string => items.map((item) => `"${item}"`).join(", ");

/** By code unit, each once. */
export const distinct = (items: string[]): string[] => [...new Set(items)].sort((a, b) => (a < b ? -1 : 1));

/** `container "a"`, `containers "a", "b"` */
export const printContainers = (names: string[]): string => `${plural(names.length, "container")} ${quoteAll(names)}`;

/** Who sets a thing: the pod, or some of its containers, or both. Empty: nobody. */
export function printSetters(byPod: boolean, containers: string[]): string {
  const setters = byPod ? ["pod"] : [];
  if (containers.length > 0) setters.push(printContainers(containers));
  return setters.join(" and ");
}

/** A pod in a user namespace is root of nothing outside of it (KEP-127). */
export const hasUserNamespace = ({ hostUsers }: PodSpec): boolean => hostUsers === false;

export const isWindows = ({ os }: PodSpec): boolean => os?.name === "windows";
