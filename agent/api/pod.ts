import type {
  V1ConfigMap,
  V1Container,
  V1ContainerPort,
  V1ContainerState,
  V1ContainerStatus,
  V1EnvVar,
  V1LifecycleHandler,
  V1PodCondition,
  V1PodSpec,
  V1PodStatus,
  V1Probe,
  V1ResourceRequirements,
  V1Secret,
  V1Volume,
  V1VolumeMount,
} from "@kubernetes/client-node";
import type { KubeObject, ObjectMeta } from "../../shared/api/object.ts";

/** A generated model as it is on the wire: times are texts. */
type Wire<T> = T extends Date
  ? string
  : T extends (infer Item)[]
    ? Wire<Item>[]
    : T extends object
      ? { [Field in keyof T]: Wire<T[Field]> }
      : T;

/** As the API server hands it over: defaulted, so that what has a default is there. */
export interface Pod extends KubeObject {
  metadata: ObjectMeta & { uid: string; namespace: string };
  spec: PodSpec;
  status?: PodStatus;
}

export type PodSpec = Wire<V1PodSpec>;
export type PodStatus = Wire<V1PodStatus>;
export type PodCondition = Wire<V1PodCondition> & { observedGeneration?: number };
export type Container = Wire<V1Container>;
export type ContainerPort = Wire<V1ContainerPort>;
export type ContainerStatus = Wire<V1ContainerStatus>;
export type ContainerState = Wire<V1ContainerState>;
export type ResourceRequirements = Wire<V1ResourceRequirements>;
export type EnvVar = Wire<V1EnvVar>;
export type LifecycleHandler = Wire<V1LifecycleHandler>;
export type Probe = Wire<V1Probe>;
export type Volume = Wire<V1Volume>;
export type VolumeMount = Wire<V1VolumeMount>;

export type ConfigMap = KubeObject & Pick<Wire<V1ConfigMap>, "data" | "binaryData" | "immutable">;
export type Secret = KubeObject & Pick<Wire<V1Secret>, "data" | "type" | "immutable">;

/** `name_namespace(uid)`: how the kubelet names a pod in messages. */
export const printPod = ({ metadata }: Pod) => `${metadata.name}_${metadata.namespace}(${metadata.uid})`;
