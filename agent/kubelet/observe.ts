import type { Container, ContainerStatus, CriClient, Sandbox } from "../cri/index.ts";
import { ignoreNotFound } from "../cri/index.ts";
import * as names from "./names.ts";
import { byAttempt, type ObservedContainer, type ObservedPod, type ObservedSandbox } from "./observed.ts";
import { readTail } from "./read-tail.ts";
import { readTerminationMessage } from "./termination-message.ts";

const NANOS_PER_MS = 1e6;

/** One line for each sandbox and container: what a relist compares. */
export interface RuntimeSnapshot {
  sandboxes: Sandbox[];
  containers: Container[];
}

export async function snapshotRuntime(cri: CriClient): Promise<RuntimeSnapshot> {
  const [sandboxes, containers] = await Promise.all([cri.listPodSandbox(), cri.listContainers()]);
  return { sandboxes, containers };
}

interface SeenStates {
  sandboxes: Pick<Sandbox, "id" | "state" | "metadata">[];
  containers: Pick<Container, "id" | "state" | "labels">[];
}

/** The state of each pod in a snapshot as a text: it changes when something of the pod has changed. */
export function fingerprints({ sandboxes, containers }: SeenStates): Map<string, string> {
  const parts = new Map<string, string[]>();
  const add = (uid: string | undefined, part: string) => {
    if (!uid) return;
    const list = parts.get(uid);
    if (list) list.push(part);
    else parts.set(uid, [part]);
  };
  for (const { id, state, metadata } of sandboxes) add(metadata.uid, `${id}:${state}`);
  for (const { id, state, labels } of containers) add(labels[names.POD_UID_LABEL], `${id}:${state}`);
  return new Map([...parts].map(([uid, list]) => [uid, list.sort().join(",")]));
}

/** What `fingerprints` would say of a pod that was seen in full. */
export function fingerprintOf({ sandboxes, containers }: ObservedPod): string {
  return [
    ...sandboxes.map(({ id, ready }) => `${id}:${ready ? "SANDBOX_READY" : "SANDBOX_NOTREADY"}`),
    ...containers.map(({ id, state }) => `${id}:CONTAINER_${state.toUpperCase()}`),
  ]
    .sort()
    .join(",");
}

/** The pod with a sandbox that was just made: one question, where all of it would take several. */
export async function withNewSandbox(cri: CriClient, observed: ObservedPod, id: string): Promise<ObservedPod> {
  const response = await cri.podSandboxStatus(id);
  const sandbox = await observeSandbox(cri, response.status, response);
  return { ...observed, sandboxes: sandbox ? [sandbox, ...observed.sandboxes] : observed.sandboxes };
}

/** The pod with a container that was just started. */
export async function withNewContainer(
  cri: CriClient,
  observed: ObservedPod,
  { id, sandboxId }: { id: string; sandboxId: string },
): Promise<ObservedPod> {
  const response = await cri.containerStatus(id);
  const container = await observeContainer(
    cri,
    { id, podSandboxId: sandboxId, metadata: response.status.metadata },
    response,
  );
  return { ...observed, containers: container ? [container, ...observed.containers] : observed.containers };
}

/** Everything the runtime has of a pod. What vanishes while it is looked at is left out. */
export async function observePod(cri: CriClient, uid: string): Promise<ObservedPod> {
  const labelSelector = { [names.POD_UID_LABEL]: uid };
  const [sandboxes, containers] = await Promise.all([
    cri.listPodSandbox({ labelSelector }),
    cri.listContainers({ labelSelector }),
  ]);
  const [observedSandboxes, observedContainers] = await Promise.all([
    Promise.all(sandboxes.map((sandbox) => observeSandbox(cri, sandbox))),
    Promise.all(containers.map((container) => observeContainer(cri, container))),
  ]);
  const { name = "", namespace = "" } = sandboxes[0]?.metadata ?? {};
  return {
    uid,
    name,
    namespace,
    sandboxes: observedSandboxes.filter((sandbox) => sandbox !== undefined).sort(byAttempt(({ attempt }) => attempt)),
    containers: observedContainers
      .filter((container) => container !== undefined)
      .sort(byAttempt(({ restartCount }) => restartCount)),
  };
}

async function observeSandbox(
  cri: CriClient,
  { id, metadata, createdAt }: Pick<Sandbox, "id" | "metadata" | "createdAt">,
  known?: Awaited<ReturnType<CriClient["podSandboxStatus"]>>,
): Promise<ObservedSandbox | undefined> {
  const response = known ?? (await cri.podSandboxStatus(id).catch(ignoreNotFound));
  if (!response) return undefined;
  const { status } = response;
  const ips = [status.network?.ip, ...(status.network?.additionalIps ?? []).map(({ ip }) => ip)];
  return {
    id,
    attempt: metadata.attempt,
    ready: status.state === "SANDBOX_READY",
    createdAtMs: createdAt / NANOS_PER_MS,
    hostNetwork: status.linux?.namespaces?.options?.network === "NODE",
    ips: podIps(ips.filter((ip): ip is string => ip !== undefined && ip !== "")),
  };
}

/** The first of each family. */
const podIps = (ips: string[]): string[] =>
  ips.filter((ip, i) => ips.findIndex((other) => other.includes(":") === ip.includes(":")) === i);

const STATES = {
  CONTAINER_CREATED: "created",
  CONTAINER_RUNNING: "running",
  CONTAINER_EXITED: "exited",
  CONTAINER_UNKNOWN: "unknown",
} as const;

async function observeContainer(
  cri: CriClient,
  container: Pick<Container, "id" | "podSandboxId" | "metadata">,
  known?: Awaited<ReturnType<CriClient["containerStatus"]>>,
): Promise<ObservedContainer | undefined> {
  const response = known ?? (await cri.containerStatus(container.id).catch(ignoreNotFound));
  if (!response) return undefined;
  const { status } = response;
  return {
    id: container.id,
    name: container.metadata.name,
    sandboxId: container.podSandboxId,
    state: STATES[status.state],
    createdAtMs: status.createdAt / NANOS_PER_MS,
    startedAtMs: status.startedAt / NANOS_PER_MS,
    finishedAtMs: status.finishedAt / NANOS_PER_MS,
    exitCode: status.exitCode,
    reason: status.reason,
    message: status.state === "CONTAINER_EXITED" ? await terminationMessage(status) : status.message,
    image: status.image?.image ?? "",
    imageRef: status.imageRef,
    imageId: status.imageId || status.imageRef,
    restartCount: Number(status.annotations[names.RESTART_COUNT_ANNOTATION] ?? status.metadata.attempt),
    hash: status.annotations[names.HASH_ANNOTATION] ?? "",
    logPath: status.logPath,
    recursiveReadOnly: status.mounts.filter((mount) => mount.recursiveReadOnly).map((mount) => mount.containerPath),
    ...(status.user?.linux && { user: status.user.linux }),
  };
}

async function terminationMessage(status: ContainerStatus): Promise<string> {
  const path = status.annotations[names.TERMINATION_PATH_ANNOTATION];
  const written = await readTerminationMessage(
    {
      file: status.mounts.find(({ containerPath }) => containerPath === path)?.hostPath,
      logFile: status.logPath,
      fallsBackToLogs:
        status.annotations[names.TERMINATION_POLICY_ANNOTATION] === "FallbackToLogsOnError" && status.exitCode !== 0,
    },
    readTail,
  );
  return [status.message, written].filter(Boolean).join(": ");
}
