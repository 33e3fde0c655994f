import { printGroupResource } from "../../shared/api/group-resource.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import { PODS, REPLICA_SETS, REPLICATION_CONTROLLERS, SERVICES, STATEFUL_SETS } from "../../shared/api/refs.ts";
import type { Container, Pod } from "../../shared/api/types.ts";
import type { InformerOptions } from "../runtime/index.ts";

interface Selecting extends KubeObject {
  spec?: { selector?: unknown };
}

/** Only what selects pods: templates are large. */
function trimToSelector(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, spec } = object as Selecting;
  const { name, namespace, uid, resourceVersion } = metadata;
  const trimmed: Selecting = { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } };
  if (spec) trimmed.spec = { selector: spec.selector };
  return trimmed;
}

const trimContainer = ({ name, image, resources, ports, restartPolicy }: Container): Container => ({
  name,
  image,
  resources,
  ports,
  restartPolicy,
});

/** What containers run and how is the node's business. */
function trimPod(object: KubeObject): KubeObject {
  const pod = object as Pod;
  delete pod.metadata.annotations;
  pod.spec.containers = pod.spec.containers.map(trimContainer);
  if (pod.spec.initContainers) pod.spec.initContainers = pod.spec.initContainers.map(trimContainer);
  if (pod.status) {
    delete pod.status.containerStatuses;
    delete pod.status.initContainerStatuses;
  }
  return pod;
}

/**
 * What of each kind is kept in memory: an isolate has 128 MB for 5,000 pods and all else. A trimmed object must not be
 * sent back whole.
 */
export const CACHING: Record<string, InformerOptions<KubeObject>> = {
  [printGroupResource(PODS)]: { trim: trimPod },
  [printGroupResource(SERVICES)]: { trim: trimToSelector },
  [printGroupResource(REPLICATION_CONTROLLERS)]: { trim: trimToSelector },
  [printGroupResource(REPLICA_SETS)]: { trim: trimToSelector },
  [printGroupResource(STATEFUL_SETS)]: { trim: trimToSelector },
};
