import type { ResourceRef } from "../../shared/client/api-client.ts";

const ref = (group: string, resource: string, kind: string, namespaced: boolean): ResourceRef => ({
  group,
  version: "v1",
  resource,
  kind,
  namespaced,
});

/** The resources that controllers and the scheduler name themselves. */
export const PODS = ref("", "pods", "Pod", true);
export const NODES = ref("", "nodes", "Node", false);
export const NAMESPACES = ref("", "namespaces", "Namespace", false);
export const SERVICES = ref("", "services", "Service", true);
export const SERVICE_ACCOUNTS = ref("", "serviceaccounts", "ServiceAccount", true);
export const CONFIG_MAPS = ref("", "configmaps", "ConfigMap", true);
export const EVENTS = ref("", "events", "Event", true);
export const ENDPOINTS = ref("", "endpoints", "Endpoints", true);
export const LEASES = ref("coordination.k8s.io", "leases", "Lease", true);
export const DEPLOYMENTS = ref("apps", "deployments", "Deployment", true);
export const REPLICA_SETS = ref("apps", "replicasets", "ReplicaSet", true);
export const ENDPOINT_SLICES = ref("discovery.k8s.io", "endpointslices", "EndpointSlice", true);

/** `pods`, `deployments.apps`: one text per store. */
export const resourceId = ({ group, resource }: { group: string; resource: string }): string =>
  group === "" ? resource : `${resource}.${group}`;

/** `v1`, `apps/v1`. */
export const apiVersionOf = ({ group, version }: { group: string; version: string }): string =>
  group === "" ? version : `${group}/${version}`;
