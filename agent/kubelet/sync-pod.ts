import { mkdir } from "node:fs/promises";
import { RUNTIME_CLASSES } from "../../shared/api/refs.ts";
import { messageOf } from "../../shared/message-of.ts";
import { printDuration } from "../../shared/print-duration.ts";
import { type Container, type Pod, printPod } from "../api/index.ts";
import type { SandboxConfig } from "../cri/index.ts";
import { ignoreNotFound } from "../cri/index.ts";
import { whyUnsupported } from "../userns/index.ts";
import type { FoundVolumes } from "../volumes/index.ts";
import type { KubeletDeps } from "./deps.ts";
import { missingPullSecrets } from "./images/index.ts";
import { killContainer, killContainers, specOf } from "./kill-containers.ts";
import { podLogDirectory } from "./names.ts";
import { observePod, withNewContainer, withNewSandbox } from "./observe.ts";
import type { ObservedPod } from "./observed.ts";
import { type KillReason, type PodActions, startsAny } from "./pod-actions.ts";
import { renderSandboxConfig } from "./sandbox-config.ts";
import { type StartTarget, startContainer } from "./start-container.ts";
import { StartError } from "./start-error.ts";
import { unlessAborted } from "./unless-aborted.ts";
import type { VolumeWait } from "./volume-wait.ts";

export interface SyncInputs {
  pod: Pod;
  observed: ObservedPod;
  actions: PodActions;
  volumeWait: VolumeWait;
}

export interface SyncResult {
  /** Why containers were not started, by name. A container that started, or was not tried, has no entry. */
  startErrors: Map<string, StartError>;
  /** What there is of the pod now, if that is known without another look. */
  observed?: ObservedPod;
  /** Nothing more is to be done for the pod before `retryAfterMs`: it waits for its volumes, or for its sandbox. */
  isStuck?: boolean;
  /** When to try again; undefined when there is nothing to wait for but events. */
  retryAfterMs?: number;
}

/** The network comes with the node's podCIDR: soon, as a rule (the kubelet's backOffOnTransientErrorPeriod). */
const NETWORK_RETRY_MS = 1_000;
const CLAIM_RETRY_MS = 2_000;

export const graceSeconds = ({ metadata, spec }: Pod) =>
  metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30;

/** A probe may have a grace period of its own (KEP-2238). */
function killGraceSeconds(pod: Pod, name: string, reason: KillReason): number {
  const container = specOf(pod, name);
  const probe =
    reason === "LivenessProbe"
      ? container?.livenessProbe
      : reason === "StartupProbe"
        ? container?.startupProbe
        : undefined;
  return probe?.terminationGracePeriodSeconds ?? graceSeconds(pod);
}

export const restartKey = (pod: Pod, container: Container) => `${pod.metadata.uid}_${container.name}`;

/**
 * Carries a plan out, in the order of its fields. Failures are told as events and in the result; the next sync starts
 * from what is then observed.
 * @param onSandbox called when the sandbox is up, so that its address is reported before images are pulled
 * @param signal aborted when the pod is to be stopped: nothing more is started
 */
