import type { Deployment, DeploymentStatus, ReplicaSet } from "../../../shared/api/types.ts";
import { newCondition, withCondition } from "./conditions.ts";
import type { Draft } from "./draft.ts";
import { sum, totalSize } from "./replica-sets.ts";
import { desiredReplicas, rollingLimits } from "./rolling-limits.ts";

/** Sums up the ReplicaSets; zeros are left out, as upstream does. Conditions: what the draft has, and Available. */
export function decideStatus(draft: Draft): DeploymentStatus {
  const { deployment: d, allRss, newRs, nowMs } = draft;
  const available = sum(allRss, (rs) => rs.status?.availableReplicas ?? 0);
  const isAvailable = available >= desiredReplicas(d) - rollingLimits(d).maxUnavailable;
  const condition = isAvailable
    ? newCondition(
        {
          type: "Available",
          status: "True",
          reason: "MinimumReplicasAvailable",
          message: "Deployment has minimum availability.",
        },
        nowMs,
      )
    : newCondition(
        {
          type: "Available",
          status: "False",
          reason: "MinimumReplicasUnavailable",
          message: "Deployment does not have minimum availability.",
        },
        nowMs,
      );
  return compact({
    observedGeneration: d.metadata.generation,
    replicas: sum(allRss, (rs) => rs.status?.replicas ?? 0),
    updatedReplicas: newRs?.status?.replicas ?? 0,
    readyReplicas: sum(allRss, (rs) => rs.status?.readyReplicas ?? 0),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, totalSize(allRss) - available),
    terminatingReplicas: terminating(allRss),
    conditions: withCondition(draft.conditions, condition),
    collisionCount: d.status?.collisionCount,
  });
}

/** Unknown while a ReplicaSet does not say (one that was not observed yet has none). */
function terminating(replicaSets: ReplicaSet[]): number | undefined {
  let total = 0;
  for (const { status } of replicaSets) {
    if (status?.terminatingReplicas !== undefined) total += status.terminatingReplicas;
    else if ((status?.observedGeneration ?? 0) !== 0) return undefined;
  }
  return total;
}

const POINTERS = new Set(["terminatingReplicas", "collisionCount"]);

/** Without undefined values, and without zeros save where zero and absent differ. */
export function compact(status: DeploymentStatus): DeploymentStatus {
  const entries = Object.entries(status).filter(
    ([name, value]) => value !== undefined && (value !== 0 || POINTERS.has(name)),
  );
  return Object.fromEntries(entries) as DeploymentStatus;
}

export const isSameStatus = (a: Deployment["status"], b: DeploymentStatus): boolean =>
  stable(compact(a ?? {})) === stable(compact(b));

const stable = (status: DeploymentStatus): string =>
  JSON.stringify(
    Object.entries(status).sort(([a], [b]) => (a < b ? -1 : 1)),
    (_key, value: unknown) =>
      value && typeof value === "object" && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
  );
