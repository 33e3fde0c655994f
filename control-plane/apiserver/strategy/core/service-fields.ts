import type { Service } from "../../../../shared/api/types.ts";
import { isEqual } from "../equality.ts";

export const isHeadless = ({ spec }: Service): boolean =>
  spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === "None";

/** Traffic from outside may come in through node ports, a balancer or external addresses. */
export const isReachableFromOutside = ({ spec }: Service): boolean =>
  spec.type === "LoadBalancer" ||
  spec.type === "NodePort" ||
  (spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0);

export const needsHealthCheckPort = ({ spec }: Service): boolean =>
  spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";

export const needsClusterIp = ({ spec }: Service): boolean => spec.type !== "ExternalName";

/** Whether each port gets a port on the nodes without being asked for one. */
export const needsNodePorts = ({ spec }: Service): boolean =>
  spec.type === "NodePort" || (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false);

const sameClusterIps = (a: Service, b: Service) =>
  a.spec.clusterIP === b.spec.clusterIP && isEqual(a.spec.clusterIPs, b.spec.clusterIPs);

/** `clusterIP` and `clusterIPs` say the same; a client that knows only the first may set, change or clear it. */
export function normalizeClusterIps(service: Service, old?: Service): void {
  const { spec } = service;
  const has = (list: string[] | undefined) => (list ?? []).length > 0;
  if (!old) {
    if (spec.clusterIP && !has(spec.clusterIPs)) spec.clusterIPs = [spec.clusterIP];
    return;
  }
  const [now = "", before = ""] = [spec.clusterIP, old.spec.clusterIP];
  if (has(old.spec.clusterIPs) && !has(spec.clusterIPs) && now === before) spec.clusterIPs = old.spec.clusterIPs;
  if (now === before || !isEqual(spec.clusterIPs, old.spec.clusterIPs)) return;
  if (before !== "" && now === "") delete spec.clusterIPs;
  else spec.clusterIPs = [now];
}

/** What the server has allocated stays when an update leaves it out. */
export function keepAllocations(service: Service, old: Service): void {
  const { spec } = service;
  if (needsClusterIp(old) && needsClusterIp(service)) {
    spec.clusterIP ||= old.spec.clusterIP;
    if (!spec.clusterIPs?.length && old.spec.clusterIPs?.length) spec.clusterIPs = [...old.spec.clusterIPs];
  }
  if (needsNodePorts(old) && needsNodePorts(service)) {
    const asked = new Set((spec.ports ?? []).map(({ nodePort }) => nodePort));
    const byName = new Map((old.spec.ports ?? []).map(({ name = "", nodePort }) => [name, nodePort]));
    for (const port of spec.ports ?? []) {
      const before = byName.get(port.name ?? "");
      if (!port.nodePort && before && !asked.has(before)) port.nodePort = before;
    }
  }
  if (needsHealthCheckPort(old) && needsHealthCheckPort(service)) {
    spec.healthCheckNodePort ||= old.spec.healthCheckNodePort;
  }
}

/** A service that changes its type loses what only the old type used, unless the client has changed it too. */
export function dropUnusedFields(service: Service, old: Service): void {
  const { spec } = service;
  const before = old.spec;
  if (needsClusterIp(old) && !needsClusterIp(service)) {
    if (sameClusterIps(service, old)) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (isEqual(spec.ipFamilies, before.ipFamilies)) delete spec.ipFamilies;
    if (spec.ipFamilyPolicy === before.ipFamilyPolicy) delete spec.ipFamilyPolicy;
  }
  const usesPorts = ({ type }: Service["spec"]) => type === "NodePort" || type === "LoadBalancer";
  if (usesPorts(before) && !usesPorts(spec)) {
    const known = new Set((before.ports ?? []).map(({ nodePort }) => nodePort));
    const ports = spec.ports ?? [];
    if (ports.every(({ nodePort }) => !nodePort || known.has(nodePort))) for (const port of ports) delete port.nodePort;
  }
  if (needsHealthCheckPort(old) && !needsHealthCheckPort(service)) {
    if (spec.healthCheckNodePort === before.healthCheckNodePort) delete spec.healthCheckNodePort;
  }
  const wasBalancer = before.type === "LoadBalancer" && spec.type !== "LoadBalancer";
  if (wasBalancer && spec.allocateLoadBalancerNodePorts === before.allocateLoadBalancerNodePorts) {
    delete spec.allocateLoadBalancerNodePorts;
  }
  if (wasBalancer && spec.loadBalancerClass === before.loadBalancerClass) delete spec.loadBalancerClass;
  if (isReachableFromOutside(old) && !isReachableFromOutside(service)) {
    if (spec.externalTrafficPolicy === before.externalTrafficPolicy) delete spec.externalTrafficPolicy;
  }
  if (spec.type !== "LoadBalancer") service.status = { ...service.status, loadBalancer: {} };
}
