import { existsSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { type Container, type Pod, printPod } from "../api/index.ts";
import type {
  ContainerSecurityContext,
  NamespaceOptions,
  SandboxConfig,
  SecurityProfile,
  SupplementalGroupsPolicy,
  UserNamespace,
} from "../cri/index.ts";

/** What a container may not see of /proc and /sys unless procMount is Unmasked; the runtimes' usual set. */
const MASKED_PATHS = [
  "/proc/asound",
  "/proc/acpi",
  "/proc/interrupts",
  "/proc/kcore",
  "/proc/keys",
  "/proc/latency_stats",
  "/proc/timer_list",
  "/proc/timer_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/sys/firmware",
  "/sys/devices/virtual/powercap",
];

/** With what a processor's heat tells of its other users; few machines have it. */
const findMaskedPaths = () => [
  ...MASKED_PATHS,
  ...cpus()
    .map((_, cpu) => `/sys/devices/system/cpu/cpu${cpu}/thermal_throttle`)
    .filter((path) => existsSync(path)),
];
let allMaskedPaths: string[] | undefined;
function maskedPaths(): string[] {
  allMaskedPaths ??= findMaskedPaths();
  return allMaskedPaths;
}

const READONLY_PATHS = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"];

type SandboxSecurityContext = NonNullable<SandboxConfig["linux"]["securityContext"]>;

export function namespaceOptions({ spec }: Pod, usernsOptions: UserNamespace): NamespaceOptions {
  return {
    network: spec.hostNetwork ? "NODE" : "POD",
    pid: spec.hostPID ? "NODE" : spec.shareProcessNamespace ? "POD" : "CONTAINER",
    ipc: spec.hostIPC ? "NODE" : "POD",
    usernsOptions,
  };
}

export function sandboxSecurityContext(pod: Pod, userNamespace: UserNamespace): SandboxSecurityContext {
  const context = pod.spec.securityContext;
  return {
    namespaceOptions: namespaceOptions(pod, userNamespace),
    privileged: [...(pod.spec.initContainers ?? []), ...pod.spec.containers].some(
      ({ securityContext }) => securityContext?.privileged === true,
    ),
    // The pause process needs nothing of the host's system calls.
    seccomp: { profileType: "RuntimeDefault" },
    ...(context?.runAsUser !== undefined && { runAsUser: { value: context.runAsUser } }),
    ...(context?.runAsGroup !== undefined && { runAsGroup: { value: context.runAsGroup } }),
    ...(context?.seLinuxOptions && { selinuxOptions: context.seLinuxOptions }),
    ...supplementalGroups(pod),
  };
}

function supplementalGroups({ spec: { securityContext } }: Pod) {
  const { fsGroup, supplementalGroups = [], supplementalGroupsPolicy } = securityContext ?? {};
  return {
    supplementalGroups: [...(fsGroup !== undefined ? [fsGroup] : []), ...supplementalGroups],
    ...(supplementalGroupsPolicy && {
      supplementalGroupsPolicy: supplementalGroupsPolicy as SupplementalGroupsPolicy,
    }),
  };
}

export interface ImageUser {
  uid?: number;
  username?: string;
}

/**
 * The container's own settings over the pod's, and the image's user where neither names one.
 * @throws Error with upstream's text if runAsNonRoot does not hold
 */
export function containerSecurityContext(
  pod: Pod,
  container: Container,
  inputs: { imageUser: ImageUser; seccompDefault: boolean; userNamespace: UserNamespace },
): ContainerSecurityContext {
  const { imageUser, seccompDefault, userNamespace } = inputs;
  const own = container.securityContext;
  const shared = pod.spec.securityContext;
  const runAsUser = own?.runAsUser ?? shared?.runAsUser;
  const runAsGroup = own?.runAsGroup ?? shared?.runAsGroup;
  const runAsNonRoot = own?.runAsNonRoot ?? shared?.runAsNonRoot;
  if (runAsNonRoot) verifyNonRoot(pod, container, runAsUser, imageUser);
  const unmasked = own?.procMount === "Unmasked";
  return {
    namespaceOptions: namespaceOptions(pod, userNamespace),
    privileged: own?.privileged ?? false,
    readonlyRootfs: own?.readOnlyRootFilesystem ?? false,
    noNewPrivs: own?.allowPrivilegeEscalation === false,
    ...supplementalGroups(pod),
    maskedPaths: unmasked ? [] : maskedPaths(),
    readonlyPaths: unmasked ? [] : READONLY_PATHS,
    seccomp: seccompProfile(own?.seccompProfile ?? shared?.seccompProfile, seccompDefault),
    apparmor: appArmorProfile(own?.appArmorProfile ?? annotatedProfile(pod, container) ?? shared?.appArmorProfile),
    ...(own?.capabilities && {
      capabilities: {
        addCapabilities: own.capabilities.add ?? [],
        dropCapabilities: own.capabilities.drop ?? [],
      },
    }),
    ...((own?.seLinuxOptions ?? shared?.seLinuxOptions) && {
      selinuxOptions: own?.seLinuxOptions ?? shared?.seLinuxOptions,
    }),
    ...(runAsUser !== undefined
      ? { runAsUser: { value: runAsUser } }
      : imageUser.uid !== undefined
        ? { runAsUser: { value: imageUser.uid } }
        : imageUser.username
          ? { runAsUsername: imageUser.username }
          : {}),
    ...(runAsGroup !== undefined && { runAsGroup: { value: runAsGroup } }),
  };
}

function verifyNonRoot(pod: Pod, container: Container, runAsUser: number | undefined, image: ImageUser): void {
  const where = `(pod: "${printPod(pod)}", container: ${container.name})`;
  if (runAsUser === 0) throw new Error(`container's runAsUser breaks non-root policy ${where}`);
  if (runAsUser !== undefined) return;
  if (image.uid === 0) throw new Error(`container has runAsNonRoot and image will run as root ${where}`);
  if (image.uid === undefined && image.username) {
    throw new Error(
      `container has runAsNonRoot and image has non-numeric user (${image.username}), cannot verify user is non-root ${where}`,
    );
  }
}

/** Where the kubelet keeps the profiles that a pod names by a relative path. */
const SECCOMP_ROOT = "/var/lib/kubelet/seccomp";

type Profile = { type: string; localhostProfile?: string } | undefined;

function seccompProfile(profile: Profile, isDefault: boolean): SecurityProfile {
  switch (profile?.type ?? (isDefault ? "RuntimeDefault" : "Unconfined")) {
    case "RuntimeDefault":
      return { profileType: "RuntimeDefault" };
    case "Localhost":
      if (profile?.localhostProfile) {
        return { profileType: "Localhost", localhostRef: join(SECCOMP_ROOT, profile.localhostProfile) };
      }
      throw new Error("localhostProfile must be set if seccompProfile type is Localhost.");
    default:
      return { profileType: "Unconfined" };
  }
}

/** The API server turns these into fields; the manifest of a static pod comes past it. */
function annotatedProfile({ metadata }: Pod, { name }: Container): Profile {
  const text = metadata.annotations?.[`container.apparmor.security.beta.kubernetes.io/${name}`];
  if (text === "runtime/default") return { type: "RuntimeDefault" };
  if (text === "unconfined") return { type: "Unconfined" };
  return text?.startsWith("localhost/")
    ? { type: "Localhost", localhostProfile: text.slice("localhost/".length) }
    : undefined;
}

/** Without one the runtime has its own where the kernel can enforce it. */
function appArmorProfile(profile: Profile): SecurityProfile | undefined {
  if (!profile) return undefined;
  switch (profile.type) {
    case "RuntimeDefault":
    case "Unconfined":
      return { profileType: profile.type };
    case "Localhost":
      if (profile.localhostProfile === undefined) throw new Error("missing localhost apparmor profile name");
      return { profileType: "Localhost", localhostRef: profile.localhostProfile };
    default:
      throw new Error(`unknown apparmor profile type: "${profile.type}"`);
  }
}
