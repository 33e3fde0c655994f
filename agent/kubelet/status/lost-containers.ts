import type { ContainerStatus, Pod } from "../../api/index.ts";
import { isSidecar } from "../restart-policy.ts";

const LOST = {
  terminated: {
    reason: "ContainerStatusUnknown",
    message: "The container could not be located when the pod was terminated",
    exitCode: 137,
  },
};

/**
 * In a pod that has ended every container has ended, also one that never ran or that nothing is known of: nobody knows
 * whether it did its work, so it counts as failed. Init containers that were not reached keep waiting. Changes what it gets.
 */
export function markLost(
  pod: Pod,
  statuses: { initContainerStatuses: ContainerStatus[]; containerStatuses: ContainerStatus[] },
): void {
  const { initContainerStatuses, containerStatuses } = statuses;
  const initialized = hasInitialized(pod, statuses);
  const reached = Math.max(1, initContainerStatuses.findLastIndex(hasStarted) + 1);
  const lost = [...(initialized ? containerStatuses : []), ...initContainerStatuses.slice(0, reached)];
  for (const status of lost) if (!status.state?.terminated) status.state = structuredClone(LOST);
}

const hasStarted = ({ state, lastState }: ContainerStatus) =>
  state?.waiting === undefined || lastState?.terminated !== undefined;

function hasInitialized(
  { spec }: Pod,
  {
    initContainerStatuses,
    containerStatuses,
  }: { initContainerStatuses: ContainerStatus[]; containerStatuses: ContainerStatus[] },
): boolean {
  const last = spec.initContainers?.at(-1);
  if (!last || containerStatuses.some(hasStarted)) return true;
  const status = initContainerStatuses.at(-1);
  if (isSidecar(last)) return status?.state?.running !== undefined && status.started === true;
  return [status?.state, status?.lastState].some((state) => state?.terminated?.exitCode === 0);
}
