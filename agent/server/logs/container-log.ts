import type { ContainerStatus, PodStatus } from "../../api/index.ts";

/** Upstream's texts for a container that has no log to show; the API server passes them on as 400. */
export class NoLogError extends Error {}

/**
 * Which container instance's log is meant.
 * @returns its id, without the runtime's scheme
 * @throws NoLogError in upstream's words (kubelet, validateContainerLogStatus)
 */
export function chooseInstance(pod: { name: string; status: PodStatus }, container: string, previous: boolean): string {
  const status = findStatus(pod.status, container);
  const named = `container "${container}" in pod "${pod.name}"`;
  if (!status) throw new NoLogError(`${named} is not available`);
  const last = status.lastState?.terminated;
  const { running, terminated, waiting } = status.state ?? {};
  if (previous) {
    if (!last?.containerID) {
      throw new NoLogError(`previous terminated container "${container}" in pod "${pod.name}" not found`);
    }
    return bareId(last.containerID);
  }
  if (running) return bareId(status.containerID ?? "");
  // When the next instance could not be started, the one before it has the log.
  if (terminated || last) {
    const id = terminated?.containerID || last?.containerID;
    if (!id) throw new NoLogError(`${named} is terminated`);
    return bareId(id);
  }
  if (waiting) throw new NoLogError(`${named} is waiting to start: ${whyWaiting(waiting.reason ?? "")}`);
  throw new NoLogError(`${named} is waiting to start - no logs yet`);
}

function findStatus(status: PodStatus, container: string): ContainerStatus | undefined {
  const all = [status.containerStatuses, status.initContainerStatuses, status.ephemeralContainerStatuses];
  return all.flatMap((list) => list ?? []).find(({ name }) => name === container);
}

function whyWaiting(reason: string): string {
  if (reason === "ErrImagePull") return "image can't be pulled";
  if (reason === "ImagePullBackOff") return "trying and failing to pull image";
  return reason;
}

const bareId = (containerId: string) => containerId.replace(/^[^:]*:\/\//, "");
