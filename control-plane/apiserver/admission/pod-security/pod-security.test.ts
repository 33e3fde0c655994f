import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../shared/api/object.ts";
import type { Container, PodSpec } from "../../../../shared/api/types.ts";
import { evaluate, type PodLike, printLevel, printViolations, readPolicy, warnOfExistingPods } from "./index.ts";

const LATEST = Number.POSITIVE_INFINITY;
const prefix = "pod-security.kubernetes.io";

describe("labels", () => {
  test.each([
    { name: "none", labels: {}, want: ["privileged:latest", "privileged:latest", "privileged:latest"] },
    {
      name: "a level that is enforced is warned of",
      labels: { enforce: "baseline", "enforce-version": "v1.20" },
      want: ["baseline:v1.20", "privileged:latest", "baseline:v1.20"],
    },
    {
      name: "a warning of its own",
      labels: { enforce: "restricted", warn: "baseline", "warn-version": "v1.0" },
      want: ["restricted:latest", "privileged:latest", "baseline:v1.0"],
    },
    {
      name: "each mode",
      labels: { enforce: "privileged", audit: "restricted", "audit-version": "latest" },
      want: ["privileged:latest", "restricted:latest", "privileged:latest"],
    },
    {
      name: "unknown levels: enforced strictly, not warned of",
      labels: { enforce: "odd", audit: "odd", warn: "odd" },
      want: ["restricted:latest", "privileged:latest", "privileged:latest"],
      wrong: ["enforce", "audit", "warn"],
    },
    {
      name: "versions that are none",
      labels: { "enforce-version": "1.20", "audit-version": "v2.0", "warn-version": "v1.01" },
      want: ["privileged:latest", "privileged:latest", "privileged:latest"],
      wrong: ["enforce-version", "audit-version", "warn-version"],
    },
  ])("$name", ({ labels, want, wrong = [] }) => {
    const full = Object.fromEntries(Object.entries(labels).map(([key, value]) => [`${prefix}/${key}`, value]));
    const { policy, causes } = readPolicy(full);
    expect([policy.enforce, policy.audit, policy.warn].map(printLevel)).toEqual(want);
    expect(causes.map(({ field }) => field)).toEqual(wrong.map((label) => `metadata.labels[${prefix}/${label}]`));
  });
});

const container = (changes: Partial<Container> = {}): Container => ({ name: "c", ...changes }) as Container;
const withContext = (securityContext: Container["securityContext"]) => ({
  containers: [container({ securityContext })],
});
const hardened = (changes: Partial<PodSpec> = {}): PodSpec => ({
  securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  containers: [container({ securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } } })],
  ...changes,
});

interface Case {
  name: string;
  spec: Partial<PodSpec>;
  annotations?: Record<string, string>;
  minor?: number;
  want: string;
}

const judge = (level: "baseline" | "restricted", { spec, annotations, minor = LATEST }: Case): string =>
  printViolations(
    evaluate({ metadata: { annotations }, spec: { containers: [container()], ...spec } } as PodLike, { level, minor }),
  );

