/**
 * The container runtime as the agent sees it: CRI v1 over its unix socket. Typed calls and translated errors, no rules;
 * what to call and when is the kubelet's matter.
 */
export {
  type ContainerFilter,
  type CriClient,
  connectRuntime,
  type ExecOptions,
  type SandboxFilter,
} from "./client.ts";
export {
  CriError,
  type CriErrorCode,
  ignoreNotFound,
  isCriNotFound,
  isCriUnavailable,
  isCriUnimplemented,
} from "./errors.ts";
export { withFirstFamily } from "./first-family.ts";
export type {
  AuthConfig,
  Container,
  ContainerConfig,
  ContainerEvent,
  ContainerSecurityContext,
  ContainerState,
  ContainerStats,
  ContainerStatus,
  ContainerUser,
  DnsConfig,
  FilesystemUsage,
  IdMapping,
  Image,
  ImageSpec,
  LinuxResources,
  Mount,
  MountPropagation,
  NamespaceOptions,
  PortMapping,
  RuntimeCondition,
  RuntimeHandler,
  RuntimeReport,
  RuntimeVersion,
  Sandbox,
  SandboxConfig,
  SandboxStatus,
  SecurityProfile,
  SupplementalGroupsPolicy,
  UserNamespace,
} from "./types.ts";
