import { isReady } from "../../shared/api/conditions.ts";
import { isPodTerminal } from "../../shared/api/pod-phase.ts";
import type { DiscoveryV1EndpointPort, Pod, Service, ServicePort } from "../../shared/api/types.ts";
import { type Informer, keyOf, matchesLabels } from "../runtime/index.ts";

/** A pod's addresses; of kubelets that tell one only, that. */
export const ipsOf = ({ status }: Pod): string[] =>
  status?.podIPs?.map(({ ip }) => ip) ?? (status?.podIP ? [status.podIP] : []);

/** The Service has endpoints that come from pods: it selects some, and is more than a name for something outside. */
export const selectsPods = (service: Service): boolean =>
  service.spec?.type !== "ExternalName" && Object.keys(service.spec?.selector ?? {}).length > 0;

export function podsOf(service: Service, pods: Informer<Pod>): Pod[] {
  return pods
    .list(service.metadata.namespace ?? "")
    .filter((pod) => matchesLabels(service.spec?.selector, pod.metadata.labels))
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** The keys of the Services that select the pod. */
export function servicesOf(pod: Pod, services: Informer<Service>): string[] {
  return services
    .list(pod.metadata.namespace ?? "")
    .filter((service) => selectsPods(service) && matchesLabels(service.spec?.selector, pod.metadata.labels))
    .map(keyOf);
}

/** It has an address and has not ended. */
export const hasEndpoint = (pod: Pod): boolean =>
  !isPodTerminal(pod) && (!!pod.status?.podIP || !!pod.status?.podIPs?.length);

/** Whether endpoints look different after this change of a pod; labels apart. */
export function isEndpointChanged(old: Pod, pod: Pod): boolean {
  return (
    hasEndpoint(old) !== hasEndpoint(pod) ||
    isReady(old) !== isReady(pod) ||
    !!old.metadata.deletionTimestamp !== !!pod.metadata.deletionTimestamp ||
    old.spec.nodeName !== pod.spec.nodeName ||
    JSON.stringify(old.status?.podIPs) !== JSON.stringify(pod.status?.podIPs)
  );
}

/** The ports of a Service as they are on one pod: named target ports are looked up in its containers and sidecars. */
export function portsOn(pod: Pod, service: Service): DiscoveryV1EndpointPort[] {
  const found: DiscoveryV1EndpointPort[] = [];
  for (const servicePort of service.spec?.ports ?? []) {
    const port = portOn(pod, servicePort);
    if (port === undefined) continue;
    const { name = "", protocol = "TCP", appProtocol } = servicePort;
    found.push({ name, port, protocol, ...(appProtocol ? { appProtocol } : {}) });
  }
  return found;
}

function portOn(pod: Pod, { targetPort, port, protocol = "TCP" }: ServicePort): number | undefined {
  if (targetPort === undefined || targetPort === 0) return port;
  if (typeof targetPort === "number") return targetPort;
  const sidecars = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  for (const container of [...pod.spec.containers, ...sidecars])
    for (const candidate of container.ports ?? [])
      if (candidate.name === targetPort && (candidate.protocol ?? "TCP") === protocol) return candidate.containerPort;
  return undefined;
}

/** The pod's own name in DNS below a headless Service. */
export const hostnameOf = (pod: Pod, service: Service): string | undefined =>
  pod.spec.hostname && pod.spec.subdomain === service.metadata.name ? pod.spec.hostname : undefined;

export const isHeadless = (service: Service): boolean => service.spec?.clusterIP === "None" || !service.spec?.clusterIP;
