import type { Pod } from "../api/index.ts";
import type { ObservedPod } from "./observed.ts";
import type { PodActions } from "./pod-actions.ts";

/** Ids of the running instances by container. */
export const runningContainers = ({ containers }: ObservedPod): Map<string, string> =>
  new Map(containers.filter(({ state }) => state === "running").map(({ name, id }) => [name, id]));

/**
 * Adds to a plan the restarts of containers whose new resources want one. What is stopped anyway is left alone.
 * @param names of the containers
 */
export function planResizeRestarts(
  { spec }: Pod,
  actions: PodActions,
  names: readonly string[],
  running: ReadonlyMap<string, string>,
): PodActions {
  if (actions.killPod) return actions;
  const added = names.filter((name) => !actions.containersToKill.some((kill) => kill.name === name));
  const indexesIn = (containers: { name: string }[] = []) =>
    [...containers.keys()].filter((index) => added.includes(containers[index]!.name));
  return {
    ...actions,
    containersToKill: [
      ...actions.containersToKill,
      ...added.map((name) => ({
        id: running.get(name)!,
        name,
        message: `Container ${name} resize requires restart`,
        reason: "SpecChanged" as const,
      })),
    ],
    initContainersToStart: [...actions.initContainersToStart, ...indexesIn(spec.initContainers)],
    containersToStart: [...actions.containersToStart, ...indexesIn(spec.containers)],
  };
}
