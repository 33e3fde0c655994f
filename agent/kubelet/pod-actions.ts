import type { Container, Pod } from "../api/index.ts";
import { hashContainer } from "./container-hash.ts";
import { findContainer, type ObservedContainer, type ObservedPod } from "./observed.ts";
import { isSidecar, restartsAfterExit, shouldBeStarted } from "./restart-policy.ts";

/** The next step for a pod that should run. Carried out in the order of the fields. */
export interface PodActions {
  /** Stop every container and the sandbox. */
  killPod: boolean;
  createSandbox: boolean;
  /** The sandbox to use, or the one that is replaced. */
  sandboxId: string | undefined;
  attempt: number;
  containersToKill: { id: string; name: string; message: string; reason: KillReason }[];
  /** By index in spec.ephemeralContainers, spec.initContainers and spec.containers. */
  ephemeralContainersToStart: number[];
  initContainersToStart: number[];
  containersToStart: number[];
}

/** Whether there is nothing to do for the pod. */
export const isIdle = (actions: PodActions): boolean =>
  !actions.killPod && !actions.createSandbox && actions.containersToKill.length === 0 && !startsAny(actions);

/** Whether a container is to be started. */
export const startsAny = (actions: PodActions): boolean =>
  [actions.ephemeralContainersToStart, actions.initContainersToStart, actions.containersToStart].some(
    (list) => list.length > 0,
  );

export type KillReason = "LivenessProbe" | "StartupProbe" | "SpecChanged" | "Unknown";

/** Verdicts of the probes by container id; nothing is known of a container that is not in the map. */
export interface ProbeResults {
  liveness: ReadonlyMap<string, boolean>;
  startup: ReadonlyMap<string, boolean>;
}

export const NO_PROBES: ProbeResults = { liveness: new Map(), startup: new Map() };

/** Whether the newest sandbox can be used, and which attempt the next one is. */
export function decideSandbox(
  pod: Pod,
  observed: ObservedPod,
): { create: boolean; attempt: number; sandboxId: string | undefined } {
  const [newest] = observed.sandboxes;
  if (!newest) return { create: true, attempt: 0, sandboxId: undefined };
  const next = { create: true, attempt: newest.attempt + 1, sandboxId: newest.id };
  if (observed.sandboxes.filter(({ ready }) => ready).length > 1 || !newest.ready) return next;
  const hostNetwork = pod.spec.hostNetwork === true;
  if (newest.hostNetwork !== hostNetwork) return { ...next, sandboxId: undefined };
  if (!hostNetwork && newest.ips.length === 0) return next;
  return { create: false, attempt: newest.attempt, sandboxId: newest.id };
}

/** What brings the pod nearer to its spec. Pure: the same pod and observation give the same actions. */
export function computePodActions(pod: Pod, observed: ObservedPod, probes: ProbeResults = NO_PROBES): PodActions {
  const { create, attempt, sandboxId } = decideSandbox(pod, observed);
  const actions: PodActions = {
    killPod: create,
    createSandbox: create,
    sandboxId,
    attempt,
    containersToKill: [],
    ephemeralContainersToStart: [],
    initContainersToStart: [],
    containersToStart: [],
  };
  return create ? planNewSandbox(pod, observed, actions) : planInSandbox(pod, observed, probes, actions);
}

/** A new sandbox starts from the first init container, unless the pod has already done its work. */
function planNewSandbox(pod: Pod, observed: ObservedPod, actions: PodActions): PodActions {
  const { spec } = pod;
  if (spec.restartPolicy === "Never" && actions.attempt !== 0 && observed.containers.length > 0) {
    return { ...actions, createSandbox: false };
  }
  const containersToStart = indices(spec.containers).filter((index) => {
    const container = spec.containers[index]!;
    const instance = findContainer(observed, container.name);
    const runsOnce = (container.restartPolicy ?? spec.restartPolicy) === "OnFailure";
    return !(runsOnce && instance?.state === "exited" && instance.exitCode === 0);
  });
  if (containersToStart.length === 0 && spec.containers.some(({ name }) => isCreated(findContainer(observed, name)))) {
    return { ...actions, createSandbox: false };
  }
  if (spec.initContainers?.length) return { ...actions, initContainersToStart: [0] };
  return { ...actions, containersToStart };
}

