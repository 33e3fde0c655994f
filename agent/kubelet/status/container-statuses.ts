import { printTime } from "../../../shared/api/timestamp.ts";
import type { Container, ContainerState, ContainerStatus, Pod, ResourceRequirements } from "../../api/index.ts";
import { findContainer, type ObservedContainer, type ObservedPod } from "../observed.ts";
import { isSidecar, shouldBeStarted } from "../restart-policy.ts";
import type { StartError } from "../start-error.ts";

export interface StatusInputs {
  pod: Pod;
  observed: ObservedPod;
  previous: ContainerStatus[];
  /** All containers were just taken away, to be started anew (KEP-5532). */
  restartedAll: boolean;
  /** Why a container was not started at the last attempt, by its name. */
  startErrors: ReadonlyMap<string, StartError>;
  /** What the containers run with, by name, where that may differ from the pod (agent/resize). */
  actuated?: Record<string, ResourceRequirements>;
  /** Verdicts of the probes by container id; undefined without such a probe. */
  isReady: (container: Container, id: string) => boolean;
  isStarted: (container: Container, id: string) => boolean;
}

export type ContainerKind = "init" | "regular" | "ephemeral";

/** Statuses of one kind of the pod's containers, in the order of the spec. */
export function decideContainerStatuses(kind: ContainerKind, inputs: StatusInputs): ContainerStatus[] {
  const { spec } = inputs.pod;
  const containers =
    kind === "init" ? spec.initContainers : kind === "regular" ? spec.containers : spec.ephemeralContainers;
  const statuses = (containers ?? []).map((container) => decideContainerStatus(kind, container as Container, inputs));
  // Upstream sorts all but init containers by their names.
  return kind === "init" ? statuses : statuses.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function decideContainerStatus(kind: ContainerKind, container: Container, inputs: StatusInputs): ContainerStatus {
  const { pod, observed, previous, startErrors } = inputs;
  const before = previous.find(({ name }) => name === container.name);
  const instances = observed.containers.filter(({ name }) => name === container.name);
  const [newest, earlier] = instances;
  const status = newest
    ? fromInstance(container, newest, earlier, before, inputs)
    : withoutInstance(kind, container, before, inputs);

  const completedInit = kind === "init" && !isSidecar(container) && newest?.state === "exited" && newest.exitCode === 0;
  const startError = startErrors.get(container.name);
  if (startError && !completedInit && shouldBeStarted(container, pod, observed)) {
    if (status.state?.terminated) status.lastState = status.state;
    status.state = { waiting: { reason: startError.reason, message: startError.message } };
  }
  return { ...status, ...decideReadiness(kind, container, newest, status, inputs) };
}

function decideReadiness(
  kind: ContainerKind,
  container: Container,
  newest: ObservedContainer | undefined,
  { state }: ContainerStatus,
  { isReady, isStarted }: StatusInputs,
): { ready: boolean; started?: boolean } {
  const running = state?.running !== undefined && newest !== undefined;
  const started = running && isStarted(container, newest.id);
  if (kind === "init" && !isSidecar(container)) {
    return { started: running, ready: state?.terminated?.exitCode === 0 };
  }
  if (kind === "ephemeral") return { ready: false };
  return { started, ready: started && isReady(container, newest!.id) };
}

function fromInstance(
  container: Container,
  newest: ObservedContainer,
  earlier: ObservedContainer | undefined,
  before: ContainerStatus | undefined,
  { actuated }: StatusInputs,
): ContainerStatus {
  const lastState = earlier ? asState(earlier) : rememberedLastState(newest, before);
  return {
    name: container.name,
    state: asState(newest),
    lastState,
    ready: false,
    restartCount: newest.restartCount,
    image: newest.image || container.image!,
    imageID: newest.imageRef,
    containerID: containerId(newest),
    ...allocated(container, actuated),
    ...volumeMounts(container, newest.recursiveReadOnly),
    ...(newest.user && { user: { linux: newest.user } }),
  };
}

/** The runtime keeps one dead instance; the API still knows the one before if that was removed. */
function rememberedLastState(newest: ObservedContainer, before: ContainerStatus | undefined): ContainerState {
  if (!before) return {};
  if (before.containerID !== containerId(newest) && before.state?.terminated)
    return { terminated: before.state.terminated };
  return before.lastState ?? {};
}

function withoutInstance(
  kind: ContainerKind,
  container: Container,
  before: ContainerStatus | undefined,
  { pod, observed, restartedAll }: StatusInputs,
): ContainerStatus {
  const reason = pod.spec.initContainers?.length ? "PodInitializing" : "ContainerCreating";
  const status: ContainerStatus = {
    name: container.name,
    state: { waiting: { reason } },
    lastState: {},
    ready: false,
    restartCount: before?.restartCount ?? 0,
    image: container.image!,
    imageID: "",
    ...volumeMounts(container),
  };
  if (restartedAll && before && !before.state?.waiting && kind !== "ephemeral") return takenAway(status, before);
  if (before?.state?.terminated) return { ...before };
  if (before?.lastState) status.lastState = before.lastState;
  if (
    kind === "init" &&
    !isSidecar(container) &&
    pod.spec.containers.some(({ name }) => findContainer(observed, name))
  ) {
    const message =
      "Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally";
    return { ...status, state: { terminated: { reason: "Completed", message, exitCode: 0 } } };
  }
  if (before?.state?.running && !status.lastState?.terminated) {
    status.lastState = {
      terminated: {
        reason: "ContainerStatusUnknown",
        message: "The container could not be located when the pod was deleted.  The container used to be Running",
        exitCode: 137,
      },
    };
    if (!pod.metadata.deletionTimestamp) status.restartCount += 1;
  }
  return status;
}

function takenAway(status: ContainerStatus, before: ContainerStatus): ContainerStatus {
  const why = {
    reason: "RestartingAllContainers",
    message: "The container is removed because RestartAllContainers in place",
  };
  return {
    ...status,
    state: { waiting: why },
    lastState: { terminated: { ...why, exitCode: 137 } },
    restartCount: before.restartCount + 1,
  };
}

function asState(instance: ObservedContainer): ContainerState {
  switch (instance.state) {
    case "running":
      return { running: { startedAt: printTime(instance.startedAtMs) } };
    case "exited":
      return {
        terminated: {
          exitCode: instance.exitCode,
          ...(instance.reason && { reason: instance.reason }),
          ...(instance.message && { message: instance.message }),
          startedAt: printTime(instance.startedAtMs),
          finishedAt: printTime(instance.finishedAtMs),
          containerID: containerId(instance),
        },
      };
    default:
      return { waiting: {} };
  }
}

const containerId = ({ id }: ObservedContainer) => `containerd://${id}`;

/** What the node has granted, and what the container runs with: they differ while a resize is under way. */
function allocated(
  { name, resources }: Container,
  actuated: StatusInputs["actuated"],
): Pick<ContainerStatus, "resources" | "allocatedResources"> {
  return {
    ...(resources?.requests && { allocatedResources: resources.requests }),
    resources: actuated?.[name] ?? resources ?? {},
  };
}

function volumeMounts(container: Container, recursive: string[] = []): Pick<ContainerStatus, "volumeMounts"> {
  if (!container.volumeMounts?.length) return {};
  return {
    volumeMounts: container.volumeMounts.map(({ name, mountPath, readOnly }) => ({
      name,
      mountPath,
      ...(readOnly && { readOnly, recursiveReadOnly: recursive.includes(mountPath) ? "Enabled" : "Disabled" }),
    })),
  };
}
