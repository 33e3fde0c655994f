import { messageOf } from "../../shared/message-of.ts";
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
 * @param emptied those of them that have ended and of which nothing is kept: they were evicted, or the node needs the room
 */
export function findGarbage(
  { sandboxes, containers }: RuntimeSnapshot,
  uids: ReadonlySet<string>,
  emptied: ReadonlySet<string> = new Set(),
): Garbage {
  const kept = (uid: string) => (emptied.has(uid) ? 0 : 1);
  const uidOf = ({ labels }: Container) => labels[names.POD_UID_LABEL] ?? "";
  const byName = groupBy(
    containers.filter((container) => uids.has(uidOf(container))),
    (container) => `${uidOf(container)}/${container.metadata.name}`,
  );
  const byPod = groupBy(
    sandboxes.filter(({ metadata }) => uids.has(metadata.uid)),
    ({ metadata }) => metadata.uid,
  );
  const garbage = byName.map(newestFirst).flatMap((instances) => {
    const most = kept(uidOf(instances[0]!));
    return [
      ...instances.filter(({ state }) => state === "CONTAINER_EXITED").slice(most),
      ...instances.slice(most).filter(({ state }) => state === "CONTAINER_CREATED"),
    ];
  });
  const inUse = new Set(
    containers.filter((container) => !garbage.includes(container)).map(({ podSandboxId }) => podSandboxId),
  );
  return {
    containers: garbage,
    sandboxes: byPod.flatMap((group) =>
      newestFirst(group)
        .slice(kept(group[0]!.metadata.uid))
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
  emptied: ReadonlySet<string>,
): Promise<void> {
  const garbage = findGarbage(snapshot, uids, emptied);
  // One that cannot go holds up no other.
  const remove = async (id: string, step: () => Promise<void>) => {
    await step().catch((error: unknown) => {
      log("warn", "cannot remove what has ended", { id, error: messageOf(error) });
    });
  };
  for (const container of garbage.containers) {
    await remove(container.id, async () => {
      await cri.removeContainer(container.id).catch(ignoreNotFound);
      await removeLog(names.containerLog(container, node.podLogsRoot));
    });
  }
  for (const { id } of garbage.sandboxes) {
    await remove(id, async () => cri.removePodSandbox(id).catch(ignoreNotFound));
  }
}
