/** Kubernetes objects as the agent reads them: their types, and what their texts mean. The client is in shared/client. */
export { CRITICAL_PRIORITY, isCritical, isStatic } from "./critical.ts";
export { expandVariables } from "./expansion.ts";
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
