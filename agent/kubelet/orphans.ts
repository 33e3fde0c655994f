import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../shared/message-of.ts";
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

type OrphanDeps = Pick<KubeletDeps, "cri" | "log" | "node" | "volumes" | "cgroups">;

/** Orphans on their way out. Bounded by what the runtime has. */
export interface OrphanRemoval {
  /** Begins with those that are not being removed yet. One that cannot be removed is to be handed in again. */
  start(orphans: readonly Orphan[]): void;
  /** Of those that are being removed. */
  uids(): string[];
  /** Settles when all of them are gone, or could not be removed. */
  settled(): Promise<void>;
}

/** Each at its own pace: one may take its whole grace period, and one that cannot be removed holds up no other. */
export function createOrphanRemoval(deps: OrphanDeps): OrphanRemoval {
  const removing = new Map<string, Promise<void>>();
  return {
    start(orphans) {
      for (const orphan of orphans) {
        const { uid } = orphan;
        if (removing.has(uid)) continue;
        const removed = removeOrphan(deps, orphan)
          .catch((error: unknown) => {
            deps.log("warn", "cannot remove a pod that the API does not know", { uid, error: messageOf(error) });
          })
          .finally(() => removing.delete(uid));
        removing.set(uid, removed);
      }
    },
    uids: () => [...removing.keys()],
    async settled() {
      await Promise.all(removing.values());
    },
  };
}

/** Stops and removes an orphan with all that it has on the node. */
async function removeOrphan(
  { cri, log, node, volumes, cgroups }: OrphanDeps,
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

/**
 * Volumes whose pod is neither known nor in the runtime: left by a crash between the two.
 * @throws Error if some cannot be removed, after all were tried
 */
export async function removeOrphanVolumes(
  { volumes, log }: Pick<KubeletDeps, "volumes" | "log">,
  podsDirectory: string,
  uids: ReadonlySet<string>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const uid of await readdir(podsDirectory).catch(() => [])) {
    if (uids.has(uid)) continue;
    log("info", "removing the volumes of a pod that is gone", { uid });
    await volumes.tearDown(uid).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

function graceOf(annotations: Record<string, string>): number {
  const seconds = Number(annotations[names.GRACE_PERIOD_ANNOTATION] ?? DEFAULT_GRACE_SECONDS);
  return Number.isFinite(seconds) ? seconds : DEFAULT_GRACE_SECONDS;
}
