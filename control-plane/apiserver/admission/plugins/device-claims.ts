import { fieldForbidden } from "../../../../shared/api/field-error.ts";
import type { KubeObject } from "../../../../shared/api/object.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { ResourceClaim, ResourceClaimTemplate } from "../../../../shared/api/types.ts";
import { type Access, MASTERS } from "../../authz/access.ts";
import { authorizeByRoles } from "../../authz/rbac.ts";
import { refusal } from "../../authz/refusal.ts";
import { sameObject } from "../../object-text.ts";
import { type AdmissionPlugin, type AdmissionRequest, targetOf } from "../plugin.ts";
import { associatedNode, changedDrivers } from "./device-claim-changes.ts";

const GROUP = "resource.k8s.io";
const NAMESPACES = { group: "", resource: "namespaces" };
const ADMIN_ACCESS = "resource.kubernetes.io/admin-access";

type Status = NonNullable<ResourceClaim["status"]>;

/**
 * Who may take devices as their administrator (only in a namespace that is labelled for it), allocate a claim, and
 * report on its devices. Upstream's storage of claims does this, and tells it together with what validation finds.
 * @see KEP-5018, KEP-4817; kubernetes, pkg/registry/resource
 */
export const deviceClaims: AdmissionPlugin = {
  name: "DeviceClaims",

  admit(request) {
    if (request.attributes.resource.group !== GROUP || request.operation === "DELETE") return;
    switch (`${request.operation} ${targetOf(request.attributes)}`) {
      case `CREATE resourceclaims.${GROUP}`:
        return checkAdminAccess(request, adminRequest((request.object as unknown as ResourceClaim).spec));
      case `CREATE resourceclaimtemplates.${GROUP}`:
        return checkAdminAccess(request, adminRequest((request.object as unknown as ResourceClaimTemplate).spec?.spec));
      case `UPDATE resourceclaims.${GROUP}/status`:
        return checkStatus(request, statusOf(request.object), statusOf(request.old));
    }
  },
};

const statusOf = (claim: KubeObject | undefined): Status =>
  ((claim as ResourceClaim | undefined)?.status ?? {}) as Status;

/** A template's is called as if it stood in a claim, as upstream does. */
function adminRequest(spec: ResourceClaim["spec"] | undefined): string | undefined {
  const index = (spec?.devices?.requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess === true);
  return index < 0 ? undefined : `spec.devices.requests[${index}].adminAccess`;
}

function adminResult({ allocation }: Status): string | undefined {
  const index = (allocation?.devices?.results ?? []).findIndex(({ adminAccess }) => adminAccess === true);
  return index < 0 ? undefined : `status.allocation.devices.results[${index}].adminAccess`;
}

async function checkAdminAccess({ attributes, reader, causes }: AdmissionRequest, field?: string): Promise<void> {
  if (field === undefined) return;
  const namespace = await reader.get(NAMESPACES, attributes.namespace ?? "");
  if (namespace?.metadata.labels?.[ADMIN_ACCESS] === "true") return;
  const why = `admin access to devices requires the \`${ADMIN_ACCESS}: true\` label on the containing namespace`;
  causes.push(fieldForbidden(field, why));
}

async function checkStatus(request: AdmissionRequest, status: Status, before: Status): Promise<void> {
  // Once granted it is granted: an allocation does not change.
  if (!adminResult(before)) await checkAdminAccess(request, adminResult(status));
  if (request.user.groups.includes(MASTERS)) return;
  request.causes.push(...(await refusedAllocation(request, status, before)));
  if (status.allocation) request.causes.push(...(await refusedReports(request, status, before)));
}

/** To allocate a claim, or to reserve it, takes a right that covers the cluster's claims. */
async function refusedAllocation(
  request: AdmissionRequest,
  { allocation, reservedFor }: Status,
  before: Status,
): Promise<StatusCause[]> {
  const old = { allocation: before.allocation, reservedFor: before.reservedFor };
  if (sameObject({ allocation, reservedFor }, old)) return [];
  const { verb } = request.attributes;
  const refused = await refuseUnless(request, [{ verb, subresource: "binding", namespace: "", name: "" }]);
  const needs = `resource="resourceclaims/binding", verb="${verb}" permission`;
  const why = `changing status.allocation or status.reservedFor requires ${needs}: ${refused}`;
  return refused === undefined ? [] : [fieldForbidden("status.allocation", why)];
}

/** A driver on the claim's node reports with a lesser right than one elsewhere. */
async function refusedReports(request: AdmissionRequest, status: Status, before: Status): Promise<StatusCause[]> {
  const { verb, namespace = "" } = request.attributes;
  const isNear = associatedNode(request.user, status.allocation);
  const verbs = [...(isNear ? [`associated-node:${verb}`] : []), `arbitrary-node:${verb}`];
  const causes: StatusCause[] = [];
  for (const driver of changedDrivers(status.devices ?? [], before.devices ?? [])) {
    const wishes = verbs.map((wish) => ({ verb: wish, subresource: "driver", namespace, name: driver }));
    const refused = await refuseUnless(request, wishes);
    if (refused === undefined) continue;
    const needs = `resource="resourceclaims/driver", verb="[${verbs.join(" ")}]" permission`;
    causes.push(fieldForbidden("status.devices", `changing status.devices requires ${needs}: ${refused}`));
  }
  return causes;
}

type Wish = Pick<Access, "verb" | "subresource" | "namespace" | "name">;

/** Why none of the wishes is allowed: what is said of the first. */
async function refuseUnless({ user, reader }: AdmissionRequest, wishes: Wish[]): Promise<string | undefined> {
  const base = { user, isResource: true, group: GROUP, version: "v1", resource: "resourceclaims", path: "" };
  let first: string | undefined;
  for (const wish of wishes) {
    const { allowed, reason } = await authorizeByRoles({ ...base, ...wish }, reader);
    if (allowed) return undefined;
    first ??= refusal({ ...base, ...wish }, reason).message;
  }
  return first;
}
