import type { KubeObject } from "../../../shared/api/object.ts";
import { RESOURCES } from "../../../shared/schema/index.ts";

/*
 * Each version that this server serves has an APIService, as upstream's autoregistration makes them: clients tell from
 * it that nobody else serves the version, and in what order groups and versions come.
 */

/** Upstream's priorities of its groups (kube-apiserver, aggregator.go). */
const GROUP_PRIORITIES: Record<string, number> = {
  "": 18_000,
  apps: 17_800,
  "events.k8s.io": 17_750,
  "authentication.k8s.io": 17_700,
  "authorization.k8s.io": 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  "certificates.k8s.io": 17_300,
  "networking.k8s.io": 17_200,
  policy: 17_100,
  "rbac.authorization.k8s.io": 17_000,
  "storage.k8s.io": 16_800,
  "admissionregistration.k8s.io": 16_700,
  "apiextensions.k8s.io": 16_700,
  "scheduling.k8s.io": 16_600,
  "coordination.k8s.io": 16_500,
  "node.k8s.io": 16_300,
  "discovery.k8s.io": 16_200,
  "resource.k8s.io": 16_200,
  "flowcontrol.apiserver.k8s.io": 16_100,
};
const VERSION_PRIORITIES: Record<string, number> = {
  "v1.": 1,
  "v2.autoscaling": 30,
  "v1.flowcontrol.apiserver.k8s.io": 21,
  "v1.resource.k8s.io": 21,
};
const USUAL_VERSION_PRIORITY = 15;

/** Of all groups but apiregistration.k8s.io, which upstream does not register with itself. */
export const API_SERVICE_OBJECTS: KubeObject[] = [
  ...new Map(RESOURCES.map(({ group, version }) => [`${version}.${group}`, { group, version }])),
].flatMap(([name, { group, version }]) => {
  const groupPriorityMinimum = GROUP_PRIORITIES[group];
  if (groupPriorityMinimum === undefined) return [];
  const versionPriority = VERSION_PRIORITIES[name] ?? USUAL_VERSION_PRIORITY;
  return [
    {
      metadata: { name, labels: { "kube-aggregator.kubernetes.io/automanaged": "onstart" } },
      spec: { ...(group === "" ? {} : { group }), version, groupPriorityMinimum, versionPriority },
    },
  ];
});
