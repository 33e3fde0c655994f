import { parseInt64 } from "../../../shared/api/int64.ts";
import type { Deployment, ReplicaSet } from "../../../shared/api/types.ts";
import { byRevision } from "./replica-sets.ts";
import { ROLLBACK_TO, revisionOf, withAnnotationsOf } from "./revision.ts";
import { isSameTemplate, POD_TEMPLATE_HASH } from "./same-template.ts";

export interface Rollback {
  /** The Deployment to write: rolled back or not, the request is taken off it. */
  deployment: Deployment;
  event: { type: "Normal" | "Warning"; reason: string; message: string };
}

/** The revision that the annotation of extensions/v1beta1 asks for; 0 means the last but one. Not a number: ignored. */
export const requestedRevision = (d: Deployment): bigint | undefined =>
  parseInt64(d.metadata.annotations?.[ROLLBACK_TO] ?? "");

/** Back to the template and the annotations of an earlier ReplicaSet. */
export function decideRollback(d: Deployment, requested: bigint, replicaSets: ReplicaSet[]): Rollback {
  const revision = requested === 0n ? lastRevision(replicaSets) : requested;
  if (revision === 0n) return giveUp(d, "RevisionNotFound", "Unable to find last revision.");
  const rs = replicaSets.find((candidate) => revisionOf(candidate) === revision);
  if (!rs) return giveUp(d, "RevisionNotFound", "Unable to find the revision to rollback to.");
  const template = rs.spec.template ?? {};
  if (isSameTemplate(template, d.spec.template)) {
    const message = `The rollback revision contains the same template as current deployment "${d.metadata.name}"`;
    return giveUp(d, "TemplateUnchanged", message);
  }
  const { [POD_TEMPLATE_HASH]: _hash, ...labels } = template.metadata?.labels ?? {};
  const rolledBack: Deployment = {
    ...withAnnotationsOf(d, rs),
    spec: { ...d.spec, template: { ...template, metadata: { ...template.metadata, labels } } },
  };
  return {
    deployment: withoutRequest(rolledBack),
    event: {
      type: "Normal",
      reason: "DeploymentRollback",
      message: `Rolled back deployment "${d.metadata.name}" to revision ${revision}`,
    },
  };
}

function giveUp(d: Deployment, why: string, message: string): Rollback {
  return {
    deployment: withoutRequest(d),
    event: { type: "Warning", reason: `DeploymentRollback${why}`, message },
  };
}

function withoutRequest(d: Deployment): Deployment {
  const { [ROLLBACK_TO]: _request, ...annotations } = d.metadata.annotations ?? {};
  return { ...d, metadata: { ...d.metadata, annotations } };
}

/** The second highest revision; 0 when there is none. */
function lastRevision(replicaSets: ReplicaSet[]): bigint {
  const [, second] = [...replicaSets].sort((a, b) => byRevision(b, a));
  return second ? revisionOf(second) : 0n;
}
