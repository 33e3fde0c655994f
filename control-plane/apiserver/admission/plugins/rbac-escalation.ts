import type { KubeObject } from "../../../../shared/api/object.ts";
import { type ApiError, notFound } from "../../../../shared/api/status.ts";
import type { Access } from "../../authz/access.ts";
import { MASTERS } from "../../authz/access.ts";
import { authorizeByRoles, grantsFor, type PolicyRule, RBAC_GROUP, rulesOf } from "../../authz/rbac.ts";
import { ALL_RIGHTS, missingRights, printQuoted, printRights } from "../../authz/rule-cover.ts";
import { sameObject } from "../../object-text.ts";
import { type AdmissionPlugin, type AdmissionRequest, refuse, targetOf } from "../plugin.ts";

const ROLES = new Set([`roles.${RBAC_GROUP}`, `clusterroles.${RBAC_GROUP}`]);
const BINDINGS = new Set([`rolebindings.${RBAC_GROUP}`, `clusterrolebindings.${RBAC_GROUP}`]);

interface Role extends KubeObject {
  rules?: PolicyRule[] | null;
  aggregationRule?: { clusterRoleSelectors?: unknown[] } | null;
}

interface Binding extends KubeObject {
  roleRef?: { apiGroup?: string; kind?: string; name?: string };
}

/**
 * Nobody gives away rights that they do not hold: neither in a role (save with the verb `escalate`) nor by a binding
 * (save with `bind` on the role). Upstream does this in the storage of these four kinds, before validation.
 * @see kubernetes, pkg/registry/rbac: policybased storage
 */
export const rbacEscalation: AdmissionPlugin = {
  name: "RBACEscalation",

  admit(request) {
    if (request.attributes.resource.group !== RBAC_GROUP || request.operation === "DELETE") return;
    if (request.user.groups.includes(MASTERS)) return;
    const target = targetOf(request.attributes);
    if (ROLES.has(target)) return admitRole(request);
    if (BINDINGS.has(target)) return admitBinding(request);
  },
};

async function admitRole(request: AdmissionRequest): Promise<void> {
  const { attributes, object, old } = request;
  const { resource, name = "" } = attributes;
  if (await may(request, { verb: "escalate", resource: resource.resource, name })) return;
  if (changesOnlyOwnership(request)) return;
  const { rules } = object as Role;
  await requireHeld(request, rules ?? []);
  if (!isAggregated(object as Role) && !(old && isAggregated(old as Role))) return;
  if ((await missing(request, ALL_RIGHTS)).length === 0) return;
  // It gathers whatever rules there will be.
  throw refuse(request, "must have cluster-admin privileges to use the aggregationRule");
}

const isAggregated = ({ aggregationRule }: Role) => (aggregationRule?.clusterRoleSelectors ?? []).length > 0;

async function admitBinding(request: AdmissionRequest): Promise<void> {
  const { attributes, object, reader } = request;
  if (changesOnlyOwnership(request)) return;
  const { kind = "", name = "" } = (object as Binding).roleRef ?? {};
  if ((kind !== "Role" && kind !== "ClusterRole") || name === "") return; // which validation refuses
  const resource = kind === "Role" ? "roles" : "clusterroles";
  if (await may(request, { verb: "bind", resource, name })) return;
  const rules = await rulesOf({ kind, name }, attributes.namespace, reader);
  if (!rules) throw notFound(attributes.resource, name);
  await requireHeld(request, rules);
}

async function may({ user, attributes, reader }: AdmissionRequest, wish: Pick<Access, "verb" | "resource" | "name">) {
  const { namespace = "" } = attributes;
  const base = { user, isResource: true, group: RBAC_GROUP, version: "*", subresource: "", namespace, path: "" };
  return (await authorizeByRoles({ ...base, ...wish }, reader)).allowed;
}

/** @throws ApiError 403 that lists what the user does not hold */
async function requireHeld(request: AdmissionRequest, wanted: PolicyRule[]): Promise<void> {
  const lacking = await missing(request, wanted);
  if (lacking.length > 0) throw notHeld(request, lacking);
}

async function missing({ user, attributes, reader }: AdmissionRequest, wanted: PolicyRule[]): Promise<PolicyRule[]> {
  const held: PolicyRule[] = [];
  for await (const grant of grantsFor(user, attributes.namespace ?? "", reader)) held.push(...grant.rules);
  return missingRights(held, wanted);
}

function notHeld(request: AdmissionRequest, lacking: PolicyRule[]): ApiError {
  const { username, groups } = request.user;
  const who = `user ${JSON.stringify(username)} (groups=${printQuoted(groups)})`;
  return refuse(request, `${who} is attempting to grant RBAC permissions not currently held:\n${printRights(lacking)}`);
}

/** What the garbage collector writes must never need the rights of the role. */
function changesOnlyOwnership({ object, old }: AdmissionRequest): boolean {
  if (!old) return false;
  const { ownerReferences, finalizers, managedFields } = old.metadata;
  const metadata = { ...object!.metadata, ownerReferences, finalizers, managedFields };
  return sameObject({ ...object, metadata }, old);
}
