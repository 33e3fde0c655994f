/**
 * CRI v1 messages as proto-loader hands them over: camelCase, enums as their names, int64 as numbers (times are epoch
 * nanoseconds and so exact to about 256 ns), unset scalars as zero values and unset messages as null.
 */

export type SandboxState = "SANDBOX_READY" | "SANDBOX_NOTREADY";
export type ContainerState = "CONTAINER_CREATED" | "CONTAINER_RUNNING" | "CONTAINER_EXITED" | "CONTAINER_UNKNOWN";
export type NamespaceMode = "POD" | "CONTAINER" | "NODE" | "TARGET";
export type MountPropagation = "PROPAGATION_PRIVATE" | "PROPAGATION_HOST_TO_CONTAINER" | "PROPAGATION_BIDIRECTIONAL";

export interface SandboxMetadata {
  name: string;
  uid: string;
  namespace: string;
  attempt: number;
}

export interface ContainerMetadata {
  name: string;
  attempt: number;
}

/** `length` ids from `containerId` on are those from `hostId` on. */
export interface IdMapping {
  hostId: number;
  containerId: number;
  length: number;
}

export interface UserNamespace {
  /** NODE: the machine's own. */
  mode: "POD" | "NODE";
  uids?: IdMapping[];
  gids?: IdMapping[];
}

/** Of one of the runtime's handlers; the default one's name is empty. */
export interface RuntimeHandler {
  name: string;
  features: { recursiveReadOnlyMounts: boolean; userNamespaces: boolean } | null;
}

/** What a runtime can do, and how it is. */
export interface RuntimeReport {
  conditions: RuntimeCondition[];
  info: Record<string, string>;
  /** Empty from runtimes that do not tell (containerd before 2.0). */
  runtimeHandlers: RuntimeHandler[];
  features: { supplementalGroupsPolicy: boolean } | null;
}

/** Whose groups a process has: the pod's with the image's, or the pod's alone (KEP-3619). */
export type SupplementalGroupsPolicy = "Merge" | "Strict";

export interface NamespaceOptions {
  network: NamespaceMode;
  pid: NamespaceMode;
  ipc: NamespaceMode;
  targetId?: string;
  usernsOptions?: UserNamespace;
}

export interface SecurityProfile {
  profileType: "RuntimeDefault" | "Unconfined" | "Localhost";
  localhostRef?: string;
}

export interface SeLinuxOptions {
  user?: string;
  role?: string;
  type?: string;
  level?: string;
}

export interface Int64Value {
  value: number;
}

export interface LinuxResources {
  /** Microseconds. */
  cpuPeriod?: number;
  /** Microseconds in each period; 0 leaves it unset, -1 is no limit. */
  cpuQuota?: number;
  cpuShares?: number;
  memoryLimitInBytes?: number;
  oomScoreAdj?: number;
  cpusetCpus?: string;
  cpusetMems?: string;
  /** By page size as cgroupfs names it: `2MB`. */
  hugepageLimits?: { pageSize: string; limit: number }[];
  /** cgroup v2 files by name. */
  unified?: Record<string, string>;
  memorySwapLimitInBytes?: number;
}

export interface DnsConfig {
  servers: string[];
  searches: string[];
  options: string[];
}

export interface PortMapping {
  protocol: "TCP" | "UDP" | "SCTP";
  containerPort: number;
  hostPort: number;
  hostIp?: string;
}

export interface SandboxConfig {
  metadata: SandboxMetadata;
  hostname?: string;
  logDirectory: string;
  dnsConfig?: DnsConfig;
  portMappings?: PortMapping[];
  labels: Record<string, string>;
  annotations: Record<string, string>;
  linux: {
    cgroupParent?: string;
    securityContext?: {
      namespaceOptions: NamespaceOptions;
      selinuxOptions?: SeLinuxOptions;
      runAsUser?: Int64Value;
      runAsGroup?: Int64Value;
      readonlyRootfs?: boolean;
      supplementalGroups?: number[];
      supplementalGroupsPolicy?: SupplementalGroupsPolicy;
      privileged?: boolean;
      seccomp?: SecurityProfile;
      apparmor?: SecurityProfile;
    };
    sysctls?: Record<string, string>;
    overhead?: LinuxResources;
    resources?: LinuxResources;
  };
}

export interface Sandbox {
  id: string;
  metadata: SandboxMetadata;
  state: SandboxState;
  createdAt: number;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  runtimeHandler: string;
}

export interface SandboxStatus extends Sandbox {
  /** Null for a sandbox in the host's network. */
  network: { ip: string; additionalIps: { ip: string }[] } | null;
  linux: { namespaces: { options: NamespaceOptions | null } | null } | null;
}

