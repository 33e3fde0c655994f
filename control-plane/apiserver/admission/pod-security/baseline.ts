import { quote } from "../../../../shared/api/field-error.ts";
import type { Container, SELinuxOptions } from "../../../../shared/api/types.ts";
import {
  type Check,
  containersOf,
  distinct,
  hasUserNamespace,
  namesWhere,
  type PodLike,
  plural,
  printContainers,
  printSetters,
  quoteAll,
  type Violation,
} from "./check.ts";

/*
 * The rules of the level `baseline`: no known way out of a container.
 * See https://kubernetes.io/docs/concepts/security/pod-security-standards/
 */

const APPARMOR_ANNOTATION = "container.apparmor.security.beta.kubernetes.io/";
const SECCOMP_POD_ANNOTATION = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_ANNOTATION = "container.seccomp.security.alpha.kubernetes.io/";

export const isConfinedType = (type: string): boolean => type === "RuntimeDefault" || type === "Localhost";

export const appArmorProfile: Check = ({ metadata, spec }) => {
  const typeOf = ({ securityContext }: { securityContext?: Container["securityContext"] }) =>
    securityContext?.appArmorProfile?.type;
  const isBad = (type: string | undefined): type is string => type !== undefined && !isConfinedType(type);
  const podType = spec.securityContext?.appArmorProfile?.type;
  const containers = containersOf(spec).filter((container) => isBad(typeOf(container)));
  const annotations = Object.entries(metadata?.annotations ?? {})
    .filter(([key, value]) => key.startsWith(APPARMOR_ANNOTATION) && !isAllowedAnnotation(value))
    .map(([key, value]) => `${key}=${quote(value)}`);
  const setters = [
    printSetters(
      isBad(podType),
      containers.map(({ name }) => name),
    ),
  ].filter((text) => text !== "");
  if (annotations.length > 0) setters.push(plural(annotations.length, "annotation"));
  if (setters.length === 0) return undefined;
  const types = [podType, ...containers.map(typeOf)].filter(isBad);
  const values = [...distinct(types), ...distinct(annotations)];
  return {
    reason: plural(values.length, "forbidden AppArmor profile"),
    detail: `${setters.join(" and ")} must not set AppArmor profile type to ${quoteAll(values)}`,
  };
};

const isAllowedAnnotation = (value: string): boolean =>
  value === "" || value === "runtime/default" || value.startsWith("localhost/");

const isConfinedBy = (value: string): boolean =>
  value === "runtime/default" || value === "docker/default" || value.startsWith("localhost/");

const DEFAULT_CAPABILITIES = new Set(
  "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT".split(
    " ",
  ),
);

export const capabilities: Check = ({ spec }) => {
  const added = ({ securityContext }: Container) =>
    (securityContext?.capabilities?.add ?? []).filter((name) => !DEFAULT_CAPABILITIES.has(name));
  const containers = containersOf(spec).filter((container) => added(container).length > 0);
  if (containers.length === 0) return undefined;
  const names = printContainers(containers.map(({ name }) => name));
  const detail = `${names} must not include ${quoteAll(distinct(containers.flatMap(added)))} in securityContext.capabilities.add`;
  return { reason: "non-default capabilities", detail };
};

export const hostNamespaces: Check = ({ spec }) => {
  const shared = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((name) => spec[name]);
  if (shared.length === 0) return undefined;
  return { reason: "host namespaces", detail: shared.map((name) => `${name}=true`).join(", ") };
};

export const hostPathVolumes: Check = ({ spec }) => {
  const volumes = (spec.volumes ?? []).filter(({ hostPath }) => hostPath).map(({ name }) => name);
  if (volumes.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: `${plural(volumes.length, "volume")} ${quoteAll(volumes)}` };
};

export const hostPorts: Check = ({ spec }) => {
  const portsOf = ({ ports = [] }: Container) => ports.flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));
  const containers = containersOf(spec).filter((container) => portsOf(container).length > 0);
  if (containers.length === 0) return undefined;
  const ports = distinct(containers.flatMap(portsOf));
  const names = printContainers(containers.map(({ name }) => name));
  const detail = `${names} ${plural(containers.length, "uses", "use")} ${plural(ports.length, "hostPort")} ${ports.join(", ")}`;
  return { reason: "hostPort", detail };
};

/** Probes and hooks that talk to another host make the node talk to it (KEP-4940). */
export const hostProbes: Check = ({ spec }) => {
  const hostsOf = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container) =>
    [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].flatMap((handler) =>
      [handler?.httpGet?.host, handler?.tcpSocket?.host].filter((host) => host !== undefined && host !== ""),
    ) as string[];
  const containers = containersOf(spec).filter((container) => hostsOf(container).length > 0);
  if (containers.length === 0) return undefined;
  const names = distinct(containers.map(({ name }) => name));
  const hosts = distinct(containers.flatMap(hostsOf));
  const detail = `${printContainers(names)} ${plural(names.length, "uses", "use")} ${plural(hosts.length, "probe or lifecycle host")} ${quoteAll(hosts)}`;
  return { reason: "probe or lifecycle host", detail };
};

export const privileged: Check = ({ spec }) => {
  const names = namesWhere(spec, ({ securityContext }) => securityContext?.privileged === true);
  if (names.length === 0) return undefined;
  return { reason: "privileged", detail: `${printContainers(names)} must not set securityContext.privileged=true` };
};

