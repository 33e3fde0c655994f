import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Container, ignoreNotFound, type Sandbox } from "../cri/index.ts";
import type { KubeletDeps } from "./deps.ts";
import * as names from "./names.ts";
import type { RuntimeSnapshot } from "./observe.ts";

const DEFAULT_GRACE_SECONDS = 30;

/** A pod that runs here and that the API has not: it was deleted while the agent was away. */
export interface Orphan {
  uid: string;
  sandboxes: Sandbox[];
  containers: Container[];
}

/** Only pods that this agent has made: another kubelet's in the same runtime are none of our business. */
export function findOrphans(snapshot: RuntimeSnapshot, uids: ReadonlySet<string>, instance: string): Orphan[] {
  const foreign = snapshot.sandboxes.filter(
    ({ metadata, annotations }) => annotations[names.INSTANCE_ANNOTATION] === instance && !uids.has(metadata.uid),
  );
  return [...Map.groupBy(foreign, ({ metadata }) => metadata.uid)].map(([uid, sandboxes]) => ({
    uid,
    sandboxes,
    containers: snapshot.containers.filter(({ podSandboxId }) => sandboxes.some(({ id }) => id === podSandboxId)),
  }));
}

/** Stops and removes an orphan with all that it has on the node. */
export async function removeOrphan(
  { cri, log, node, volumes, cgroups }: Pick<KubeletDeps, "cri" | "log" | "node" | "volumes" | "cgroups">,
  { uid, sandboxes, containers }: Orphan,
): Promise<void> {
  log("info", "removing a pod that the API does not know", { uid, containers: containers.length });
  await Promise.all(
    containers
      .filter(({ state }) => state === "CONTAINER_RUNNING")
      .map(({ id, annotations }) => cri.stopContainer(id, graceOf(annotations)).catch(ignoreNotFound)),
  );
  for (const { id } of containers) await cri.removeContainer(id).catch(ignoreNotFound);
  for (const { id, metadata } of sandboxes) {
    await cri.stopPodSandbox(id).catch(ignoreNotFound);
    await cri.removePodSandbox(id).catch(ignoreNotFound);
    await rm(join(node.podLogsRoot, `${metadata.namespace}_${metadata.name}_${metadata.uid}`), {
      recursive: true,
      force: true,
    });
  }
  await cgroups.remove(uid);
  await volumes.tearDown(uid);
}

/** Volumes whose pod is neither known nor in the runtime: left by a crash between the two. */
export async function removeOrphanVolumes(
  { volumes, log }: Pick<KubeletDeps, "volumes" | "log">,
  podsDirectory: string,
  uids: ReadonlySet<string>,
): Promise<void> {
  for (const uid of await readdir(podsDirectory).catch(() => [])) {
    if (uids.has(uid)) continue;
    log("info", "removing the volumes of a pod that is gone", { uid });
    await volumes.tearDown(uid);
  }
}

function graceOf(annotations: Record<string, string>): number {
  const seconds = Number(annotations[names.GRACE_PERIOD_ANNOTATION] ?? DEFAULT_GRACE_SECONDS);
  return Number.isFinite(seconds) ? seconds : DEFAULT_GRACE_SECONDS;
}