export async function syncPod(
  deps: KubeletDeps,
  { pod, observed, actions, volumeWait }: SyncInputs,
  onSandbox: (observed: ObservedPod) => void,
  signal: AbortSignal,
): Promise<SyncResult> {
  const result: SyncResult = { startErrors: new Map() };
  const note = deps.events.forPod(pod);

  if (actions.createSandbox) {
    // What failed leaves its traces in the runtime, and they must not bring the next attempt forward.
    const waitMs = deps.sandboxRetries.waitMs(pod.metadata.uid, deps.clock.nowMs());
    if (waitMs > 0) return { ...result, isStuck: true, retryAfterMs: waitMs };
    const network = pod.spec.hostNetwork ? undefined : await whyNoNetwork(deps);
    if (network !== undefined) {
      note("Warning", "NetworkNotReady", `network is not ready: ${network}`);
      return { ...result, isStuck: true, retryAfterMs: NETWORK_RETRY_MS };
    }
  }
  if (actions.killPod) {
    if (actions.createSandbox && actions.sandboxId) {
      note("Normal", "SandboxChanged", "Pod sandbox changed, it will be killed and re-created.");
    }
    await unlessAborted(stopPod(deps, pod, observed, graceSeconds(pod), signal), signal);
    if (!actions.createSandbox) return result;
    await removeInitContainers(deps, pod, observed);
  } else {
    const kills = actions.containersToKill.map(({ id, name, message, reason }) => {
      const grace = killGraceSeconds(pod, name, reason);
      return killContainer(deps, pod, { id, name }, { graceSeconds: grace, message, hurry: signal });
    });
    // When the pod itself is to be stopped the time that it has for that counts.
    await unlessAborted(Promise.all(kills), signal);
  }

  const podIps = observed.sandboxes[0]?.ips ?? [];
  const addresses = { hostIps: deps.node.hostIps, podIps: pod.spec.hostNetwork ? deps.node.hostIps : podIps };
  let target: StartTarget;
  try {
    const found = await deps.volumes.find(pod, addresses);
    // Where something is missing there is no sandbox before it is there.
    const early = found.isComplete ? undefined : await setUpVolumes(found);
    if (!found.isComplete && !early) return { ...result, isStuck: true };
    const userNamespace = await deps.userns.of(pod, () => whyNoUserNamespace(deps, pod));
    const onOmitted = (message: string) => {
      if (actions.createSandbox) note("Warning", "DNSConfigForming", message);
    };
    const options = { attempt: actions.attempt, node: deps.node, userNamespace, onOmitted };
    const sandboxConfig = renderSandboxConfig(pod, options);
    let current = observed;
    signal.throwIfAborted();
    const [volumes, sandboxId] = await both(
      early ?? setUpVolumes(found),
      actions.createSandbox ? createSandbox(deps, pod, sandboxConfig) : actions.sandboxId,
    );
    if (!volumes) return { ...result, isStuck: true };
    if (actions.createSandbox && sandboxId) {
      deps.sandboxRetries.forget(pod.metadata.uid);
      // What was in an old one is looked at again: it has just been stopped.
      current =
        observed.sandboxes.length === 0
          ? await withNewSandbox(deps.cri, observed, sandboxId)
          : await observePod(deps.cri, pod.metadata.uid);
      onSandbox(current);
    }
    if (!sandboxId) return result;
    if (startsAny(actions) && !pod.spec.hostNetwork) await unlessAborted(deps.podNetwork.ready(pod), signal);
    const ips = pod.spec.hostNetwork ? deps.node.hostIps : (current.sandboxes[0]?.ips ?? []);
    target = { pod, observed: current, sandboxId, sandboxConfig, userNamespace, podIps: ips, volumes, signal };
  } catch (error) {
    signal.throwIfAborted();
    note("Warning", "FailedCreatePodSandBox", `Failed to create pod sandbox: ${messageOf(error)}`);
    deps.log("warn", "cannot prepare a pod", { pod: printPod(pod), error: messageOf(error) });
    const nowMs = deps.clock.nowMs();
    deps.sandboxRetries.next(pod.metadata.uid, nowMs, nowMs);
    return { ...result, isStuck: true, retryAfterMs: deps.sandboxRetries.pauseMs(pod.metadata.uid) };
  }

  const { spec } = pod;
  if (startsAny(actions)) await tellMissingPullSecrets(deps, pod);
  for (const index of actions.ephemeralContainersToStart) {
    await start(spec.ephemeralContainers![index] as Container);
  }
  for (const index of actions.initContainersToStart) {
    // The next one may only start after this one has.
    if (!(await start(spec.initContainers![index]!))) return result;
  }
  for (const index of actions.containersToStart) await start(spec.containers[index]!);
  const isKnown = result.startErrors.size === 0 && actions.containersToKill.length === 0;
  return isKnown ? { ...result, observed: target.observed } : result;

  async function start(container: Container): Promise<boolean> {
    signal.throwIfAborted();
    try {
      checkBackoff(deps, pod, observed, container);
      const id = await startContainer(deps, target, container);
      target.observed = await withNewContainer(deps.cri, target.observed, { id, sandboxId: target.sandboxId });
      return true;
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      result.startErrors.set(container.name, error);
      wakeIn(error.retryAfterMs);
      const { reason, message } = error;
      deps.log("info", "container not started", { pod: printPod(pod), container: container.name, reason, message });
      return false;
    }
  }

  /** Undefined when the pod has to wait for one of its volumes. */
  async function setUpVolumes(found: FoundVolumes) {
    const { ready, error } = await found.setUp();
    const missing = error?.volumes.filter((name) => !ready.has(name)) ?? [];
    const nowMs = deps.clock.nowMs();
    const overdue = missing.length > 0 ? volumeWait.failed(missing, nowMs) : volumeWait.succeeded();
    for (const text of [...(error?.texts ?? []), ...(overdue ? [overdue] : [])]) note("Warning", "FailedMount", text);
    if (!error) {
      deps.volumeRetries.forget(pod.metadata.uid);
      return ready;
    }
    deps.log("warn", "volumes fail", { pod: printPod(pod), error: error.message });
    deps.volumeRetries.next(pod.metadata.uid, nowMs, nowMs);
    // Nobody tells when a claim is bound.
    wakeIn(error.waitsForClaim ? CLAIM_RETRY_MS : deps.volumeRetries.pauseMs(pod.metadata.uid));
    return missing.length === 0 ? ready : undefined;
  }

  function wakeIn(ms: number) {
    result.retryAfterMs = Math.min(result.retryAfterMs ?? Infinity, ms);
  }
}

