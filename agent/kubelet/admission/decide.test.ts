import { describe, expect, it } from "vitest";
import type { Node } from "../../../shared/api/types.ts";
import { aContainer, aPod } from "../../../test/builders/kubelet.ts";
import type { Pod } from "../../api/index.ts";
import type { Pressure } from "../../eviction/index.ts";
import { decideAdmission } from "./decide.ts";

const node = (fields: { labels?: Record<string, string>; taints?: object[]; features?: object } = {}): Node =>
  ({
    metadata: { name: "n1", labels: { "kubernetes.io/os": "linux", ...fields.labels } },
    spec: { taints: fields.taints },
    status: {
      allocatable: { cpu: "2", memory: "1Gi", "ephemeral-storage": "10Gi", pods: "3", "x.example/gpu": "1" },
      features: fields.features,
    },
  }) as unknown as Node;

const asking = (requests: Record<string, string>, metadata: Partial<Pod["metadata"]> = {}, spec: object = {}) =>
  aPod({ containers: [aContainer("main", { resources: { requests } })], ...spec }, metadata);
const onPort = (hostPort: number, fields: object = {}, uid = "u9") =>
  aPod({ containers: [aContainer("main", { ports: [{ containerPort: 80, hostPort, ...fields }] })] }, { uid });
const sysctl = (name: string, spec: object = {}) =>
  aPod({ securityContext: { sysctls: [{ name, value: "1" }] }, ...spec });
const CRITICAL = { priority: 2_000_001_000 };

interface Case {
  name: string;
  pod: Pod;
  on?: Node;
  others?: Pod[];
  hasAppArmor?: boolean;
  pressures?: Pressure[];
  want: string | undefined;
}

const cases: Case[] = [
  { name: "an ordinary pod", pod: aPod(), want: undefined },
  {
    name: "no room on the disk, before anything else",
    pod: asking({ cpu: "3" }),
    pressures: ["MemoryPressure", "DiskPressure"],
    want: "Evicted: The node had condition: [MemoryPressure DiskPressure]. ",
  },
  {
    name: "too much cpu",
    pod: asking({ cpu: "3" }),
    want: "OutOfcpu: Node didn't have enough resource: cpu, requested: 3000, used: 0, capacity: 2000",
  },
  {
    name: "cpu that others have",
    pod: asking({ cpu: "600m" }),
    others: [asking({ cpu: "1500m" }, { uid: "u2" })],
    want: "OutOfcpu: Node didn't have enough resource: cpu, requested: 600, used: 1500, capacity: 2000",
  },
  {
    name: "too much memory",
    pod: asking({ memory: "2Gi" }),
    want: "OutOfmemory: Node didn't have enough resource: memory, requested: 2147483648, used: 0, capacity: 1073741824",
  },
  {
    name: "too much disk",
    pod: asking({ "ephemeral-storage": "11Gi" }),
    want: "OutOfephemeral-storage: Node didn't have enough resource: ephemeral-storage, requested: 11811160064, used: 0, capacity: 10737418240",
  },
  {
    name: "one pod too many",
    pod: aPod(),
    others: ["a", "b", "c"].map((uid) => aPod({}, { uid })),
    want: "OutOfpods: Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
  },
  {
    name: "too many devices",
    pod: asking({ "x.example/gpu": "2" }),
    want: "OutOfx.example/gpu: Node didn't have enough resource: x.example/gpu, requested: 2, used: 0, capacity: 1",
  },
  { name: "devices that the node does not know", pod: asking({ "y.example/z": "2" }), want: undefined },
  {
    name: "the first of several",
    pod: asking({ cpu: "9", memory: "9Gi" }, {}, { nodeSelector: { no: "way" } }),
    want: "OutOfcpu: Node didn't have enough resource: cpu, requested: 9000, used: 0, capacity: 2000",
  },
  {
    name: "a label that the node lacks",
    pod: aPod({ nodeSelector: { disk: "ssd" } }),
    want: "NodeAffinity: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
  },
  {
    name: "a label that it has",
    pod: aPod({ nodeSelector: { disk: "ssd" } }),
    on: node({ labels: { disk: "ssd" } }),
    want: undefined,
  },
  {
    name: "another node's name",
    pod: aPod({ nodeName: "n2" }),
    want: "NodeName: Predicate NodeName failed: node(s) didn't match the requested node name",
  },
  {
    name: "a host port that is taken",
    pod: onPort(80),
    others: [onPort(80, { hostIP: "10.0.0.1" }, "u2")],
    want: "NodePorts: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
  },
  {
    name: "one of another protocol",
    pod: onPort(80),
    others: [onPort(80, { protocol: "UDP" }, "u2")],
    want: undefined,
  },
  {
    name: "a taint that evicts",
    pod: aPod(),
    on: node({ taints: [{ key: "k", effect: "NoExecute" }] }),
    want: "TaintToleration: Predicate TaintToleration failed: node(s) had untolerated taint(s)",
  },
  {
    name: "a taint that only keeps the scheduler away",
    pod: aPod(),
    on: node({ taints: [{ key: "k", effect: "NoSchedule" }] }),
    want: undefined,
  },
  {
    name: "a taint, for a static pod",
    pod: aPod({}, { annotations: { "kubernetes.io/config.source": "file" } }),
    on: node({ taints: [{ key: "k", effect: "NoExecute" }] }),
    want: undefined,
  },
  {
    name: "another system's label",
    pod: aPod({}, { labels: { "kubernetes.io/os": "windows" } }),
    want: "PodOSSelectorNodeLabelDoesNotMatch: Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
  },
  {
    name: "another system",
    pod: aPod({ os: { name: "windows" } }),
    want: "PodOSNotSupported: Failed to admit pod as the OS field doesn't match node OS",
  },
  {
    name: "strict groups where the runtime has none",
    pod: aPod({ securityContext: { supplementalGroupsPolicy: "Strict" } }),
    want: "SupplementalGroupsPolicyNotSupported: SupplementalGroupsPolicy=Strict is not supported in this node",
  },
  {
    name: "strict groups where it has",
    pod: aPod({ securityContext: { supplementalGroupsPolicy: "Strict" } }),
    on: node({ features: { supplementalGroupsPolicy: true } }),
    want: undefined,
  },
  { name: "a safe sysctl", pod: sysctl("net.ipv4.ip_unprivileged_port_start"), want: undefined },
  { name: "a safe one with slashes", pod: sysctl("net/ipv4/tcp_syncookies"), want: undefined },
  {
    name: "an unsafe sysctl",
    pod: sysctl("kernel.msgmax"),
    want: 'SysctlForbidden: forbidden sysctl: "kernel.msgmax" not allowlisted',
  },
  { name: "an unsafe one that is allowed", pod: sysctl("kernel.shmmax"), want: undefined },
  {
    name: "an allowed one of the host's IPC",
    pod: sysctl("kernel.shmmax", { hostIPC: true }),
    want: 'SysctlForbidden: forbidden sysctl: "kernel.shmmax" not allowed with host IPC enabled',
  },
  {
    name: "a safe one of the host's network",
    pod: sysctl("net.ipv4.tcp_syncookies", { hostNetwork: true }),
    want: 'SysctlForbidden: forbidden sysctl: "net.ipv4.tcp_syncookies" not allowed with host Net enabled',
  },
  {
    name: "a safe one of the host's IPC",
    pod: sysctl("kernel.shm_rmid_forced", { hostIPC: true }),
    want: 'SysctlForbidden: forbidden sysctl: "kernel.shm_rmid_forced" not allowed with host IPC enabled',
  },
  {
    name: "AppArmor where there is none",
    pod: aPod({ securityContext: { appArmorProfile: { type: "RuntimeDefault" } } }),
    want: "AppArmor: Cannot enforce AppArmor: AppArmor is not enabled on the host",
  },
  {
    name: "AppArmor where it is",
    pod: aPod({ securityContext: { appArmorProfile: { type: "RuntimeDefault" } } }),
    hasAppArmor: true,
    want: undefined,
  },
  { name: "unconfined", pod: aPod({ securityContext: { appArmorProfile: { type: "Unconfined" } } }), want: undefined },
  {
    name: "a critical pod on the wrong node",
    pod: asking({ cpu: "9" }, {}, { ...CRITICAL, nodeSelector: { no: "way" } }),
    want: "NodeAffinity: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
  },
  {
    name: "a critical pod, and nobody who could go",
    pod: asking({ cpu: "3" }, {}, CRITICAL),
    want: "UnexpectedAdmissionError: Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [(res: cpu, q: 1000), ]",
  },
];

