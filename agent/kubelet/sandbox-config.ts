import type { Container, Pod } from "../api/index.ts";
import { type CgroupSettings, containerResources, podCgroupParent } from "../cgroup/index.ts";
import type { DnsConfig, PortMapping, SandboxConfig, UserNamespace } from "../cri/index.ts";
import type { ResizePolicies } from "../resize/index.ts";
import { type ClusterDns, decideDns } from "./dns-config.ts";
import {
  INSTANCE_ANNOTATION,
  kernelHostname,
  POD_NAME_LABEL,
  POD_NAMESPACE_LABEL,
  POD_UID_LABEL,
  podLogDirectory,
} from "./names.ts";
import { sandboxSecurityContext } from "./security-context.ts";

/** What of the node goes into a pod's sandbox and containers. */
export interface NodeFacts {
  /** Tells the agents of one machine apart. */
  instance: string;
  nodeName: string;
  /** The first is the primary one. */
  hostIps: string[];
  memoryBytes: number;
  cpuMilli: number;
  dns: ClusterDns;
  /** As it is when a sandbox is made: DHCP changes it. */
  readonly hostDns: DnsConfig;
  /** Whether the kernel can enforce AppArmor profiles. */
  hasAppArmor: boolean;
  cgroups: CgroupSettings;
  resizePolicies: ResizePolicies;
  podLogsRoot: string;
}

/**
 * @param onOmitted told of what does not fit into the pod's resolv.conf
 * @throws Error if the pod's name is too long for the kernel
 */
export function renderSandboxConfig(
  pod: Pod,
  {
    attempt,
    node,
    userNamespace,
    onOmitted,
  }: { attempt: number; node: NodeFacts; userNamespace: UserNamespace; onOmitted?: (message: string) => void },
): SandboxConfig {
  const { name, namespace, uid, labels, annotations } = pod.metadata;
  return {
    metadata: { name, namespace, uid, attempt },
    hostname: pod.spec.hostNetwork ? "" : kernelHostname(pod, node.dns.domain),
    logDirectory: podLogDirectory(pod, node.podLogsRoot),
    dnsConfig: decideDns(pod, node.dns, node.hostDns, onOmitted),
    portMappings: pod.spec.hostNetwork ? [] : pod.spec.containers.flatMap(portMappings),
    labels: { ...labels, [POD_NAME_LABEL]: name, [POD_NAMESPACE_LABEL]: namespace, [POD_UID_LABEL]: uid },
    annotations: { ...annotations, [INSTANCE_ANNOTATION]: node.instance },
    linux: {
      cgroupParent: podCgroupParent(pod, node.cgroups),
      securityContext: sandboxSecurityContext(pod, userNamespace),
      sysctls: Object.fromEntries((pod.spec.securityContext?.sysctls ?? []).map(({ name, value }) => [name, value])),
      resources: sumResources(pod, node),
    },
  };
}

function portMappings({ ports }: Container): PortMapping[] {
  return (ports ?? []).map(({ protocol, containerPort, hostPort, hostIP }) => ({
    protocol: protocol as PortMapping["protocol"],
    containerPort,
    hostPort: hostPort ?? 0,
    hostIp: hostIP ?? "",
  }));
}

/** For runtimes that size the sandbox (virtual machines). Limits count only if every container has one. */
function sumResources(pod: Pod, node: NodeFacts) {
  const all = pod.spec.containers.map((container) => containerResources(pod, container, node.cgroups));
  const sum = (pick: (resources: (typeof all)[number]) => number | undefined) =>
    all.every((resources) => pick(resources) !== undefined)
      ? all.reduce((total, resources) => total + pick(resources)!, 0)
      : 0;
  return {
    cpuPeriod: all[0]?.cpuPeriod,
    cpuShares: sum(({ cpuShares }) => cpuShares),
    cpuQuota: sum(({ cpuQuota }) => cpuQuota),
    memoryLimitInBytes: sum(({ memoryLimitInBytes }) => memoryLimitInBytes),
  };
}
