import { type Json, jsonEqual } from "../../../../shared/api/json.ts";
import type { KubeObject } from "../../../../shared/api/object.ts";
import { missingRights, type PolicyRule } from "../../authz/index.ts";

export interface Role extends KubeObject {
  rules?: PolicyRule[] | null;
  aggregationRule?: { clusterRoleSelectors?: unknown[] };
}

interface Subject {
  kind: string;
  name: string;
  namespace?: string;
  apiGroup?: string;
}

export interface Binding extends KubeObject {
  roleRef: { apiGroup?: string; kind: string; name: string };
  subjects?: Subject[];
}

/** `replace`: a binding's role cannot change, so that it is deleted and made again. */
export type Change<T> = { update: T } | { replace: T } | undefined;

const AUTO_UPDATE = "rbac.authorization.kubernetes.io/autoupdate";
const isProtected = ({ metadata }: KubeObject) => metadata.annotations?.[AUTO_UPDATE] === "false";
const isSame = (a: unknown, b: unknown) => jsonEqual((a ?? null) as Json, (b ?? null) as Json);

/** Labels and annotations that the default has and the object has not; what somebody changed stays. */
function completeMetadata(present: KubeObject["metadata"], wanted: KubeObject["metadata"]): KubeObject["metadata"] {
  return {
    ...present,
    labels: { ...wanted.labels, ...present.labels },
    annotations: { ...wanted.annotations, ...present.annotations },
  };
}

/**
 * A default role gets back the rights that it lacks, and keeps what was added to it. Undefined: nothing to do, or the
 * role's annotation says to leave it alone.
 * @see component-helpers, auth/rbac/reconciliation
 */
export function reconcileRole(present: Role, wanted: Role): Change<Role> {
  if (isProtected(present)) return undefined;
  const role: Role = { ...present, metadata: completeMetadata(present.metadata, wanted.metadata) };
  const missing = missingRights(present.rules ?? [], wanted.rules ?? []);
  if (missing.length > 0) role.rules = [...(present.rules ?? []), ...missing];
  if (!wanted.aggregationRule) delete role.aggregationRule;
  else {
    const selectors = present.aggregationRule?.clusterRoleSelectors ?? [];
    const absent = (wanted.aggregationRule.clusterRoleSelectors ?? []).filter(
      (selector) => !selectors.some((own) => isSame(own, selector)),
    );
    if (absent.length > 0) role.aggregationRule = { clusterRoleSelectors: [...selectors, ...absent] };
  }
  return isSame(role, present) ? undefined : { update: role };
}

/** The same of a binding: it gets back the subjects that it lacks. */
export function reconcileBinding(present: Binding, wanted: Binding): Change<Binding> {
  if (isProtected(present)) return undefined;
  if (!isSame(present.roleRef, wanted.roleRef)) return { replace: wanted };
  const subjects = present.subjects ?? [];
  const missing = (wanted.subjects ?? []).filter((each) => !subjects.some((own) => isSame(own, each)));
  const binding: Binding = {
    ...present,
    metadata: completeMetadata(present.metadata, wanted.metadata),
    ...(missing.length > 0 ? { subjects: [...subjects, ...missing] } : {}),
  };
  return isSame(binding, present) ? undefined : { update: binding };
}
