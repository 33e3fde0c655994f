/**
 * How a cluster's scheduler is configured: a KubeSchedulerConfiguration in the ConfigMap `kube-system/hearth-scheduler`
 * gives profiles by `schedulerName`, each with its plugins, their weights and arguments.
 */

export { CONFIG_MAP, parseSchedulerConfiguration, type SchedulerConfiguration } from "./configuration.ts";
export { type Profile, profilesOf } from "./profile.ts";
