import type { KubeObject } from "../../../../shared/api/object.ts";
import { nodeNameOf } from "../../authz/node.ts";
import { sameObject } from "../../object-text.ts";
import { type AdmissionPlugin, type AdmissionRequest, refuse, targetOf } from "../plugin.ts";
import { admitMirrorPod } from "./mirror-pod.ts";
import { admitNodeIdentity } from "./node-identity.ts";
import { admitNodeToken } from "./node-token.ts";

const NODE_LEASES = "kube-node-lease";

/** Labels of kubernetes.io and k8s.io that a kubelet sets on its own node (KEP-279). */
const OWN_LABELS = new Set([
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/instance-type",
  "beta.kubernetes.io/os",
  "failure-domain.beta.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "kubernetes.io/arch",
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "node.kubernetes.io/instance-type",
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone",
]);
const OWN_LABEL_DOMAINS = ["kubelet.kubernetes.io", "node.kubernetes.io"];
const RESTRICTION_DOMAIN = "node-restriction.kubernetes.io";

/** What a node may change of the objects that the node authorizer lets it write. */
export const nodeRestriction: AdmissionPlugin = {
  name: "NodeRestriction",

  admit(request) {
    const node = nodeNameOf(request.user);
    if (node === undefined) return;
    const [resource = "", subresource = ""] = targetOf(request.attributes).split("/");
    if (resource === "pods") return admitPod(node, subresource, request);
    if (resource === "nodes") return admitNode(node, request);
    if (resource === "leases.coordination.k8s.io") admitLease(node, request);
    else if (resource === "serviceaccounts" && subresource === "token") return admitNodeToken(node, request);
  },
};

const nodeOf = (pod: KubeObject | undefined) => ((pod?.spec ?? {}) as { nodeName?: string }).nodeName;

function admitPod(node: string, subresource: string, request: AdmissionRequest): void | Promise<void> {
  const { operation, object, old } = request;
  const quoted = JSON.stringify(node);
  if (subresource === "status") {
    if (nodeOf(old) !== node) {
      throw refuse(request, `node ${quoted} can only update pod status for pods with spec.nodeName set to itself`);
    }
    if (!sameObject(old?.metadata.labels ?? {}, object?.metadata.labels ?? {})) {
      throw refuse(request, `node ${quoted} cannot update labels through pod status`);
    }
    return;
  }
  if (subresource === "eviction") {
    if (nodeOf(old) !== node) {
      throw refuse(request, `node ${node} can only evict pods with spec.nodeName set to itself`);
    }
    return;
  }
  if (subresource !== "") {
    throw refuse(
      request,
      `unexpected pod subresource ${JSON.stringify(subresource)}, only 'status' and 'eviction' are allowed`,
    );
  }
  if (operation === "DELETE") {
    if (nodeOf(old) !== node) {
      throw refuse(request, `node ${quoted} can only delete pods with spec.nodeName set to itself`);
    }
    return;
  }
  if (operation === "UPDATE") {
    throw refuse(
      request,
      `unexpected operation ${JSON.stringify(operation)}, node ${quoted} can only create and delete mirror pods`,
    );
  }
  return admitMirrorPod(node, request);
}

function admitNode(node: string, request: AdmissionRequest): void | Promise<void> {
  const { attributes, object, old, operation } = request;
  const name = attributes.name || object?.metadata.name || old?.metadata.name || "";
  const quoted = JSON.stringify(node);
  if (name !== node) throw refuse(request, `node ${quoted} is not allowed to modify node ${JSON.stringify(name)}`);
  if (operation === "DELETE") return;
  const forbidden = changedLabels(object!, old).filter((label) => !isOwnLabel(label, operation));
  if (operation === "CREATE") {
    if (forbidden.length > 0) {
      throw refuse(request, `node ${quoted} is not allowed to set the following labels: ${forbidden.join(", ")}`);
    }
    return admitNodeIdentity(node, request);
  }
  const taintsOf = (subject: KubeObject) => ((subject.spec ?? {}) as { taints?: unknown[] }).taints ?? [];
  if (!sameObject(taintsOf(object!), taintsOf(old!))) {
    throw refuse(request, `node ${quoted} is not allowed to modify taints`);
  }
  if (!sameObject(object!.metadata.ownerReferences ?? [], old!.metadata.ownerReferences ?? [])) {
    throw refuse(request, `node ${quoted} is not allowed to modify ownerReferences`);
  }
  if (forbidden.length > 0) throw refuse(request, `is not allowed to modify labels: ${forbidden.join(", ")}`);
  return admitNodeIdentity(node, request);
}

function changedLabels(object: KubeObject, old: KubeObject | undefined): string[] {
  const after = object.metadata.labels ?? {};
  const before = old?.metadata.labels ?? {};
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...names].filter((name) => after[name] !== before[name]).sort();
}

const isWithin = (domain: string, parent: string) => domain === parent || domain.endsWith(`.${parent}`);

function isOwnLabel(label: string, operation: AdmissionRequest["operation"]): boolean {
  if (OWN_LABELS.has(label)) return true;
  const [domain = "", name] = label.split("/");
  if (name === undefined) return true;
  if (isWithin(domain, RESTRICTION_DOMAIN)) return false;
  if (OWN_LABEL_DOMAINS.some((own) => isWithin(domain, own))) return true;
  // Other labels of the project's domains are left alone once set, but a node cannot add them.
  const isReserved = isWithin(domain, "kubernetes.io") || isWithin(domain, "k8s.io");
  return !isReserved || (operation !== "CREATE" && operation !== "UPDATE");
}

function admitLease(node: string, request: AdmissionRequest): void {
  const { attributes, object, old, operation } = request;
  if (attributes.namespace !== NODE_LEASES) {
    throw refuse(request, `can only access leases in the ${JSON.stringify(NODE_LEASES)} system namespace`);
  }
  const name = operation === "CREATE" ? object?.metadata.name : old?.metadata.name;
  if (name !== node) throw refuse(request, "can only access node lease with the same name as the requesting node");
}
