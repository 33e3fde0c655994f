import type { Pod } from "./pod.ts";

/** system-cluster-critical, from where pods are critical. */
export const CRITICAL_PRIORITY = 2_000_000_000;

/** From a file of the node, not from the API. */
export const isStatic = ({ metadata }: Pod): boolean =>
  (metadata.annotations?.["kubernetes.io/config.source"] ?? "api") !== "api";

/** Whether the node does without everything else before it does without this pod. */
export const isCritical = (pod: Pod): boolean => isStatic(pod) || (pod.spec.priority ?? 0) >= CRITICAL_PRIORITY;
