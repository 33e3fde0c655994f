import { printGroupResource } from "../../shared/api/group-resource.ts";
import { TRACKING_CONFIG_MAP } from "../../shared/api/legacy-tokens.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import { CONFIG_MAPS, PODS, RESOURCE_SLICES, SECRETS } from "../../shared/api/refs.ts";
import type { ConfigMap, Container, Pod, ResourceSlice, Secret, Volume } from "../../shared/api/types.ts";
import type { InformerOptions } from "../runtime/index.ts";
import { isClusterInfo } from "./bootstrap-signer/decide.ts";
import { BOOTSTRAP_TOKEN } from "./bootstrap-token.ts";
import { COMPLETION_INDEX, INDEX_FAILURES, INDEX_IGNORED_FAILURES } from "./job/completion-index.ts";
import { DELETION_COST } from "./replicaset/victims.ts";
import { ROOT_CA_CONFIG_MAP } from "./root-ca/decide.ts";
import { ACCOUNT_TOKEN, TOKEN_IS_THERE } from "./service-account-token/decide.ts";
import { isBalancerConfig } from "./service-lb/config.ts";

/**
 * What of the large kinds is kept in memory: an isolate has 128 MB for 5,000 pods and all else. An object that was
 * trimmed must not be sent back whole; pods are patched.
 */
export const CACHING: Record<string, InformerOptions<KubeObject>> = {
  [printGroupResource(PODS)]: { trim: (object) => trimPod(object as Pod) },
  [printGroupResource(SECRETS)]: { trim: (object) => trimSecret(object as Secret) },
  [printGroupResource(CONFIG_MAPS)]: { trim: (object) => trimConfigMap(object as ConfigMap) },
  [printGroupResource(RESOURCE_SLICES)]: { trim: (object) => trimSlice(object as ResourceSlice) },
};

const KEPT_ANNOTATIONS = new Set([DELETION_COST, COMPLETION_INDEX, INDEX_FAILURES, INDEX_IGNORED_FAILURES]);

function trimPod(pod: Pod): Pod {
  const { spec, status } = pod;
  const { annotations, generateName: _generateName, ...metadata } = pod.metadata;
  const kept = Object.entries(annotations ?? {}).filter(([name]) => KEPT_ANNOTATIONS.has(name));
  pod.metadata = kept.length === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(kept) };
  pod.spec = {
    nodeName: spec.nodeName,
    hostname: spec.hostname,
    subdomain: spec.subdomain,
    hostNetwork: spec.hostNetwork,
    schedulingGates: spec.schedulingGates,
    terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds,
    tolerations: spec.tolerations,
    ...trimAffinity(spec),
    ...(spec.resourceClaims ? { resourceClaims: spec.resourceClaims } : {}),
    ...(spec.volumes ? { volumes: spec.volumes.flatMap(trimVolume) } : {}),
    containers: spec.containers.map(trimContainer),
    ...(spec.initContainers ? { initContainers: spec.initContainers.map(trimContainer) } : {}),
  };
  if (status)
    pod.status = {
      phase: status.phase,
      reason: status.reason,
      conditions: status.conditions,
      podIP: status.podIP,
      podIPs: status.podIPs,
      ...(status.resourceClaimStatuses ? { resourceClaimStatuses: status.resourceClaimStatuses } : {}),
      containerStatuses: status.containerStatuses?.map(trimStatus),
      initContainerStatuses: status.initContainerStatuses?.map(trimStatus),
    };
  return pod;
}

/** A daemon pod that waits to be scheduled says only in its affinity for which node it is. */
function trimAffinity({ nodeName, affinity }: Pod["spec"]): Pick<Pod["spec"], "affinity"> {
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (nodeName || !terms.some(({ matchFields }) => matchFields?.length)) return {};
  const nodeSelectorTerms = terms.map(({ matchFields }) => ({ matchFields }));
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } };
}

const trimContainer = ({ name, ports, restartPolicy }: Container): Container => ({ name, ports, restartPolicy });

/** Only what leads to a claim; an ephemeral volume's claim has its name from the pod and the volume. */
function trimVolume({ name, persistentVolumeClaim, ephemeral }: Volume): Volume[] {
  if (persistentVolumeClaim) return [{ name, persistentVolumeClaim }];
  return ephemeral ? [{ name, ephemeral: {} }] : [];
}

type Terminated = NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>;
type ContainerStatus = NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number];

/** Of the state only how a container ended: Jobs ask for it. */
const trimStatus = ({ name, restartCount, ready, image, imageID, state }: ContainerStatus): ContainerStatus => ({
  name,
  restartCount,
  ready,
  image,
  imageID,
  ...(state?.terminated ? { state: { terminated: trimTerminated(state.terminated) } } : {}),
});

const trimTerminated = ({ exitCode, finishedAt }: Terminated): Terminated => ({ exitCode, finishedAt });

function trimConfigMap(configMap: ConfigMap): ConfigMap {
  const { name } = configMap.metadata;
  const isKept = name === ROOT_CA_CONFIG_MAP || name === TRACKING_CONFIG_MAP;
  if (isKept || isClusterInfo(configMap) || isBalancerConfig(configMap)) return configMap;
  const { apiVersion, kind, metadata } = configMap;
  return { apiVersion, kind, metadata };
}

/** Only what makes a cluster: bootstrap tokens, and whether an account's token is there. No other secret stays in memory. */
function trimSecret({ apiVersion, kind, metadata, type, data }: Secret): Secret {
  delete metadata.annotations?.["kubectl.kubernetes.io/last-applied-configuration"];
  if (type === BOOTSTRAP_TOKEN) return { apiVersion, kind, metadata, type, data };
  if (type !== ACCOUNT_TOKEN) return { apiVersion, kind, metadata, type };
  const { token, ...rest } = data ?? {};
  return { apiVersion, kind, metadata, type, data: { ...rest, ...(token ? { token: TOKEN_IS_THERE } : {}) } };
}

/** A slice has up to 128 devices with many attributes each: here only those count that have taints. */
function trimSlice(slice: ResourceSlice): ResourceSlice {
  const { driver, pool, devices } = slice.spec;
  const tainted = (devices ?? []).filter(({ taints }) => taints?.length).map(({ name, taints }) => ({ name, taints }));
  slice.spec = { driver, pool, devices: tainted };
  return slice;
}
