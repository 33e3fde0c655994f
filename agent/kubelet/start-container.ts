import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../shared/message-of.ts";
import { type ConfigMap, type Container, isStatic, type Pod, type Secret } from "../api/index.ts";
import { CriError, type ImageSpec, type Mount, type SandboxConfig, type UserNamespace } from "../cri/index.ts";
import { containerMounts, type ReadyVolume } from "../volumes/index.ts";
import { renderContainerConfig } from "./container-config.ts";
import type { KubeletDeps } from "./deps.ts";
import { environmentReferences, expandSubPath, resolveEnvironment } from "./environment.ts";
import { pullImageVolumes } from "./image-volumes.ts";
import { pullCredentials } from "./images/index.ts";
import { killContainer } from "./kill-containers.ts";
import { runHook } from "./lifecycle-hook.ts";
import { podHostname, podLogDirectory } from "./names.ts";
import { findContainer, type ObservedPod } from "./observed.ts";
import { serviceVariables } from "./service-variables.ts";
import { StartError } from "./start-error.ts";
import { unlessAborted } from "./unless-aborted.ts";

/** Seconds; a postStart hook has no limit upstream, and this is far over what one needs. */
const POST_START_TIMEOUT = 600;

export interface StartTarget {
  pod: Pod;
  observed: ObservedPod;
  sandboxId: string;
  sandboxConfig: SandboxConfig;
  userNamespace: UserNamespace;
  podIps: string[];
  volumes: ReadonlyMap<string, ReadyVolume>;
  /** Aborted when the pod is to be stopped: nothing more is started. */
  signal: AbortSignal;
}

/**
 * Pulls the image, creates and starts the container, and runs its postStart hook, each with its event.
 * @returns the container's id
 * @throws StartError with the waiting reason
 */
export async function startContainer(deps: KubeletDeps, target: StartTarget, container: Container): Promise<string> {
  const { cri, events } = deps;
  const { pod } = target;
  const note = events.forContainer(pod, container);
  const { image, imageVolumes } = await pullImages(deps, target, container).catch((error: unknown) => {
    if (error instanceof StartError) note("Warning", "Failed", `Error: ${shortMessage(error)}`);
    throw error;
  });

  target.signal.throwIfAborted();

  const restartCount = await nextRestartCount(deps, target, container);
  const config = await attempt("CreateContainerConfigError", async () => {
    const environment = await makeEnvironment(deps, target, container);
    return renderContainerConfig({
      pod,
      container,
      restartCount,
      imageRef: image.ref,
      imageUser: image.user,
      seccompDefault: deps.settings.seccompDefault,
      environment,
      mounts: await makeMounts(deps, target, container, { environment, restartCount, imageVolumes }),
      userNamespace: target.userNamespace,
      pinned: deps.pinning.resourcesOf(pod.metadata.uid, container),
      node: deps.node,
    });
  });
  await mkdir(join(podLogDirectory(pod, deps.node.podLogsRoot), container.name), { recursive: true, mode: 0o755 });
  const id = await attempt("CreateContainerError", () =>
    cri.createContainer(target.sandboxId, config, target.sandboxConfig),
  );
  note("Normal", "Created", "Container created");
  await attempt("RunContainerError", () => cri.startContainer(id));
  note("Normal", "Started", "Container started");

  const postStart = container.lifecycle?.postStart;
  if (!postStart) return id;
  const hook = runHook(deps, { pod, container, containerId: id }, postStart, POST_START_TIMEOUT);
  await unlessAborted(hook, target.signal).catch(async (cause: unknown) => {
    note("Warning", "FailedPostStartHook", "PostStartHook failed");
    // It is stopped with its pod.
    target.signal.throwIfAborted();
    const graceSeconds = pod.spec.terminationGracePeriodSeconds ?? 30;
    await killContainer(deps, pod, { id, name: container.name }, { graceSeconds, message: "FailedPostStartHook" });
    throw new StartError("PostStartHookError", messageOf(cause), { cause });
  });
  return id;

  async function attempt<T>(reason: StartError["reason"], step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (cause) {
      const message = cause instanceof CriError ? cause.detail : messageOf(cause);
      note("Warning", "Failed", `Error: ${message}`);
      throw new StartError(reason, message, { cause });
    }
  }
}