describe("decideAdmission", () => {
  it.each(cases)("$name", ({ pod, on = node(), others = [], hasAppArmor = false, pressures = [], want }) => {
    const admission = decideAdmission(pod, {
      node: on,
      others,
      hasAppArmor,
      allowedUnsafeSysctls: ["kernel.shm*"],
      pressures: new Set(pressures),
    });
    const got = "rejection" in admission ? `${admission.rejection.reason}: ${admission.rejection.message}` : undefined;
    expect(got).toBe(want);
  });

  const full = (cpu: string) => ({ requests: { cpu, memory: "1Mi" }, limits: { cpu, memory: "1Mi" } });
  const running = (uid: string, resources: object, spec: object = {}) =>
    aPod({ containers: [aContainer("main", { resources })], ...spec }, { uid });
  it.each([
    { name: "nobody, if there is room", others: [running("a", { requests: { cpu: "1" } })], cpu: "1", want: [] },
    {
      name: "the one that covers it",
      others: [running("a", { requests: { cpu: "500m" } }), running("b", { requests: { cpu: "1500m" } })],
      cpu: "1",
      want: ["b"],
    },
    {
      name: "the smaller of two that do",
      others: [running("a", { requests: { cpu: "1100m" } }), running("b", { requests: { cpu: "900m" } })],
      cpu: "500m",
      want: ["b"],
    },
    {
      name: "burstable before guaranteed",
      others: [running("a", full("1")), running("b", { requests: { cpu: "1" } })],
      cpu: "1",
      want: ["b"],
    },
    {
      name: "no critical one",
      others: [running("a", { requests: { cpu: "1500m" } }, CRITICAL), running("b", { requests: { cpu: "500m" } })],
      cpu: "500m",
      want: ["b"],
    },
    {
      name: "best effort, for a place",
      others: [running("a", full("100m")), running("b", {}), running("c", { requests: { cpu: "100m" } })],
      cpu: "0",
      want: ["b"],
    },
  ])("for a critical pod goes $name", ({ others, cpu, want }) => {
    const admission = decideAdmission(asking({ cpu }, {}, CRITICAL), {
      node: node(),
      others,
      hasAppArmor: false,
      allowedUnsafeSysctls: [],
      pressures: new Set(),
    });
    expect("preempt" in admission && admission.preempt.map(({ metadata }) => metadata.uid)).toEqual(want);
  });
});