async function tellMissingPullSecrets({ objects, events }: KubeletDeps, pod: Pod): Promise<void> {
  const missing = await missingPullSecrets(objects, pod);
  if (missing.length === 0) return;
  const message = `Unable to retrieve some image pull secrets (${missing.join(", ")}); attempting to pull the image may not succeed.`;
  events.forPod(pod)("Warning", "FailedToRetrieveImagePullSecret", message);
}

/** Nothing goes on behind one's back: fails only when both have come to their end. */
async function both<A, B>(first: Promise<A> | A, second: Promise<B> | B): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return Promise.all([first, second]);
}

/** @throws StartError while the container has to wait; else lengthens the pause for the next crash */
function checkBackoff(deps: KubeletDeps, pod: Pod, observed: ObservedPod, container: Container): void {
  const last = observed.containers.find(({ name, state }) => name === container.name && state === "exited");
  if (!last) return;
  const key = restartKey(pod, container);
  const nowMs = deps.clock.nowMs();
  if (deps.restarts.isWaiting(key, last.finishedAtMs, nowMs)) {
    const pauseMs = deps.restarts.pauseMs(key);
    deps.events.forContainer(pod, container)(
      "Warning",
      "BackOff",
      `Back-off restarting failed container ${container.name} in pod ${printPod(pod)}`,
    );
    const message = `back-off ${printDuration(pauseMs)} restarting failed container=${container.name} pod=${printPod(pod)}`;
    throw new StartError("CrashLoopBackOff", message, { retryAfterMs: last.finishedAtMs + pauseMs - nowMs });
  }
  deps.restarts.next(key, last.finishedAtMs, nowMs);
}

async function createSandbox(deps: KubeletDeps, pod: Pod, config: SandboxConfig): Promise<string> {
  await mkdir(podLogDirectory(pod, deps.node.podLogsRoot), { recursive: true, mode: 0o755 });
  await deps.cgroups.ensure(pod);
  return deps.cri.runPodSandbox(config, await runtimeHandler(deps, pod));
}

/** What the runtime says is wrong with the pods' network; undefined if nothing is, or it does not say. */
async function whyNoNetwork({ cri }: KubeletDeps): Promise<string | undefined> {
  const status = await cri.status().catch(() => undefined);
  const network = status?.conditions.find(({ type }) => type === "NetworkReady");
  if (!network || network.status) return undefined;
  const { reason, message } = network;
  return `container runtime network not ready: NetworkReady=false reason:${reason} message:${message}`;
}

/** By the pod's RuntimeClass; empty is the runtime's default. @throws ApiError if there is no such class */
async function runtimeHandler({ api }: KubeletDeps, { spec }: Pod): Promise<string> {
  if (!spec.runtimeClassName) return "";
  const runtimeClass = await api.get(RUNTIME_CLASSES, spec.runtimeClassName);
  return String(runtimeClass["handler"] ?? "");
}

async function whyNoUserNamespace(deps: KubeletDeps, pod: Pod): Promise<string | undefined> {
  const [handler, { runtimeHandlers }] = await Promise.all([runtimeHandler(deps, pod), deps.cri.status()]);
  return whyUnsupported(runtimeHandlers, handler);
}

/**
 * Stops everything that runs of the pod: its containers within the grace period, then its sandboxes.
 * @param hurry aborted when the grace period was cut short
 */
export async function stopPod(
  deps: KubeletDeps,
  pod: Pod,
  observed: ObservedPod,
  grace: number,
  hurry?: AbortSignal,
): Promise<void> {
  const alive = observed.containers.filter(({ state }) => state === "running" || state === "unknown");
  await killContainers(deps, pod, alive, grace, hurry);
  await Promise.all(
    observed.sandboxes.filter(({ ready }) => ready).map(({ id }) => deps.cri.stopPodSandbox(id).catch(ignoreNotFound)),
  );
}

/** Takes every container away at once, so that the pod begins anew in its sandbox; their logs stay. */
export async function removeContainers(deps: KubeletDeps, pod: Pod, observed: ObservedPod): Promise<void> {
  const isOfDebugger = (name: string) => pod.spec.ephemeralContainers?.some((own) => own.name === name) === true;
  const known = observed.containers.filter(({ name }) => !isOfDebugger(name));
  const alive = known.filter(({ state }) => state === "running" || state === "unknown");
  await Promise.all(
    alive.map((instance) => killContainer(deps, pod, instance, { graceSeconds: 0, message: "killing" })),
  );
  for (const { id } of known) await deps.cri.removeContainer(id).catch(ignoreNotFound);
}

/** Initialization begins anew in a new sandbox. */
async function removeInitContainers({ cri }: KubeletDeps, pod: Pod, observed: ObservedPod): Promise<void> {
  const names = new Set((pod.spec.initContainers ?? []).map(({ name }) => name));
  for (const { id, name } of observed.containers) {
    if (names.has(name)) await cri.removeContainer(id).catch(ignoreNotFound);
  }
}
