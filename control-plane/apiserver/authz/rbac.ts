import type { KubeObject } from "../../../shared/api/object.ts";
import type { UserInfo } from "../attributes.ts";
import type { ClusterReader } from "../cluster-reader.ts";
import { type Access, type Decision, NO_OPINION } from "./access.ts";

/** rbac/v1 PolicyRule. */
export interface PolicyRule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

/** rbac/v1 Subject. */
export interface Subject {
  kind: string;
  name: string;
  namespace?: string;
}

/** A binding with the rules it leads to. */
export interface Grant {
  /** As a review's reason names it. */
  binding: string;
  role: string;
  subjects: Subject[];
  rules: PolicyRule[];
}

export const RBAC_GROUP = "rbac.authorization.k8s.io";
const CLUSTER_ROLES = { group: RBAC_GROUP, resource: "clusterroles" };
const CLUSTER_ROLE_BINDINGS = { group: RBAC_GROUP, resource: "clusterrolebindings" };
const ROLES = { group: RBAC_GROUP, resource: "roles" };
const ROLE_BINDINGS = { group: RBAC_GROUP, resource: "rolebindings" };

interface Binding extends KubeObject {
  subjects?: Subject[];
  roleRef?: { kind: string; name: string };
}

/** Who is allowed by a Role or ClusterRole that is bound to them. It never forbids: it has no opinion. */
export async function authorizeByRoles(access: Access, reader: ClusterReader): Promise<Decision> {
  for await (const grant of grantsFor(access.user, access.namespace, reader)) {
    if (!grant.rules.some((rule) => ruleAllows(rule, access))) continue;
    const subject = grant.subjects.find((candidate) => isSubject(candidate, access.user, access.namespace))!;
    return {
      allowed: true,
      reason: `RBAC: allowed by ${grant.binding} of ${grant.role} to ${printSubject(subject)}`,
    };
  }
  return NO_OPINION;
}

/** Every grant that reaches a user in a namespace ("" for the cluster's scope), those of the whole cluster first. */
export async function* grantsFor(user: UserInfo, namespace: string, reader: ClusterReader): AsyncGenerator<Grant> {
  for (const binding of (await reader.list(CLUSTER_ROLE_BINDINGS)) as Binding[]) {
    if (reaches(binding.subjects, user, "")) {
      yield await grantOf(`ClusterRoleBinding ${JSON.stringify(binding.metadata.name)}`, binding, reader);
    }
  }
  if (namespace === "") return;
  for (const binding of (await reader.list(ROLE_BINDINGS, namespace)) as Binding[]) {
    if (reaches(binding.subjects, user, namespace)) {
      yield await grantOf(`RoleBinding ${JSON.stringify(`${binding.metadata.name}/${namespace}`)}`, binding, reader);
    }
  }
}

/** A binding whose role is not there grants nothing. */
async function grantOf(name: string, binding: Binding, reader: ClusterReader): Promise<Grant> {
  const { kind = "", name: roleName = "" } = binding.roleRef ?? {};
  return {
    binding: name,
    role: `${kind} ${JSON.stringify(roleName)}`,
    subjects: binding.subjects ?? [],
    rules: (await rulesOf({ kind, name: roleName }, binding.metadata.namespace, reader)) ?? [],
  };
}

/**
 * The rules of the role that a binding names.
 * @param namespace of the binding
 * @returns undefined when there is no such role
 */
export async function rulesOf(
  { kind, name }: { kind: string; name: string },
  namespace: string | undefined,
  reader: ClusterReader,
): Promise<PolicyRule[] | undefined> {
  const role = kind === "Role" ? await reader.get(ROLES, name, namespace) : await reader.get(CLUSTER_ROLES, name);
  return role && ((role.rules as PolicyRule[] | undefined | null) ?? []);
}

const reaches = (subjects: Subject[] | undefined, user: UserInfo, namespace: string): boolean =>
  (subjects ?? []).some((subject) => isSubject(subject, user, namespace));

/** @param namespace of the binding, for a service account that names none */
export function isSubject(subject: Subject, user: UserInfo, namespace: string): boolean {
  switch (subject.kind) {
    case "User":
      return user.username === subject.name;
    case "Group":
      return user.groups.includes(subject.name);
    case "ServiceAccount":
      return user.username === `system:serviceaccount:${subject.namespace || namespace}:${subject.name}`;
    default:
      return false;
  }
}

const printSubject = ({ kind, name, namespace }: Subject): string =>
  kind === "ServiceAccount" ? `${kind} ${JSON.stringify(`${name}/${namespace}`)}` : `${kind} ${JSON.stringify(name)}`;

/** @see component-helpers, auth/rbac/validation: VerbMatches and its neighbours */
export function ruleAllows(rule: PolicyRule, access: Access): boolean {
  if (!includes(rule.verbs, access.verb)) return false;
  if (!access.isResource) return (rule.nonResourceURLs ?? []).some((url) => urlMatches(url, access.path));
  if (!includes(rule.apiGroups, access.group)) return false;
  if (!(rule.resources ?? []).some((resource) => resourceMatches(resource, access))) return false;
  const names = rule.resourceNames ?? [];
  return names.length === 0 || names.includes(access.name);
}

const includes = (list: string[] | undefined, value: string): boolean =>
  list?.includes("*") === true || list?.includes(value) === true;

/** `*` is everything, `pods/log` one subresource, `*` + `/scale` the scale of every kind. */
function resourceMatches(pattern: string, { resource, subresource }: Access): boolean {
  if (pattern === "*") return true;
  const wanted = subresource === "" ? resource : `${resource}/${subresource}`;
  if (pattern === wanted) return true;
  return subresource !== "" && pattern === `*/${subresource}`;
}

const urlMatches = (pattern: string, path: string): boolean =>
  pattern === "*" || pattern === path || (pattern.endsWith("*") && path.startsWith(pattern.replace(/\*+$/, "")));