function planInSandbox(pod: Pod, observed: ObservedPod, probes: ProbeResults, actions: PodActions): PodActions {
  actions.ephemeralContainersToStart = indices(pod.spec.ephemeralContainers).filter(
    (index) => !findContainer(observed, pod.spec.ephemeralContainers![index]!.name),
  );
  const initialized = planInitContainers(pod, observed, probes, actions);
  if (actions.killPod || !initialized) return actions;

  let kept = 0;
  for (const [index, container] of pod.spec.containers.entries()) {
    const instance = findContainer(observed, container.name);
    if (instance?.state !== "running") {
      if (!shouldBeStarted(container, pod, observed)) continue;
      actions.containersToStart.push(index);
      if (instance?.state === "unknown") actions.containersToKill.push(unknownState(instance));
      continue;
    }
    const kill = decideKill(container, instance, probes);
    if (!kill) {
      kept += 1;
      continue;
    }
    const restarts = kill.reason === "SpecChanged" || (container.restartPolicy ?? pod.spec.restartPolicy) !== "Never";
    if (restarts) actions.containersToStart.push(index);
    actions.containersToKill.push({ ...kill, message: restarts ? `${kill.message}, will be restarted` : kill.message });
  }
  if (kept === 0 && actions.containersToStart.length === 0) {
    // Sidecars must not keep a finished pod alive.
    actions.killPod = true;
    actions.initContainersToStart = [];
  }
  return actions;
}

/** @param options.hasStarted false for a sidecar whose startup probe has failed: nothing else of it matters then */
function decideKill(
  container: Container,
  instance: ObservedContainer,
  probes: ProbeResults,
  kind = "Container",
  { hasStarted = true } = {},
) {
  const kill = (message: string, reason: KillReason) => ({ id: instance.id, name: container.name, message, reason });
  if (hasStarted && instance.hash !== hashContainer(container)) {
    return kill(`${kind} ${container.name} definition changed`, "SpecChanged");
  }
  if (hasStarted && probes.liveness.get(instance.id) === false) {
    return kill(`${kind} ${container.name} failed liveness probe`, "LivenessProbe");
  }
  if (probes.startup.get(instance.id) === false) {
    return kill(`${kind} ${container.name} failed startup probe`, "StartupProbe");
  }
  return undefined;
}

/**
 * Starts the next init container, and keeps the sidecars before it running. Walks from the last one to the first, since
 * finished ones may have been removed from the runtime: those before one that was ever started are taken as done.
 * @returns whether initialization is complete
 */
function planInitContainers(pod: Pod, observed: ObservedPod, probes: ProbeResults, actions: PodActions): boolean {
  const initContainers = pod.spec.initContainers ?? [];
  if (initContainers.length === 0) return true;
  let initialized = pod.spec.containers.some(({ name }) => {
    const state = findContainer(observed, name)?.state;
    return state === "created" || state === "running";
  });
  /** Whether this one was passed before: then only a sidecar is of interest. */
  let passed = initialized;
  const start = new Set<number>();

  for (let index = initContainers.length - 1; index >= 0; index -= 1) {
    const container = initContainers[index]!;
    const sidecar = isSidecar(container);
    const instance = findContainer(observed, container.name);
    if (!instance) {
      if (passed && sidecar) start.add(index);
      continue;
    }
    if (passed && !sidecar) continue;
    const step = planInitContainer(container, instance, pod, probes);
    if (step.kill) actions.containersToKill.push(step.kill);
    if (step.start) start.add(index);
    if (step.failed) {
      actions.killPod = true;
      actions.initContainersToStart = [];
      return false;
    }
    if (step.done && index === initContainers.length - 1) initialized = true;
    else if (step.done && !passed) start.add(index + 1);
    passed = true;
  }
  if (!passed) start.add(0);
  actions.initContainersToStart = [...start].sort((a, b) => a - b);
  return initialized;
}

type Kill = PodActions["containersToKill"][number];

/** `done` lets the next one start; `failed` ends the pod. */
function planInitContainer(
  container: Container,
  instance: ObservedContainer,
  pod: Pod,
  probes: ProbeResults,
): { done?: boolean; start?: boolean; kill?: Kill; failed?: boolean } {
  const sidecar = isSidecar(container);
  switch (instance.state) {
    // The runtime failed to start it.
    case "created":
      return { start: true };
    case "running": {
      if (!sidecar) return {};
      const hasStarted = !container.startupProbe || probes.startup.get(instance.id) === true;
      if (!hasStarted && probes.startup.get(instance.id) === undefined) return {};
      const kill = decideKill(container, instance, probes, "Init container", { hasStarted });
      return { done: hasStarted, kill, start: kill !== undefined };
    }
    case "exited":
      if (sidecar) return { start: true };
      if (instance.exitCode === 0) return { done: true };
      return restartsAfterExit(container, pod.spec, instance.exitCode) ? { start: true } : { failed: true };
    case "unknown": {
      const restarts = sidecar || (container.restartPolicy ?? pod.spec.restartPolicy) !== "Never";
      return restarts ? { kill: unknownState(instance, "Init container"), start: true } : { failed: true };
    }
  }
}

const unknownState = ({ id, name }: ObservedContainer, kind = "Container") => ({
  id,
  name,
  message: `${kind} is in "unknown" state, try killing it before restart`,
  reason: "Unknown" as const,
});

const isCreated = (instance: ObservedContainer | undefined) => instance !== undefined && instance.state !== "unknown";

const indices = (list: unknown[] | undefined) => [...(list ?? []).keys()];
