import type { KubeObject, ObjectMeta } from "../../shared/api/object.ts";

/*
 * The parts of the kinds that controllers read or write. They are views: the objects hold all their other fields too,
 * and writes carry them along.
 */

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

export interface PodTemplate {
  metadata?: Partial<ObjectMeta>;
  spec?: PodSpec;
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

export interface ContainerPort {
  name?: string;
  containerPort: number;
  protocol?: string;
}

export interface Container {
  name: string;
  ports?: ContainerPort[];
  restartPolicy?: string;
  [field: string]: unknown;
}

export interface PodSpec {
  nodeName?: string;
  hostname?: string;
  subdomain?: string;
  hostNetwork?: boolean;
  containers: Container[];
  initContainers?: Container[];
  tolerations?: Toleration[];
  [field: string]: unknown;
}

export interface PodCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string | null;
  lastProbeTime?: string | null;
  observedGeneration?: number;
}

export interface ContainerStatus {
  name: string;
  restartCount?: number;
}

export interface PodStatus {
  phase?: string;
  reason?: string;
  message?: string;
  conditions?: PodCondition[];
  containerStatuses?: ContainerStatus[];
  initContainerStatuses?: ContainerStatus[];
  podIP?: string;
  podIPs?: { ip?: string }[];
  [field: string]: unknown;
}

export interface Pod extends KubeObject {
  spec: PodSpec;
  status?: PodStatus;
}

export interface ReplicaSetCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

export interface ReplicaSetStatus {
  replicas: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  terminatingReplicas?: number;
  observedGeneration?: number;
  conditions?: ReplicaSetCondition[];
}

export interface ReplicaSet extends KubeObject {
  spec: { replicas?: number; minReadySeconds?: number; selector: LabelSelector; template?: PodTemplate };
  status?: ReplicaSetStatus;
}

export type IntOrString = number | string;

export interface DeploymentCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastUpdateTime?: string;
  lastTransitionTime?: string;
}

export interface DeploymentStatus {
  observedGeneration?: number;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  unavailableReplicas?: number;
  terminatingReplicas?: number;
  conditions?: DeploymentCondition[];
  collisionCount?: number;
}

export interface Deployment extends KubeObject {
  spec: {
    replicas?: number;
    selector: LabelSelector;
    template: PodTemplate;
    strategy?: { type?: string; rollingUpdate?: { maxSurge?: IntOrString; maxUnavailable?: IntOrString } };
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
    paused?: boolean;
    progressDeadlineSeconds?: number;
  };
  status?: DeploymentStatus;
}

export interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: string; conditions?: NamespaceCondition[] };
}

export interface NamespaceCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

export interface Taint {
  key: string;
  value?: string;
  effect: string;
  timeAdded?: string;
}

export interface NodeCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastHeartbeatTime?: string | null;
  lastTransitionTime?: string | null;
}

export interface Node extends KubeObject {
  spec?: { taints?: Taint[]; podCIDR?: string; podCIDRs?: string[]; unschedulable?: boolean; [field: string]: unknown };
  status?: { conditions?: NodeCondition[]; [field: string]: unknown };
}

export interface Lease extends KubeObject {
  spec?: { holderIdentity?: string; leaseDurationSeconds?: number; renewTime?: string; acquireTime?: string };
}

export interface ServicePort {
  name?: string;
  protocol?: string;
  port: number;
  targetPort?: IntOrString;
  appProtocol?: string;
}

export interface Service extends KubeObject {
  spec?: {
    type?: string;
    clusterIP?: string;
    ipFamilies?: string[];
    selector?: Record<string, string>;
    ports?: ServicePort[];
    publishNotReadyAddresses?: boolean;
    [field: string]: unknown;
  };
}

export interface Endpoint {
  addresses: string[];
  conditions?: { ready?: boolean; serving?: boolean; terminating?: boolean };
  hostname?: string;
  targetRef?: { kind: string; namespace?: string; name: string; uid?: string };
  nodeName?: string;
  zone?: string;
  hints?: unknown;
}

export interface EndpointPort {
  name?: string;
  protocol?: string;
  port?: number;
  appProtocol?: string;
}

export interface EndpointSlice extends KubeObject {
  addressType: string;
  endpoints?: Endpoint[] | null;
  ports?: EndpointPort[] | null;
}

/** core/v1 Event, as recorders write it. */
export interface Event extends KubeObject {
  involvedObject: ObjectReference;
  reason?: string;
  message?: string;
  source?: { component?: string; host?: string };
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  count?: number;
  type?: string;
  series?: { count?: number; lastObservedTime?: string };
  reportingComponent?: string;
  reportingInstance?: string;
}

export interface ObjectReference {
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiVersion?: string;
  resourceVersion?: string;
  fieldPath?: string;
}
