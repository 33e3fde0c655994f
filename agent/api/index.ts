/** Kubernetes objects as the agent reads them. Types and their printing only; the client is in shared/client. */
export {
  type ConfigMap,
  type Container,
  type ContainerPort,
  type ContainerState,
  type ContainerStatus,
  type EnvVar,
  type LifecycleHandler,
  type Pod,
  type PodCondition,
  type PodSpec,
  type PodStatus,
  type Probe,
  printPod,
  type ResourceRequirements,
  type Secret,
  type Volume,
  type VolumeMount,
} from "./pod.ts";
export { whyUnusable } from "./usable.ts";
