import { printGroupResource } from "../../shared/api/group-resource.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import { PODS, REPLICA_SETS, REPLICATION_CONTROLLERS, SERVICES, STATEFUL_SETS } from "../../shared/api/refs.ts";
import type { Container, Pod, PodCondition, PodStatus, Volume } from "../../shared/api/types.ts";
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

const trimContainer = (container: Container): Container => {
  const { name, image, resources, ports, restartPolicy, restartPolicyRules } = container;
  return { name, image, resources, ports, restartPolicy, ...(restartPolicyRules ? { restartPolicyRules } : {}) };
};

/** What containers run and how is the node's business. Members are left out of copies: an object that lost some is large. */
function trimPod(object: KubeObject): KubeObject {
  const pod = object as Pod;
  const { annotations: _a, generateName: _g, ...metadata } = pod.metadata;
  const trimmed: Pod = { ...pod, metadata, spec: trimSpec(pod.spec) };
  if (pod.status) trimmed.status = trimStatus(pod.status);
  return trimmed;
}

function trimSpec(spec: Pod["spec"]): Pod["spec"] {
  const {
    dnsPolicy: _d,
    enableServiceLinks: _e,
    restartPolicy: _r,
    securityContext: _c,
    serviceAccount: _a,
    serviceAccountName: _n,
    terminationGracePeriodSeconds: _g,
    volumes,
    ...kept
  } = spec;
  const deciding = volumes?.filter(isDeciding);
  return {
    ...kept,
    containers: spec.containers.map(trimContainer),
    ...(spec.initContainers ? { initContainers: spec.initContainers.map(trimContainer) } : {}),
    ...(deciding?.length ? { volumes: deciding } : {}),
  };
}

/** These can be had on any node: most pods have them alone. */
const isDeciding = ({ configMap, secret, projected, downwardAPI, emptyDir }: Volume): boolean =>
  !configMap && !secret && !projected && !downwardAPI && !emptyDir;

function trimStatus(status: PodStatus): PodStatus {
  const {
    containerStatuses: _c,
    initContainerStatuses: _i,
    ephemeralContainerStatuses: _e,
    hostIP: _h,
    hostIPs: _hs,
    podIP: _p,
    podIPs: _ps,
    qosClass: _q,
    conditions,
    ...kept
  } = status;
  return { ...kept, ...(conditions ? { conditions: conditions.map(trimCondition) } : {}) };
}

/** Of others than those written here the types will do: a patch names all, to keep their order. */
const trimCondition = (condition: PodCondition): PodCondition =>
  WRITTEN_CONDITIONS.has(condition.type) ? condition : { type: condition.type, status: condition.status };

const WRITTEN_CONDITIONS = new Set(["PodScheduled", "DisruptionTarget"]);

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
