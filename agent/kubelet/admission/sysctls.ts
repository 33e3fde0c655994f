import type { Pod } from "../../api/index.ts";

type Namespace = "IPC" | "Net";

/** Namespaced in the pod, and without influence on its neighbours (Kubernetes docs, "Using sysctls"). */
const SAFE_SYSCTLS: Record<string, Namespace> = {
  "kernel.shm_rmid_forced": "IPC",
  "net.ipv4.ip_local_port_range": "Net",
  "net.ipv4.ip_local_reserved_ports": "Net",
  "net.ipv4.ip_unprivileged_port_start": "Net",
  "net.ipv4.ping_group_range": "Net",
  "net.ipv4.tcp_fin_timeout": "Net",
  "net.ipv4.tcp_keepalive_intvl": "Net",
  "net.ipv4.tcp_keepalive_probes": "Net",
  "net.ipv4.tcp_keepalive_time": "Net",
  "net.ipv4.tcp_rmem": "Net",
  "net.ipv4.tcp_syncookies": "Net",
  "net.ipv4.tcp_wmem": "Net",
};

/** Why a pod's sysctls are refused on the node; undefined if they are all safe, or allowed by its administrator. */
export function whySysctlForbidden({ spec }: Pod, allowed: string[]): string | undefined {
  for (const { name } of spec.securityContext?.sysctls ?? []) {
    const sysctl = normalizeSysctl(name);
    const namespace = SAFE_SYSCTLS[sysctl] ?? namespaceOfAllowed(sysctl, allowed);
    if (!namespace) return `forbidden sysctl: "${sysctl}" not allowlisted`;
    if (namespace === "IPC" ? spec.hostIPC : spec.hostNetwork) {
      return `forbidden sysctl: "${sysctl}" not allowed with host ${namespace} enabled`;
    }
  }
  return undefined;
}

function namespaceOfAllowed(sysctl: string, allowed: string[]): Namespace | undefined {
  const isAllowed = allowed
    .map(normalizeSysctl)
    .some((pattern) => (pattern.endsWith("*") ? sysctl.startsWith(pattern.slice(0, -1)) : sysctl === pattern));
  if (!isAllowed) return undefined;
  return sysctl.startsWith("net.") ? "Net" : "IPC";
}

/** `net/ipv4/x` is `net.ipv4.x`: the first separator decides which one is used, the other is part of a name (sysctl(8)). */
export function normalizeSysctl(name: string): string {
  const first = /[./]/.exec(name)?.[0];
  if (first !== "/") return name;
  return name.replaceAll(/[./]/g, (separator) => (separator === "/" ? "." : "/"));
}
