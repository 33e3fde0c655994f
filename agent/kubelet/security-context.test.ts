import { describe, expect, it } from "vitest";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import type { Container, PodSpec } from "../api/index.ts";
import { containerSecurityContext, namespaceOptions, sandboxSecurityContext } from "./security-context.ts";

const HOST_USERS = { mode: "NODE" } as const;

describe("namespaceOptions", () => {
  it.each<{ name: string; spec: Partial<PodSpec>; want: object }>([
    { name: "its own", spec: {}, want: { network: "POD", pid: "CONTAINER", ipc: "POD" } },
    {
      name: "one pid namespace for all",
      spec: { shareProcessNamespace: true },
      want: { network: "POD", pid: "POD", ipc: "POD" },
    },
    {
      name: "the host's",
      spec: { hostNetwork: true, hostPID: true, hostIPC: true },
      want: { network: "NODE", pid: "NODE", ipc: "NODE" },
    },
  ])("$name", ({ spec, want }) =>
    expect(namespaceOptions(aPod(spec), HOST_USERS)).toEqual({ ...want, usernsOptions: HOST_USERS }),
  );
});

const context = (
  pod: PodSpec["securityContext"],
  own: Container["securityContext"],
  image: { uid?: number; username?: string } = { uid: 0 },
  seccompDefault = false,
) =>
  containerSecurityContext(aPod({ securityContext: pod }), aContainer("main", { securityContext: own }), {
    imageUser: image,
    seccompDefault,
    userNamespace: HOST_USERS,
  });

it("without a seccomp profile takes the node's default", () => {
  expect(context({}, {}).seccomp).toEqual({ profileType: "Unconfined" });
  expect(context({}, {}, {}, true).seccomp).toEqual({ profileType: "RuntimeDefault" });
  expect(context({ seccompProfile: { type: "Unconfined" } }, {}, {}, true).seccomp?.profileType).toBe("Unconfined");
});