export interface ImageSpec {
  image: string;
  annotations?: Record<string, string>;
  userSpecifiedImage?: string;
  runtimeHandler?: string;
}

export interface Mount {
  containerPath: string;
  hostPath: string;
  readonly?: boolean;
  propagation?: MountPropagation;
  recursiveReadOnly?: boolean;
  uidMappings?: IdMapping[];
  gidMappings?: IdMapping[];
  /** What to mount instead of a path of the host's; unknown to containerd before 2.1. */
  image?: ImageSpec;
  imageSubPath?: string;
}

export interface ContainerSecurityContext {
  capabilities?: { addCapabilities: string[]; dropCapabilities: string[] };
  privileged?: boolean;
  namespaceOptions: NamespaceOptions;
  selinuxOptions?: SeLinuxOptions;
  runAsUser?: Int64Value;
  runAsGroup?: Int64Value;
  runAsUsername?: string;
  readonlyRootfs?: boolean;
  supplementalGroups?: number[];
  supplementalGroupsPolicy?: SupplementalGroupsPolicy;
  noNewPrivs?: boolean;
  maskedPaths?: string[];
  readonlyPaths?: string[];
  seccomp?: SecurityProfile;
  apparmor?: SecurityProfile;
}

export interface ContainerConfig {
  metadata: ContainerMetadata;
  image: ImageSpec;
  command?: string[];
  args?: string[];
  workingDir?: string;
  envs?: { key: string; value: Buffer }[];
  mounts?: Mount[];
  devices?: { containerPath: string; hostPath: string; permissions: string }[];
  labels: Record<string, string>;
  annotations: Record<string, string>;
  /** Relative to the sandbox's log directory. */
  logPath: string;
  stdin?: boolean;
  stdinOnce?: boolean;
  tty?: boolean;
  linux: { resources?: LinuxResources; securityContext?: ContainerSecurityContext };
}

export interface Container {
  id: string;
  podSandboxId: string;
  metadata: ContainerMetadata;
  image: ImageSpec | null;
  imageRef: string;
  state: ContainerState;
  createdAt: number;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  imageId: string;
}

export interface ContainerStatus {
  id: string;
  metadata: ContainerMetadata;
  state: ContainerState;
  createdAt: number;
  startedAt: number;
  finishedAt: number;
  exitCode: number;
  image: ImageSpec | null;
  imageRef: string;
  reason: string;
  message: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  mounts: Mount[];
  /** Absolute. */
  logPath: string;
  resources: { linux: LinuxResources | null } | null;
  imageId: string;
  /** As whom its first process began; null from runtimes that do not tell (containerd before 2.0). */
  user: { linux: ContainerUser | null } | null;
}

export interface ContainerUser {
  uid: number;
  gid: number;
  supplementalGroups: number[];
}

export interface Image {
  /** `sha256:…` of the image's configuration. */
  id: string;
  repoTags: string[];
  repoDigests: string[];
  size: number;
  uid: Int64Value | null;
  username: string;
  pinned: boolean;
}

export interface AuthConfig {
  username?: string;
  password?: string;
  auth?: string;
  serverAddress?: string;
  identityToken?: string;
  registryToken?: string;
}

export interface UInt64Value {
  value: number;
}

export interface FilesystemUsage {
  timestamp: number;
  fsId: { mountpoint: string } | null;
  usedBytes: UInt64Value | null;
  inodesUsed: UInt64Value | null;
}

export interface ContainerStats {
  attributes: { id: string; metadata: ContainerMetadata; labels: Record<string, string> } | null;
  cpu: { timestamp: number; usageCoreNanoSeconds: UInt64Value | null; usageNanoCores: UInt64Value | null } | null;
  memory: {
    timestamp: number;
    workingSetBytes: UInt64Value | null;
    availableBytes: UInt64Value | null;
    usageBytes: UInt64Value | null;
    rssBytes: UInt64Value | null;
  } | null;
  writableLayer: FilesystemUsage | null;
}

export interface ContainerEvent {
  containerId: string;
  containerEventType:
    | "CONTAINER_CREATED_EVENT"
    | "CONTAINER_STARTED_EVENT"
    | "CONTAINER_STOPPED_EVENT"
    | "CONTAINER_DELETED_EVENT";
  createdAt: number;
  podSandboxStatus: SandboxStatus | null;
  containersStatuses: ContainerStatus[];
}

export interface RuntimeCondition {
  type: string;
  status: boolean;
  reason: string;
  message: string;
}

export interface RuntimeVersion {
  version: string;
  runtimeName: string;
  runtimeVersion: string;
  runtimeApiVersion: string;
}
