import type { KubeObject } from "../../../shared/api/object.ts";
import { referencesOf } from "../../../shared/api/pod-references.ts";
import { ownMember } from "../../../shared/own-member.ts";
import type { UserInfo } from "../attributes.ts";
import { type Access, type Decision, NO_OPINION } from "./access.ts";

const NODE_USER = "system:node:";
const NODES_GROUP = "system:nodes";
const NODE_LEASES = "kube-node-lease";

/** The node that a user is, or undefined. */
export function nodeNameOf(user: UserInfo): string | undefined {
  if (!user.groups.includes(NODES_GROUP) || !user.username.startsWith(NODE_USER)) return undefined;
  return user.username.slice(NODE_USER.length) || undefined;
}

/** Pods that are bound to a node, as far as it may act for them. */
export type PodsOfNode = (node: string) => Promise<KubeObject[]>;

/** A persistent volume by its name; undefined when there is none. */
export type VolumeByName = (name: string) => Promise<KubeObject | undefined>;

const READ = ["get", "list", "watch"];
const WRITE = ["create", "update", "patch"];

/** By `<resource>.<group>` (and subresource): what a node may do whatever the object. */
const FREELY: Record<string, string[]> = {
  services: READ,
  endpoints: READ,
  nodes: READ.filter((verb) => verb !== "get"),
  "endpointslices.discovery.k8s.io": READ,
  "runtimeclasses.node.k8s.io": READ,
  "csidrivers.storage.k8s.io": READ,
  events: WRITE,
  "events.events.k8s.io": WRITE,
  "tokenreviews.authentication.k8s.io": ["create"],
  "subjectaccessreviews.authorization.k8s.io": ["create"],
  "localsubjectaccessreviews.authorization.k8s.io": ["create"],
};

/**
 * Limits a node to what it needs: its own Node, Lease and pods, and what those pods refer to. What a write may change
 * is the NodeRestriction plugin's concern.
 * @param podsOfNode asked only where an object's use by a pod decides; so is `volumeByName`, for the claim that has a volume
 * @see kubernetes, plugin/pkg/auth/authorizer/node
 */
export async function authorizeNode(
  node: string,
  access: Access,
  { podsOfNode, volumeByName }: { podsOfNode: PodsOfNode; volumeByName: VolumeByName },
): Promise<Decision> {
  if (!access.isResource) return NO_OPINION;
  const { verb, subresource } = access;
  const resource = access.group === "" ? access.resource : `${access.resource}.${access.group}`;
  const target = subresource === "" ? resource : `${resource}/${subresource}`;
  if (ownMember(FREELY, target)?.includes(verb)) return allow;
  switch (target) {
    case "nodes":
    case "nodes/status":
      return ownNode(node, access);
    case "leases.coordination.k8s.io":
      return ownLease(node, access);
    case "pods":
    case "pods/status":
    case "pods/eviction":
      return ownPod(node, access, podsOfNode);
    case "secrets":
    case "configmaps":
      return usedBy(node, access, podsOfNode);
    case "persistentvolumeclaims":
      return verb === "get"
        ? usedBy(node, access, podsOfNode)
        : refuse("can only get individual resources of this type");
    case "persistentvolumes":
      return verb === "get"
        ? claimedBy(node, access, { podsOfNode, volumeByName })
        : refuse("can only get individual resources of this type");
    case "serviceaccounts":
      return verb === "get" ? usedBy(node, access, podsOfNode) : NO_OPINION;
    case "serviceaccounts/token":
      return verb === "create" ? usedBy(node, access, podsOfNode) : NO_OPINION;
    default:
      return NO_OPINION;
  }
}

const allow: Decision = { allowed: true, reason: "" };
const refuse = (reason: string): Decision => ({ allowed: false, reason });

function ownNode(node: string, { verb, name, subresource }: Access): Decision {
  if (verb === "get" && subresource === "") {
    return name === node ? allow : refuse(`node '${node}' cannot read '${name}', only its own Node object`);
  }
  // The name of a create is in its body: NodeRestriction compares it.
  if (verb === "create" && subresource === "") return allow;
  if (verb !== "update" && verb !== "patch") return NO_OPINION;
  return name === node ? allow : refuse(`node '${node}' cannot modify '${name}', only its own Node object`);
}

function ownLease(node: string, { verb, namespace, name }: Access): Decision {
  if (namespace !== NODE_LEASES) return refuse(`can only access leases in the "${NODE_LEASES}" system namespace`);
  if (verb === "create" && name === "") return allow;
  if (!["get", "create", "update", "patch", "delete"].includes(verb)) return NO_OPINION;
  return name === node ? allow : refuse("can only access node lease with the same name as the requesting node");
}

/** By subresource. */
const OWN_POD_VERBS: Record<string, string[]> = {
  "": ["get", "delete"],
  eviction: ["create"],
  status: ["get", "update", "patch"],
};

async function ownPod(node: string, access: Access, podsOfNode: PodsOfNode): Promise<Decision> {
  const { verb, subresource, name, namespace } = access;
  if (subresource === "" && (verb === "list" || verb === "watch")) {
    return selectsNode(access.fieldSelector, node)
      ? allow
      : refuse("can only list/watch pods with spec.nodeName field selector");
  }
  // Mirrors of its static pods alone: NodeRestriction looks at what they are.
  if (subresource === "" && verb === "create") return allow;
  if (!ownMember(OWN_POD_VERBS, subresource)?.includes(verb)) return NO_OPINION;
  const pods = await podsOfNode(node);
  const isOwn = pods.some(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  return isOwn ? allow : noRelationship(node);
}

const noRelationship = (node: string) => refuse(`no relationship found between node '${node}' and this object`);

const selectsNode = (fieldSelector: string | undefined, node: string): boolean =>
  (fieldSelector ?? "")
    .split(",")
    .some((term) => /^spec\.nodeName==?/.test(term) && term.replace(/^[^=]*==?/, "") === node);

async function usedBy(
  node: string,
  { verb, namespace, name, resource }: Access,
  podsOfNode: PodsOfNode,
): Promise<Decision> {
  if (![...READ, "create"].includes(verb)) return refuse("can only read resources of this type");
  if (name === "" || namespace === "") return refuse("can only read namespaced object of this type");
  const pods = await podsOfNode(node);
  const isUsed = pods.some((pod) => pod.metadata.namespace === namespace && referencesOf(pod)[resource]?.has(name));
  return isUsed ? allow : noRelationship(node);
}

/** A volume is a pod's by way of the claim that it is bound to. */
async function claimedBy(
  node: string,
  access: Access,
  { podsOfNode, volumeByName }: { podsOfNode: PodsOfNode; volumeByName: VolumeByName },
): Promise<Decision> {
  const spec = (await volumeByName(access.name))?.spec as
    | { claimRef?: { namespace?: string; name?: string } }
    | undefined;
  const { namespace = "", name = "" } = spec?.claimRef ?? {};
  return usedBy(node, { ...access, resource: "persistentvolumeclaims", namespace, name }, podsOfNode);
}