describe("baseline", () => {
  test.each<Case>([
    { name: "a plain pod", spec: {}, want: "" },
    {
      name: "host namespaces",
      spec: { hostNetwork: true, hostIPC: true },
      want: "host namespaces (hostNetwork=true, hostIPC=true)",
    },
    {
      name: "privileged containers of every kind",
      spec: {
        initContainers: [container({ name: "i", securityContext: { privileged: true } })],
        containers: [container({ securityContext: { privileged: true } })],
      },
      want: 'privileged (containers "i", "c" must not set securityContext.privileged=true)',
    },
    {
      name: "capabilities",
      spec: withContext({ capabilities: { add: ["SYS_ADMIN", "CHOWN", "NET_RAW"] } }),
      want: 'non-default capabilities (container "c" must not include "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add)',
    },
    {
      name: "volumes of the host",
      spec: { volumes: [{ name: "a", hostPath: { path: "/" } }, { name: "b" }] },
      want: 'hostPath volumes (volume "a")',
    },
    {
      name: "ports of the host, by text",
      spec: {
        containers: [
          container({ ports: [{ containerPort: 1, hostPort: 9 }] }),
          container({ name: "d", ports: [{ containerPort: 1, hostPort: 10 }] }),
        ],
      },
      want: 'hostPort (containers "c", "d" use hostPorts 10, 9)',
    },
    {
      name: "probes of other hosts",
      spec: { containers: [container({ livenessProbe: { httpGet: { port: 1, host: "h" } } })] },
      want: 'probe or lifecycle host (container "c" uses probe or lifecycle host "h")',
    },
    {
      name: "probes of other hosts, before they were looked at",
      spec: { containers: [container({ livenessProbe: { httpGet: { port: 1, host: "h" } } })] },
      minor: 33,
      want: "",
    },
    {
      name: "profiles of AppArmor",
      spec: withContext({ appArmorProfile: { type: "Unconfined" } }),
      annotations: { "container.apparmor.security.beta.kubernetes.io/c": "unconfined" },
      want: 'forbidden AppArmor profiles (container "c" and annotation must not set AppArmor profile type to "Unconfined", "container.apparmor.security.beta.kubernetes.io/c="unconfined"")',
    },
    {
      name: "profiles of seccomp",
      spec: {
        securityContext: { seccompProfile: { type: "Unconfined" } },
        ...withContext({ seccompProfile: { type: "Unconfined" } }),
      },
      want: 'seccompProfile (pod and container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
    },
    {
      name: "profiles of seccomp as annotations",
      spec: {},
      annotations: { "seccomp.security.alpha.kubernetes.io/pod": "unconfined" },
      minor: 18,
      want: 'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
    },
    {
      name: "SELinux",
      spec: { securityContext: { seLinuxOptions: { type: "odd_t", user: "u", role: "r" } } },
      want: 'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "odd_t"; user may not be set; role may not be set)',
    },
    {
      name: "a type of SELinux that came later",
      spec: { securityContext: { seLinuxOptions: { type: "container_engine_t" } } },
      minor: 30,
      want: 'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "container_engine_t")',
    },
    {
      name: "proc mounts",
      spec: withContext({ procMount: "Unmasked" }),
      want: 'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
    },
    {
      name: "proc mounts in a user namespace",
      spec: { hostUsers: false, ...withContext({ procMount: "Unmasked" }) },
      want: "",
    },
    {
      name: "sysctls",
      spec: {
        securityContext: {
          sysctls: [
            { name: "net.ipv4.tcp_rmem", value: "1" },
            { name: "a.b", value: "1" },
          ],
        },
      },
      minor: 31,
      want: "forbidden sysctls (net.ipv4.tcp_rmem, a.b)",
    },
    {
      name: "host processes of Windows",
      spec: { securityContext: { windowsOptions: { hostProcess: true } } },
      want: "hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)",
    },
  ])("$name", (row) => expect(judge("baseline", row)).toBe(row.want));
});

describe("restricted", () => {
  test.each<Case>([
    { name: "a hardened pod", spec: hardened(), want: "" },
    {
      name: "a plain pod",
      spec: {},
      want: 'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    },
    {
      name: "a plain pod, as of the first version",
      spec: {},
      minor: 0,
      want: 'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)',
    },
    {
      name: "root",
      spec: hardened({ securityContext: { runAsNonRoot: false, runAsUser: 0, seccompProfile: { type: "Localhost" } } }),
      want: "runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false), runAsUser=0 (pod must not set runAsUser=0)",
    },
    {
      name: "root in a user namespace",
      spec: hardened({
        hostUsers: false,
        securityContext: { runAsNonRoot: false, runAsUser: 0, seccompProfile: { type: "Localhost" } },
      }),
      want: "",
    },
    {
      name: "volumes",
      spec: hardened({
        volumes: [
          { name: "a", nfs: { server: "s", path: "/" } },
          { name: "b", hostPath: { path: "/" } },
          { name: "c", emptyDir: {} },
          { name: "d" },
        ],
      }),
      want: 'restricted volume types (volumes "a", "b", "d" use restricted volume types "hostPath", "nfs", "unknown")',
    },
    {
      name: "capabilities",
      spec: hardened({
        containers: [
          container({
            securityContext: { allowPrivilegeEscalation: false, capabilities: { add: ["CHOWN", "NET_BIND_SERVICE"] } },
          }),
        ],
      }),
      want: 'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]; container "c" must not include "CHOWN" in securityContext.capabilities.add)',
    },
    {
      name: "a pod of Windows",
      spec: { os: { name: "windows" }, securityContext: { runAsNonRoot: true } },
      want: "",
    },
  ])("$name", (row) => expect(judge("restricted", row)).toBe(row.want));
});

test("pods that are there are named once a fault, each controller's first", () => {
  const pod = (name: string, spec: Partial<PodSpec>, owner?: string) =>
    ({
      metadata: { name, ...(owner ? { ownerReferences: [{ uid: owner, controller: true }] } : {}) },
      spec: { containers: [], ...spec },
    }) as unknown as KubeObject;
  const pods = [
    pod("z", { hostPID: true }),
    pod("b", { hostPID: true }, "u"),
    pod("a", { hostPID: true }, "u"),
    pod("y", { volumes: [{ name: "v", hostPath: { path: "/" } }] }),
    pod("fine", {}),
  ];
  expect(warnOfExistingPods("n", pods, { level: "baseline", minor: LATEST })).toEqual([
    'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"',
    "a (and 2 other pods): host namespaces",
    "y: hostPath volumes",
  ]);
  expect(warnOfExistingPods("n", pods, { level: "privileged", minor: LATEST })).toEqual([]);
});