/** The container's own image, and those that it mounts. */
async function pullImages(deps: KubeletDeps, target: StartTarget, container: Container) {
  const { pod, sandboxConfig: sandbox, signal } = target;
  const imageVolumes = await pullImageVolumes(deps, target, container);
  const credentials = () => pullCredentials(deps.objects, pod, container);
  return { imageVolumes, image: await deps.images.ensure({ pod, container, sandbox, credentials, signal }) };
}

/** The event after a failed pull names the reason alone: the pull's own event has told the rest. */
const shortMessage = (error: StartError) => error.reason;

/**
 * One more than the last instance's. When the runtime has lost them (after a reboot, say) the log files still tell how
 * many there were, so that none is overwritten.
 */
async function nextRestartCount(
  { node }: KubeletDeps,
  { pod, observed }: StartTarget,
  { name }: Container,
): Promise<number> {
  const last = findContainer(observed, name);
  if (last) return last.restartCount + 1;
  const files = await readdir(join(podLogDirectory(pod, node.podLogsRoot), name)).catch(() => []);
  const counts = files.map((file) => /^(\d+)\.log/.exec(file)?.[1]).filter((count) => count !== undefined);
  return counts.length === 0 ? 0 : Math.max(...counts.map(Number)) + 1;
}

async function makeEnvironment(deps: KubeletDeps, { pod, podIps }: StartTarget, container: Container) {
  const { namespace } = pod.metadata;
  const references = environmentReferences(container);
  const configMaps = new Map<string, ConfigMap>();
  const secrets = new Map<string, Secret>();
  for (const name of references.configMaps) {
    const configMap = await deps.objects.configMap(pod, name);
    if (configMap) configMaps.set(name, configMap);
  }
  for (const name of references.secrets) {
    const secret = await deps.objects.secret(pod, name);
    if (secret) secrets.set(name, secret);
  }
  return resolveEnvironment(pod, container, {
    configMaps,
    secrets,
    serviceVariables: serviceVariables(await deps.services.list(isStatic(pod)), {
      namespace,
      enableServiceLinks: pod.spec.enableServiceLinks ?? true,
    }),
    addresses: { hostIps: deps.node.hostIps, podIps },
    allocatable: deps.allocatable(),
  });
}

async function makeMounts(
  { cri, volumes, node }: KubeletDeps,
  target: StartTarget,
  container: Container,
  {
    environment,
    restartCount,
    imageVolumes,
  }: {
    environment: ReadonlyMap<string, string>;
    restartCount: number;
    imageVolumes: ReadonlyMap<string, ImageSpec>;
  },
): Promise<Mount[]> {
  const { pod, podIps } = target;
  const mounts = await containerMounts(container, target.volumes, {
    images: imageVolumes,
    expandSubPath: (expression) => expandSubPath(expression, environment),
    hasRecursiveReadOnly: async () => {
      const { status } = await cri.podSandboxStatus(target.sandboxId);
      const { runtimeHandlers } = await cri.status();
      const handler = runtimeHandlers.find(({ name }) => name === status.runtimeHandler);
      return handler?.features?.recursiveReadOnlyMounts ?? false;
    },
    pin: (root, path, slot) => volumes.pin(pod.metadata.uid, root, path, slot),
  });
  const isMounted = (path: string) => mounts.some(({ containerPath }) => containerPath === path);
  if (!isMounted("/etc/hosts")) {
    const names = podHostname(pod, node.dns.domain);
    mounts.push({ containerPath: "/etc/hosts", hostPath: await volumes.writeHostsFile(pod, { ...names, podIps }) });
  }
  const messagePath = container.terminationMessagePath;
  if (messagePath && !isMounted(messagePath)) {
    const hostPath = await volumes.terminationLog(pod.metadata.uid, container.name, restartCount);
    mounts.push({ containerPath: messagePath, hostPath });
  }
  return mounts;
}
