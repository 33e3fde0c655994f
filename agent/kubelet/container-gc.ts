import { removeLog } from "../containerlogs/index.ts";
import { type Container, ignoreNotFound, type Sandbox } from "../cri/index.ts";
import type { KubeletDeps } from "./deps.ts";
import * as names from "./names.ts";
import type { RuntimeSnapshot } from "./observe.ts";

/** What is of no use any more in the pods that live on this node. */
export interface Garbage {
  containers: Container[];
  sandboxes: Sandbox[];
}

/**
 * Of each container one dead instance is kept, for `logs --previous` and lastState (RST-07). One that was created and never
 * started (we were killed between the two) goes when there is a newer one, and a sandbox when a newer
 * one has taken its place and nothing is left in it.
 * @param uids the pods that are looked after
 */
export function findGarbage({ sandboxes, containers }: RuntimeSnapshot, uids: ReadonlySet<string>): Garbage {
  const byName = groupBy(
    containers.filter(({ labels }) => uids.has(labels[names.POD_UID_LABEL] ?? "")),
    ({ labels, metadata }) => `${labels[names.POD_UID_LABEL]}/${metadata.name}`,
  );
  const byPod = groupBy(
    sandboxes.filter(({ metadata }) => uids.has(metadata.uid)),
    ({ metadata }) => metadata.uid,
  );
  const inUse = new Set(containers.map(({ podSandboxId }) => podSandboxId));
  return {
    containers: byName
      .map(newestFirst)
      .flatMap((instances) => [
        ...instances.filter(({ state }) => state === "CONTAINER_EXITED").slice(1),
        ...instances.slice(1).filter(({ state }) => state === "CONTAINER_CREATED"),
      ]),
    sandboxes: byPod.flatMap((group) =>
      newestFirst(group)
        .slice(1)
        .filter(({ id, state }) => state === "SANDBOX_NOTREADY" && !inUse.has(id)),
    ),
  };
}

/** By the count, as `byAttempt` does. */
const newestFirst = <T extends { metadata: { attempt: number } }>(list: T[]) =>
  [...list].sort((a, b) => b.metadata.attempt - a.metadata.attempt);

const groupBy = <T>(list: T[], keyOf: (item: T) => string): T[][] => [...Map.groupBy(list, keyOf).values()];

/** Removes what `findGarbage` finds. What cannot be removed now is found again. */
export async function collectGarbage(
  { cri, log, node }: Pick<KubeletDeps, "cri" | "log" | "node">,
  snapshot: RuntimeSnapshot,
  uids: ReadonlySet<string>,
): Promise<void> {
  const garbage = findGarbage(snapshot, uids);
  try {
    for (const container of garbage.containers) {
      await cri.removeContainer(container.id).catch(ignoreNotFound);
      await removeLog(names.containerLog(container, node.podLogsRoot));
    }
    for (const { id } of garbage.sandboxes) await cri.removePodSandbox(id).catch(ignoreNotFound);
  } catch (error) {
    log("warn", "cannot remove dead containers", { error: String(error) });
  }
}
