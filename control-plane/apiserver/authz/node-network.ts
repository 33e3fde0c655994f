import { ownMember } from "../../../shared/own-member.ts";
import type { UserInfo } from "../attributes.ts";
import { type Access, type Decision, NO_OPINION } from "./access.ts";

const GROUP = "system:node-networks";
const READ = ["get", "list", "watch"];

/**
 * By `<resource>.<group>`: what a node's service proxy, name server and policies are made of. A kubelet may not list all
 * pods, and need not; who enforces policies must know the addresses and labels of all. Network plugins have the same.
 */
const ALLOWED: Record<string, string[]> = {
  services: READ,
  nodes: READ,
  pods: READ,
  namespaces: READ,
  "endpointslices.discovery.k8s.io": READ,
  "networkpolicies.networking.k8s.io": READ,
  "servicecidrs.networking.k8s.io": READ,
  events: ["create", "patch", "update"],
  "events.events.k8s.io": ["create", "patch", "update"],
};

/** The one namespace whose ConfigMaps it may read: they configure the network. */
const CONFIG_NAMESPACE = "kube-system";

/** What the part of an agent may do that looks after its node's network; it comes through the tunnel alone. */
export function authorizeNodeNetwork(access: Access): Decision {
  const { user, group, resource, subresource, verb, namespace } = access;
  if (!access.isResource || subresource !== "" || !isNodeNetwork(user)) return NO_OPINION;
  const target = group === "" ? resource : `${resource}.${group}`;
  if (ownMember(ALLOWED, target)?.includes(verb)) return { allowed: true, reason: "" };
  const isConfiguration = target === "configmaps" && namespace === CONFIG_NAMESPACE && READ.includes(verb);
  return isConfiguration ? { allowed: true, reason: "" } : NO_OPINION;
}

const isNodeNetwork = ({ username, groups }: UserInfo): boolean =>
  groups.includes(GROUP) && username.startsWith("system:node-network:");
