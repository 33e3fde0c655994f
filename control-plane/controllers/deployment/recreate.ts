import { isPodTerminal } from "../../../shared/api/pod-phase.ts";
import type { Pod } from "../../../shared/api/types.ts";
import type { Draft } from "./draft.ts";
import { syncNewReplicaSet } from "./new-replica-set.ts";
import { activeOnly, sum } from "./replica-sets.ts";
import { desiredReplicas } from "./rolling-limits.ts";

/**
 * Recreate: the old go to zero, and only when their last pod has ended the new one is made (DEP-22).
 * @param podsOf the pods a ReplicaSet (by uid) controls, those being deleted too
 */
export function recreate(draft: Draft, podsOf: Map<string, Pod[]>): { mayCleanUp: boolean } {
  const old = activeOnly(draft.oldRss);
  if (old.length > 0) {
    for (const rs of old) draft.scale(rs, 0);
    return { mayCleanUp: false };
  }
  if (areOldPodsRunning(draft, podsOf)) return { mayCleanUp: false };
  if (!draft.newRs) syncNewReplicaSet(draft, { create: true });
  if (draft.newRs) draft.scale(draft.newRs, desiredReplicas(draft.deployment));
  return { mayCleanUp: true };
}

function areOldPodsRunning({ newRs, oldRss }: Draft, podsOf: Map<string, Pod[]>): boolean {
  if (sum(oldRss, (rs) => rs.status?.replicas ?? 0) > 0) return true;
  for (const [uid, pods] of podsOf) if (uid !== newRs?.metadata.uid && !pods.every(isPodTerminal)) return true;
  return false;
}