export const procMount: Check = ({ spec }) => {
  const typeOf = ({ securityContext }: Container) => securityContext?.procMount ?? "Default";
  const containers = containersOf(spec).filter((container) => typeOf(container) !== "Default");
  if (containers.length === 0) return undefined;
  const names = printContainers(containers.map(({ name }) => name));
  const detail = `${names} must not set securityContext.procMount to ${quoteAll(distinct(containers.map(typeOf)))}`;
  return { reason: "procMount", detail };
};

export const procMountOutsideUserNamespace: Check = (pod) => (hasUserNamespace(pod.spec) ? undefined : procMount(pod));

/** As annotations said it before 1.19. */
export const seccompAnnotations: Check = ({ metadata, spec }) => {
  const { annotations = {} } = metadata ?? {};
  const keys = [SECCOMP_POD_ANNOTATION, ...containersOf(spec).map(({ name }) => SECCOMP_ANNOTATION + name)];
  const forbidden = keys.flatMap((key) => {
    const value = annotations[key];
    return value === undefined || isConfinedBy(value) ? [] : [`${key}=${quote(value)}`];
  });
  if (forbidden.length === 0) return undefined;
  const listed = distinct(forbidden);
  return { reason: "seccompProfile", detail: `forbidden ${plural(listed.length, "annotation")} ${listed.join(", ")}` };
};

const seccompTypeOf = ({ securityContext }: Container) => securityContext?.seccompProfile?.type;

export const isUnconfined = (type: string | undefined): type is string => type !== undefined && !isConfinedType(type);

export const seccompProfile: Check = ({ spec }) => {
  const podType = spec.securityContext?.seccompProfile?.type;
  const containers = containersOf(spec).filter((container) => isUnconfined(seccompTypeOf(container)));
  const setters = printSetters(
    isUnconfined(podType),
    containers.map(({ name }) => name),
  );
  if (setters === "") return undefined;
  const types = [podType, ...containers.map(seccompTypeOf)].filter(isUnconfined);
  const detail = `${setters} must not set securityContext.seccompProfile.type to ${quoteAll(distinct(types))}`;
  return { reason: "seccompProfile", detail };
};

const SELINUX_TYPES = ["", "container_t", "container_init_t", "container_kvm_t"];

function checkSeLinux({ spec }: PodLike, allowed: readonly string[]): Violation | undefined {
  const isOddType = ({ type = "" }: SELinuxOptions) => !allowed.includes(type);
  const isBad = (options: SELinuxOptions | undefined): options is SELinuxOptions =>
    options !== undefined && (isOddType(options) || Boolean(options.user) || Boolean(options.role));
  const podOptions = spec.securityContext?.seLinuxOptions;
  const containers = containersOf(spec).filter(({ securityContext }) => isBad(securityContext?.seLinuxOptions));
  const setters = printSetters(
    isBad(podOptions),
    containers.map(({ name }) => name),
  );
  if (setters === "") return undefined;
  const bad = [podOptions, ...containers.map(({ securityContext }) => securityContext?.seLinuxOptions)].filter(isBad);
  const types = distinct(bad.filter(isOddType).map(({ type = "" }) => type));
  const faults = types.length > 0 ? [`${plural(types.length, "type")} ${quoteAll(types)}`] : [];
  if (bad.some(({ user }) => user)) faults.push("user may not be set");
  if (bad.some(({ role }) => role)) faults.push("role may not be set");
  const detail = `${setters} set forbidden securityContext.seLinuxOptions: ${faults.join("; ")}`;
  return { reason: "seLinuxOptions", detail };
}

export const seLinuxOptions: Check = (pod) => checkSeLinux(pod, SELINUX_TYPES);
export const seLinuxOptionsWithEngine: Check = (pod) => checkSeLinux(pod, [...SELINUX_TYPES, "container_engine_t"]);

/** Sysctls that touch the pod alone, by the minor version that took them for safe. */
const SAFE_SYSCTLS: [sinceMinor: number, names: string][] = [
  [
    0,
    "kernel.shm_rmid_forced net.ipv4.ip_local_port_range net.ipv4.tcp_syncookies net.ipv4.ping_group_range net.ipv4.ip_unprivileged_port_start",
  ],
  [27, "net.ipv4.ip_local_reserved_ports"],
  [
    29,
    "net.ipv4.tcp_keepalive_time net.ipv4.tcp_fin_timeout net.ipv4.tcp_keepalive_intvl net.ipv4.tcp_keepalive_probes",
  ],
  [32, "net.ipv4.tcp_rmem net.ipv4.tcp_wmem"],
];

/** The check as of a minor version. */
export function sysctlsOf(minor: number): Check {
  const safe = new Set(SAFE_SYSCTLS.flatMap(([since, names]) => (since <= minor ? names.split(" ") : [])));
  return ({ spec }) => {
    const forbidden = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !safe.has(name));
    return forbidden.length === 0 ? undefined : { reason: "forbidden sysctls", detail: forbidden.join(", ") };
  };
}

export const windowsHostProcess: Check = ({ spec }) => {
  const names = namesWhere(spec, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true);
  const setters = printSetters(spec.securityContext?.windowsOptions?.hostProcess === true, names);
  if (setters === "") return undefined;
  return { reason: "hostProcess", detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true` };
};
