import {
  duplicate,
  fieldForbidden,
  inclusiveRange,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type {
  AppArmorProfile,
  PodSecurityContext,
  PodSpec,
  SeccompProfile,
  SecurityContext,
} from "../../../../shared/api/types.ts";
import { utf8Length } from "../../../../shared/api/utf8.ts";
import { renderInternal } from "../internal-form/index.ts";
import { type PodCheck, visitContainers } from "./context.ts";
import { checkDescendingPath } from "./paths.ts";
import { checkWindowsOptions } from "./windows-options.ts";

const MAX_INT32 = 2_147_483_647;

/** MountOption is behind a feature gate that is off in 1.36 (SELinuxMount). */
const SELINUX_CHANGE_POLICIES = ["Recursive"];

/** A user or group of a container. */
export function checkId(id: number | undefined, field: string): StatusCause[] {
  return id === undefined || (id >= 0 && id <= MAX_INT32)
    ? []
    : [invalidValue(field, id, inclusiveRange(0, MAX_INT32))];
}

const PROFILE_TYPES = ["Localhost", "RuntimeDefault", "Unconfined"];

function checkSeccomp(profile: SeccompProfile | undefined, path: string): StatusCause[] {
  if (!profile) return [];
  const causes: StatusCause[] = [];
  if (!profile.type) causes.push(required(`${path}.type`, "type is required when seccompProfile is set"));
  else if (!PROFILE_TYPES.includes(profile.type)) {
    causes.push(notSupported(`${path}.type`, profile.type, PROFILE_TYPES));
  }
  const field = `${path}.localhostProfile`;
  if (profile.type === "Localhost") {
    if (profile.localhostProfile === undefined) {
      causes.push(required(field, "must be set when seccomp type is Localhost"));
    } else causes.push(...checkDescendingPath(profile.localhostProfile, field));
  } else if (profile.localhostProfile !== undefined) {
    const printed = { Type: profile.type ?? "", LocalhostProfile: profile.localhostProfile };
    causes.push(invalidValue(field, printed, "can only be set when seccomp type is Localhost"));
  }
  return causes;
}

/** PATH_MAX - 1. */
const MAX_PROFILE_BYTES = 4095;

function checkAppArmor(profile: AppArmorProfile | undefined, path: string): StatusCause[] {
  if (!profile) return [];
  const field = `${path}.localhostProfile`;
  const name = profile.localhostProfile;
  switch (profile.type ?? "") {
    case "Localhost": {
      if (name === undefined) return [required(field, "must be set when AppArmor type is Localhost")];
      const causes: StatusCause[] = [];
      if (name.trim() !== name) causes.push(invalidValue(field, name, "must not be padded with whitespace"));
      else if (name === "") causes.push(required(field, "must be set when AppArmor type is Localhost"));
      if (utf8Length(name) > MAX_PROFILE_BYTES) causes.push(tooLong(field, MAX_PROFILE_BYTES));
      return causes;
    }
    case "RuntimeDefault":
    case "Unconfined":
      return name === undefined ? [] : [invalidValue(field, name, "can only be set when AppArmor type is Localhost")];
    case "":
      return [required(`${path}.type`, "type is required when appArmorProfile is set")];
    default:
      return [notSupported(`${path}.type`, profile.type, PROFILE_TYPES)];
  }
}

/** A container's security context. */
export function checkSecurityContext(check: PodCheck, context: SecurityContext | undefined, path: string): void {
  if (!context) return;
  const { causes } = check;
  causes.push(...checkId(context.runAsUser, `${path}.runAsUser`), ...checkId(context.runAsGroup, `${path}.runAsGroup`));
  if (context.procMount !== undefined) {
    const field = `${path}.procMount`;
    if (!["Default", "Unmasked"].includes(context.procMount)) {
      causes.push(notSupported(field, context.procMount, ["Default", "Unmasked"]));
    }
    if (check.hostUsers && context.procMount === "Unmasked") {
      causes.push(invalidValue(field, context.procMount, "`hostUsers` must be false to use `Unmasked`"));
    }
  }
  causes.push(...checkSeccomp(context.seccompProfile, `${path}.seccompProfile`));
  if (context.allowPrivilegeEscalation === false) {
    const refuse = (what: string) =>
      invalidValue(path, printSecurityContext(context), `cannot set \`allowPrivilegeEscalation\` to false and ${what}`);
    if (context.privileged) causes.push(refuse("`privileged` to true"));
    if (context.capabilities?.add?.includes("CAP_SYS_ADMIN")) causes.push(refuse("`capabilities.Add` CAP_SYS_ADMIN"));
  }
  causes.push(
    ...checkWindowsOptions(context.windowsOptions, `${path}.windowsOptions`),
    ...checkAppArmor(context.appArmorProfile, `${path}.appArmorProfile`),
  );
}

/** The internal type's fields in their order: upstream prints it whole. */
function printSecurityContext(context: SecurityContext): Record<string, unknown> {
  const { capabilities: caps, seccompProfile: seccomp } = context;
  return {
    Capabilities: caps ? { Add: caps.add ?? null, Drop: caps.drop ?? null } : null,
    Privileged: context.privileged ?? null,
    SELinuxOptions: context.seLinuxOptions ? renderInternal(context.seLinuxOptions, "SELinuxOptions") : null,
    WindowsOptions: context.windowsOptions
      ? renderInternal(context.windowsOptions, "WindowsSecurityContextOptions")
      : null,
    RunAsUser: context.runAsUser ?? null,
    RunAsGroup: context.runAsGroup ?? null,
    RunAsNonRoot: context.runAsNonRoot ?? null,
    ReadOnlyRootFilesystem: context.readOnlyRootFilesystem ?? null,
    AllowPrivilegeEscalation: context.allowPrivilegeEscalation ?? null,
    ProcMount: context.procMount ?? null,
    SeccompProfile: seccomp ? { Type: seccomp.type, LocalhostProfile: seccomp.localhostProfile ?? null } : null,
    AppArmorProfile: context.appArmorProfile ? renderInternal(context.appArmorProfile, "AppArmorProfile") : null,
  };
}

const SYSCTL_SEGMENT = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const SYSCTL = `^(${SYSCTL_SEGMENT}[\\./])*${SYSCTL_SEGMENT}$`;
const sysctlRegex = new RegExp(SYSCTL);
const MAX_SYSCTL = 253;

function checkSysctls(context: PodSecurityContext, spec: PodSpec, path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  const seen = new Set<string>();
  for (const [index, { name }] of (context.sysctls ?? []).entries()) {
    const field = `${path}[${index}].name`;
    if (!name) causes.push(required(field));
    else if (name.length > MAX_SYSCTL || !sysctlRegex.test(name)) {
      causes.push(invalidValue(field, name, `must have at most ${MAX_SYSCTL} characters and match regex ${SYSCTL}`));
    } else if (seen.has(name)) causes.push(duplicate(field, name));
    const normal = (name ?? "").replaceAll("/", ".");
    if (spec.hostNetwork && normal.startsWith("net.")) {
      causes.push(invalidValue(field, name, "may not be specified when 'hostNetwork' is true"));
    } else if (spec.hostIPC && /^(kernel\.shm|kernel\.msg|kernel\.sem$|fs\.mqueue\.)/.test(normal)) {
      causes.push(invalidValue(field, name, "may not be specified when 'hostIPC' is true"));
    }
    seen.add(name);
  }
  return causes;
}

export function checkPodSecurityContext({ causes, spec }: PodCheck, path: string): void {
  const context = spec.securityContext;
  if (!context) return;
  causes.push(
    ...checkId(context.fsGroup, `${path}.fsGroup`),
    ...checkId(context.runAsUser, `${path}.runAsUser`),
    ...checkId(context.runAsGroup, `${path}.runAsGroup`),
  );
  for (const [index, id] of (context.supplementalGroups ?? []).entries()) {
    causes.push(...checkId(id, `${path}.supplementalGroups[${index}]`));
  }
  // Upstream holds the host's namespaces in the security context, hence this path.
  if (spec.shareProcessNamespace && spec.hostPID) {
    causes.push(
      invalidValue(`${path}.shareProcessNamespace`, true, "ShareProcessNamespace and HostPID cannot both be enabled"),
    );
  }
  causes.push(...checkSysctls(context, spec, `${path}.sysctls`));
  const oneOf = (value: string | undefined, field: string, supported: string[]) => {
    if (value !== undefined && !supported.includes(value)) causes.push(notSupported(field, value, supported));
  };
  oneOf(context.fsGroupChangePolicy, `${path}.fsGroupChangePolicy`, ["Always", "OnRootMismatch"]);
  causes.push(
    ...checkSeccomp(context.seccompProfile, `${path}.seccompProfile`),
    ...checkWindowsOptions(context.windowsOptions, `${path}.windowsOptions`),
    ...checkAppArmor(context.appArmorProfile, `${path}.appArmorProfile`),
  );
  oneOf(context.supplementalGroupsPolicy, `${path}.supplementalGroupsPolicy`, ["Merge", "Strict"]);
  oneOf(context.seLinuxChangePolicy, `${path}.seLinuxChangePolicy`, SELINUX_CHANGE_POLICIES);
}

/** What a pod in a user namespace of its own may not share with the host. */
export function checkHostUsers({ causes, spec }: PodCheck, path: string): void {
  if (spec.hostUsers !== false) return;
  const refuse = (field: string) => causes.push(fieldForbidden(field, "when `hostUsers` is false"));
  if (spec.hostNetwork) refuse(`${path}.hostNetwork`);
  if (spec.hostPID) refuse(`${path}.HostPID`);
  if (spec.hostIPC) refuse(`${path}.HostIPC`);
  for (const { container, path: containerPath } of visitContainers(spec, path)) {
    if ((container.volumeDevices ?? []).length > 0) refuse(`${containerPath}.volumeDevices`);
  }
}
