/**
 * The rules of the built-in kinds that a schema cannot say: defaults that depend on other fields, what a client may not
 * set or change, validation in upstream's words, allocations. Pure: no store, no clock, no client. Admission (what
 * depends on other objects or on the cluster) is not here.
 */
import type { GroupResource } from "../../../shared/api/group-resource.ts";
import { checkPathSegment, type NameRule } from "../../../shared/api/names.ts";
import type { KubeObject, ObjectMeta } from "../../../shared/api/object.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../../../shared/api/object-meta.ts";
import type { StatusCause } from "../../../shared/api/status.ts";
import { validateStandardFinalizers } from "./finalizers.ts";
import { strategies } from "./registry.ts";
import { RESETTABLE_META, type ResettableMeta, type Strategy } from "./strategy.ts";

export {
  prepareApproval,
  prepareIssued,
  validateApproval,
  validateIssued,
} from "./cluster/certificate-approval.ts";
export { validateEphemeralContainersUpdate } from "./core/ephemeral-containers.ts";
export { validateFinalize } from "./core/namespace.ts";
export { BETA_STORAGE_CLASS } from "./core/persistent-volume-claim.ts";
export { validateBinding } from "./core/pod.ts";
export { validateResize } from "./core/pod-resize.ts";
export { ipClaim } from "./core/service-addresses.ts";
export { BUILT_IN_LEVELS, BUILT_IN_SCHEMAS } from "./flowcontrol/built-in.ts";
export type { AllocationContext, Strategy } from "./strategy.ts";

const NO_RULES: Strategy = {};

/** The rules of a resource; a kind without any gets an empty strategy. */
export function strategyFor({ group, resource }: GroupResource): Strategy {
  return strategies[group === "" ? resource : `${resource}.${group}`] ?? NO_RULES;
}

/** All checks of a create, ObjectMeta first. Defaults are set, `prepareForCreate` has run, the name is generated. */
export function validateForCreate(strategy: Strategy, object: KubeObject, namespaced: boolean): StatusCause[] {
  if (strategy.checksMetaLast) {
    const causes = strategy.validate?.(object) ?? [];
    return causes.length > 0 ? causes : validateObjectMeta(object.metadata, { namespaced, nameRule: pathSegmentRule });
  }
  const causes = validateObjectMeta(object.metadata, { namespaced, nameRule: strategy.nameRule });
  causes.push(...checkFinalizers(strategy, object));
  if (strategy.validate) causes.push(...strategy.validate(object));
  return causes;
}

const checkFinalizers = ({ allowsAnyFinalizer }: Strategy, { metadata }: KubeObject) =>
  allowsAnyFinalizer ? [] : validateStandardFinalizers(metadata);

const pathSegmentRule: NameRule = (name) => checkPathSegment(name);

/**
 * All checks of an update. ObjectMeta is checked as often as upstream does it (once for all kinds, once in the kind's
 * own rules), because clients see the repeated causes.
 */
export function validateForUpdate(
  strategy: Strategy,
  object: KubeObject,
  old: KubeObject,
  namespaced: boolean,
): StatusCause[] {
  const causes = validateObjectMeta(object.metadata, { namespaced, nameRule: pathSegmentRule });
  const update = validateObjectMetaUpdate(object.metadata, old.metadata);
  causes.push(...update);
  if (!strategy.checksMetaUpdateOnce) causes.push(...update, ...checkFinalizers(strategy, object));
  for (let times = Number(strategy.checksMetaAgain ?? 0); times > 0; times--) {
    const { nameRule } = strategy;
    causes.push(...validateObjectMeta(object.metadata, { namespaced, nameRule }), ...checkFinalizers(strategy, object));
  }
  if (strategy.validateUpdate) causes.push(...strategy.validateUpdate(object, old));
  else if (strategy.validate) causes.push(...strategy.validate(object));
  return causes;
}

/** All checks of a write to the status subresource. */
export function validateForStatusUpdate(
  strategy: Strategy,
  object: KubeObject,
  old: KubeObject,
  namespaced: boolean,
): StatusCause[] {
  if (strategy.checksStatusAsUpdate) return validateForUpdate(strategy, object, old, namespaced);
  const causes = validateObjectMeta(object.metadata, { namespaced, nameRule: pathSegmentRule });
  const update = validateObjectMetaUpdate(object.metadata, old.metadata);
  causes.push(...update);
  if (!strategy.checksStatusMetaOnce) causes.push(...update, ...checkFinalizers(strategy, object));
  if (strategy.validateStatusUpdate) causes.push(...strategy.validateStatusUpdate(object, old));
  return causes;
}

/**
 * Makes `object`, sent to the status subresource, differ from `old` in its status alone (and in metadata, unless the
 * kind says otherwise).
 */
export function prepareForStatusUpdate(strategy: Strategy, object: KubeObject, old: KubeObject, nowMs: number): void {
  for (const field of Object.keys(object)) {
    if (field !== "metadata" && field !== "status" && field !== "kind" && field !== "apiVersion") delete object[field];
  }
  for (const [field, value] of Object.entries(old)) {
    if (field !== "metadata" && field !== "status" && field !== "kind" && field !== "apiVersion") object[field] = value;
  }
  const kept = strategy.metaKeptFromStatus ?? [];
  for (const field of kept === "all" ? RESETTABLE_META : kept) keepMeta(object.metadata, old.metadata, field);
  strategy.prepareForStatusUpdate?.(object, old, nowMs);
}

function keepMeta<K extends ResettableMeta>(metadata: ObjectMeta, old: ObjectMeta, field: K): void {
  if (old[field] === undefined) delete metadata[field];
  else metadata[field] = old[field];
}
