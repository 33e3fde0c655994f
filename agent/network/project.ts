import type { KubeObject } from "../../shared/api/object.ts";
import type { EndpointSlice, Namespace, Node, Pod } from "../../shared/api/types.ts";

/*
 * What is kept of objects that there may be thousands of: the parts that a node's network is made from. Managed fields
 * and the like are often more than half of an object.
 */

const identity = ({ metadata }: KubeObject) => ({
  name: metadata.name,
  ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
  ...(metadata.uid !== undefined && { uid: metadata.uid }),
  ...(metadata.resourceVersion !== undefined && { resourceVersion: metadata.resourceVersion }),
  ...(metadata.labels && { labels: metadata.labels }),
  ...(metadata.deletionTimestamp !== undefined && { deletionTimestamp: metadata.deletionTimestamp }),
});

/** Of any object: all but who last wrote which field. */
export function withoutManagedFields<T>(object: KubeObject): T {
  const { managedFields: _, ...metadata } = object.metadata as KubeObject["metadata"] & { managedFields?: unknown };
  return { ...object, metadata } as T;
}

export function projectPod(object: KubeObject): Pod {
  const { spec, status } = object as unknown as Pod;
  return {
    metadata: identity(object),
    spec: {
      ...(spec?.nodeName !== undefined && { nodeName: spec.nodeName }),
      ...(spec?.hostNetwork !== undefined && { hostNetwork: spec.hostNetwork }),
      ...(spec?.initContainers && { initContainers: spec.initContainers.map(portsOf) }),
      containers: (spec?.containers ?? []).map(portsOf),
    },
    status: {
      ...(status?.phase !== undefined && { phase: status.phase }),
      ...(status?.podIP !== undefined && { podIP: status.podIP }),
      ...(status?.podIPs && { podIPs: status.podIPs }),
    },
  };
}

type Container = NonNullable<Pod["spec"]>["containers"][number];

const portsOf = ({ name, ports, restartPolicy }: Container): Container => ({
  name,
  ...(restartPolicy !== undefined && { restartPolicy }),
  ...(ports && { ports }),
});

export const projectNamespace = (object: KubeObject): Namespace => ({ metadata: identity(object), spec: {} });

const TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";

export const projectEndpointSlice = (object: KubeObject): EndpointSlice => {
  const { addressType, endpoints, ports } = object as unknown as EndpointSlice;
  const triggerTime = object.metadata.annotations?.[TRIGGER_TIME];
  return {
    metadata: { ...identity(object), ...(triggerTime && { annotations: { [TRIGGER_TIME]: triggerTime } }) },
    addressType,
    endpoints: endpoints ?? [],
    ...(ports && { ports }),
  };
};

export const projectNode = (object: KubeObject): Node => {
  const { spec, status } = object as unknown as Node;
  const { annotations } = object.metadata;
  return {
    metadata: { ...identity(object), ...(annotations && { annotations }) },
    ...(spec && { spec }),
    status: {
      ...(status?.addresses && { addresses: status.addresses }),
      ...(status?.conditions && { conditions: status.conditions }),
    },
  };
};