describe("containerSecurityContext", () => {
  it.each([
    { name: "the image's user", pod: {}, own: {}, image: { uid: 7 }, want: { runAsUser: { value: 7 } } },
    { name: "the image's user by name", pod: {}, own: {}, image: { username: "web" }, want: { runAsUsername: "web" } },
    { name: "the pod's user", pod: { runAsUser: 8 }, own: {}, want: { runAsUser: { value: 8 } } },
    { name: "the container's user", pod: { runAsUser: 8 }, own: { runAsUser: 9 }, want: { runAsUser: { value: 9 } } },
    {
      name: "groups",
      pod: { runAsGroup: 1, fsGroup: 2, supplementalGroups: [3] },
      own: {},
      want: { runAsGroup: { value: 1 }, supplementalGroups: [2, 3] },
    },
    { name: "no escalation", pod: {}, own: { allowPrivilegeEscalation: false }, want: { noNewPrivs: true } },
    { name: "a read-only root", pod: {}, own: { readOnlyRootFilesystem: true }, want: { readonlyRootfs: true } },
    {
      name: "capabilities",
      pod: {},
      own: { capabilities: { add: ["NET_ADMIN"], drop: ["ALL"] } },
      want: { capabilities: { addCapabilities: ["NET_ADMIN"], dropCapabilities: ["ALL"] } },
    },
    { name: "no seccomp profile", pod: {}, own: {}, want: { seccomp: { profileType: "Unconfined" } } },
    {
      name: "the pod's seccomp profile",
      pod: { seccompProfile: { type: "RuntimeDefault" } },
      own: {},
      want: { seccomp: { profileType: "RuntimeDefault" } },
    },
    {
      name: "a profile of the node's",
      pod: {},
      own: { seccompProfile: { type: "Localhost", localhostProfile: "a.json" } },
      want: { seccomp: { profileType: "Localhost", localhostRef: "/var/lib/kubelet/seccomp/a.json" } },
    },
    {
      name: "whose groups count",
      pod: { supplementalGroupsPolicy: "Strict", supplementalGroups: [7], fsGroup: 9 },
      own: {},
      want: { supplementalGroupsPolicy: "Strict", supplementalGroups: [9, 7] },
    },
    {
      name: "an AppArmor profile, the container's before the pod's",
      pod: { appArmorProfile: { type: "Unconfined" } },
      own: { appArmorProfile: { type: "Localhost", localhostProfile: "k8s-deny" } },
      want: { apparmor: { profileType: "Localhost", localhostRef: "k8s-deny" } },
    },
    {
      name: "SELinux options, the container's before the pod's",
      pod: { seLinuxOptions: { level: "s0" } },
      own: { seLinuxOptions: { level: "s1" } },
      want: { selinuxOptions: { level: "s1" } },
    },
    { name: "privileged", pod: {}, own: { privileged: true }, want: { privileged: true } },
    {
      name: "what may not be seen and not be written",
      pod: {},
      own: {},
      want: {
        maskedPaths: expect.arrayContaining(["/proc/kcore", "/proc/keys", "/sys/firmware"]),
        readonlyPaths: ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"],
      },
    },
    { name: "all of /proc", pod: {}, own: { procMount: "Unmasked" }, want: { maskedPaths: [], readonlyPaths: [] } },
  ])("$name", ({ pod, own, image, want }) => expect(context(pod, own, image)).toMatchObject(want));

  const where = '(pod: "web-0_default(u1)", container: main)';
  it.each([
    {
      name: "user 0",
      pod: { runAsUser: 0 },
      image: {},
      message: `container's runAsUser breaks non-root policy ${where}`,
    },
    {
      name: "the image's root",
      pod: {},
      image: { uid: 0 },
      message: `container has runAsNonRoot and image will run as root ${where}`,
    },
    {
      name: "a name",
      pod: {},
      image: { username: "web" },
      message: `container has runAsNonRoot and image has non-numeric user (web), cannot verify user is non-root ${where}`,
    },
  ])("runAsNonRoot refuses $name", ({ pod, image, message }) => {
    expect(() => context({ ...pod, runAsNonRoot: true }, {}, image)).toThrow(message);
  });

  it.each([
    {
      own: { seccompProfile: { type: "Localhost" } },
      message: "localhostProfile must be set if seccompProfile type is Localhost.",
    },
    { own: { appArmorProfile: { type: "Localhost" } }, message: "missing localhost apparmor profile name" },
    { own: { appArmorProfile: { type: "Strict" } }, message: 'unknown apparmor profile type: "Strict"' },
  ])("refuses: $message", ({ own, message }) => expect(() => context({}, own)).toThrow(message));

  it("takes an AppArmor profile from the annotation of a static pod", () => {
    const annotations = { "container.apparmor.security.beta.kubernetes.io/main": "localhost/k8s-deny" };
    const settings = { imageUser: {}, seccompDefault: false, userNamespace: HOST_USERS };
    const { apparmor } = containerSecurityContext(aPod({}, { annotations }), aContainer("main"), settings);
    expect(apparmor).toEqual({ profileType: "Localhost", localhostRef: "k8s-deny" });
  });

  it("the sandbox has the pod's own, and the runtime's seccomp profile whatever the containers have", () => {
    const securityContext = {
      runAsUser: 7,
      runAsGroup: 8,
      fsGroup: 9,
      supplementalGroups: [10],
      supplementalGroupsPolicy: "Merge",
      seccompProfile: { type: "Unconfined" },
      seLinuxOptions: { level: "s0" },
    };
    expect(sandboxSecurityContext(aPod({ securityContext, hostIPC: true }), HOST_USERS)).toMatchObject({
      namespaceOptions: { network: "POD", pid: "CONTAINER", ipc: "NODE" },
      privileged: false,
      seccomp: { profileType: "RuntimeDefault" },
      runAsUser: { value: 7 },
      runAsGroup: { value: 8 },
      selinuxOptions: { level: "s0" },
      supplementalGroups: [9, 10],
      supplementalGroupsPolicy: "Merge",
    });
  });

  it("the sandbox is privileged if a container is", () => {
    const privileged = aContainer("main", { securityContext: { privileged: true } });
    expect(sandboxSecurityContext(aPod({ containers: [privileged] }), HOST_USERS).privileged).toBe(true);
    expect(sandboxSecurityContext(aPod(), HOST_USERS).privileged).toBe(false);
  });
});
