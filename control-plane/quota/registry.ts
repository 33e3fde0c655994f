import { type GroupResource, printGroupResource } from "../../shared/api/group-resource.ts";
import type { Evaluator } from "./evaluator.ts";
import { objectCountEvaluator } from "./object-count.ts";
import { persistentVolumeClaimEvaluator } from "./persistent-volume-claims.ts";
import { podEvaluator } from "./pods.ts";
import { resourceClaimEvaluator } from "./resource-claims.ts";
import { serviceEvaluator } from "./services.ts";

const EVALUATORS = new Map<string, Evaluator>([
  ["pods", podEvaluator],
  ["services", serviceEvaluator],
  ["persistentvolumeclaims", persistentVolumeClaimEvaluator],
  ["resourceclaims.resource.k8s.io", resourceClaimEvaluator],
]);

/** Not limited: they come and go by themselves, or store nothing. */
const IGNORED = new Set([
  "bindings",
  "componentstatuses",
  "events",
  "events.events.k8s.io",
  "tokenreviews.authentication.k8s.io",
  "selfsubjectreviews.authentication.k8s.io",
  "subjectaccessreviews.authorization.k8s.io",
  "selfsubjectaccessreviews.authorization.k8s.io",
  "localsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectrulesreviews.authorization.k8s.io",
]);

/** How the objects of a resource use quotas; undefined: they do not. */
export function evaluatorOf(resource: GroupResource): Evaluator | undefined {
  const id = printGroupResource(resource);
  if (IGNORED.has(id)) return undefined;
  return EVALUATORS.get(id) ?? objectCountEvaluator(resource);
}
