import { TRIGGER_TIME } from "../../shared/api/endpoint-slice.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import type { EndpointSlice, Namespace, Node, Pod, Service } from "../../shared/api/types.ts";

/*
 * What is kept of objects that there may be thousands of: the parts that a node's network is made from. Managed fields
 * and the like are often more than half of an object.
 */

const identity = ({ metadata }: KubeObject) => ({
  name: metadata.name,
  ...(metadata.namespace !== undefined && { namespace: once(metadata.namespace) }),
  ...(metadata.uid !== undefined && { uid: metadata.uid }),
  ...(metadata.resourceVersion !== undefined && { resourceVersion: metadata.resourceVersion }),
  ...(metadata.labels && { labels: metadata.labels }),
  ...(metadata.deletionTimestamp !== undefined && { deletionTimestamp: metadata.deletionTimestamp }),
});

/** Of any object: all but who last wrote which field, and what kubectl notes to tell what changed. */
export function withoutBookkeeping<T>(object: KubeObject): T {
  const {
    managedFields: _,
    annotations,
    ...metadata
  } = object.metadata as KubeObject["metadata"] & {
    managedFields?: unknown;
  };
  const { [LAST_APPLIED]: __, ...others } = annotations ?? {};
  return { ...object, metadata: { ...metadata, ...(annotations && { annotations: others }) } } as T;
}

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * Texts that many objects share are kept once: each object comes with copies of its own. Those that come past the bound are
 * kept as they come.
 */
const shared = new Map<string, string>();
const MAX_SHARED = 10_000;

function once(text: string): string {
  const known = shared.get(text);
  if (known !== undefined) return known;
  if (shared.size < MAX_SHARED) shared.set(text, text);
  return text;
}

export function projectService(object: KubeObject): Service {
  const { spec, status } = object as unknown as Service;
  const { annotations, creationTimestamp } = withoutBookkeeping<KubeObject>(object).metadata;
  return {
    metadata: {
      ...identity(object),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
      ...(annotations && { annotations }),
    },
    ...(spec && { spec }),
    ...(status?.loadBalancer?.ingress && { status: { loadBalancer: { ingress: status.loadBalancer.ingress } } }),
  };
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

export const projectEndpointSlice = (object: KubeObject): EndpointSlice => {
  const { addressType, endpoints, ports } = object as unknown as EndpointSlice;
  const triggerTime = object.metadata.annotations?.[TRIGGER_TIME];
  return {
    metadata: { ...identity(object), ...(triggerTime && { annotations: { [TRIGGER_TIME]: triggerTime } }) },
    addressType,
    endpoints: (endpoints ?? []).map(projectEndpoint),
    ...(ports && { ports }),
  };
};

type Endpoint = NonNullable<EndpointSlice["endpoints"]>[number];

/** Where it leads and when; not which pod it is. */
function projectEndpoint({ addresses, conditions, hints, hostname, nodeName, zone }: Endpoint): Endpoint {
  return {
    addresses,
    ...(conditions && { conditions: sharedConditions(conditions) }),
    ...(hints && { hints }),
    ...(hostname !== undefined && { hostname }),
    ...(nodeName !== undefined && { nodeName: once(nodeName) }),
    ...(zone !== undefined && { zone: once(zone) }),
  };
}

type Conditions = NonNullable<Endpoint["conditions"]>;
/** There are 64 of them at most: each is true, false, null or not said. */
const conditionsByText = new Map<string, Conditions>();

function sharedConditions({ ready, serving, terminating }: Conditions): Conditions {
  const text = `${ready} ${serving} ${terminating}`;
  const known = conditionsByText.get(text);
  if (known) return known;
  const made = {
    ...(ready !== undefined && { ready }),
    ...(serving !== undefined && { serving }),
    ...(terminating !== undefined && { terminating }),
  };
  conditionsByText.set(text, made);
  return made;
}

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
