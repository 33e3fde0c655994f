import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Node } from "../../shared/api/types.ts";
import { waitFor } from "../harness/wait-for.ts";
import { SETUP_TIMEOUT_MS, TEST_TIMEOUT_MS, VmNode } from "./machine/index.ts";

vi.setConfig({ testTimeout: TEST_TIMEOUT_MS, hookTimeout: SETUP_TIMEOUT_MS });

const MI = 2 ** 20;
const SWAP_MI = 256;
/** At which pods are evicted where nothing is configured. */
const EVICTION_MI = 100;
const CGROUPS = "/sys/fs/cgroup";
const CONFIGURATION = `
kind: KubeletConfiguration
apiVersion: kubelet.config.k8s.io/v1beta1
systemReserved: { cpu: 500m, memory: 200Mi, pid: "1000" }
kubeReserved: { cpu: 250m, memory: 100Mi }
enforceNodeAllocatable: [pods, system-reserved-compressible, kube-reserved]
systemReservedCgroup: /system.slice
kubeReservedCgroup: /daemons.slice
podPidsLimit: 64
cpuCFSQuotaPeriod: 50ms
cpuManagerPolicy: static
memoryThrottlingFactor: 0.9
memoryReservationPolicy: TieredReservation
memorySwap: { swapBehavior: LimitedSwap }
`;
/** The place for the node's daemons has to be there, and so has the swap. */
const PREPARATION = `
  systemctl start daemons.slice
  fallocate -l ${SWAP_MI}M /swap && chmod 600 /swap && busybox mkswap /swap && busybox swapon /swap`;

let node: VmNode;
beforeAll(async () => {
  node = await VmNode.start("systemd", async (guest) => {
    await guest.run(PREPARATION);
    return CONFIGURATION;
  });
  const pod = (name: string, resources: string) => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  terminationGracePeriodSeconds: 1
  automountServiceAccountToken: false
  containers: [{ name: app, image: busybox:1.37, command: [sleep, "1000000"], resources: ${resources} }]
---`;
  await node.kubectl.apply(
    [
      pod("shares", "{ requests: { memory: 32Mi }, limits: { cpu: 200m, memory: 64Mi } }"),
      pod("pinned", "{ limits: { cpu: 1, memory: 64Mi } }"),
    ].join("\n"),
  );
  await node.untilPods("Running", ...["shares", "pinned"]);
});
afterAll(() => node?.remove());

it("RES-03: pods get what is not reserved, and the Node promises no more", async () => {
  const { capacity, allocatable } = await node.kubectl
    .json<{ status: { capacity: Record<string, string>; allocatable: Record<string, string> } }>("get", "node", "vm")
    .then(({ status }) => status);
  const bytes = Number.parseInt(capacity["memory"]!, 10) * 1024;
  const files = await node.cgroupFiles(`${CGROUPS}/kubepods.slice`, "memory.max", "cpu.weight", "pids.max");
  expect(files).toMatchObject({ "memory.max": String(bytes - 300 * MI), "cpu.weight": "49" });
  expect(allocatable["cpu"]).toBe("1250m");
  const hugepages = Number.parseInt(capacity["hugepages-2Mi"]!, 10) * MI;
  expect(Number.parseInt(allocatable["memory"]!, 10) * 1024).toBe(bytes - (300 + EVICTION_MI) * MI - hugepages);
});

it("RES-03: the system's cgroup weighs what is reserved for it, and the daemons' has no more than that", async () => {
  expect(await node.cgroupFiles(`${CGROUPS}/system.slice`, "cpu.weight", "memory.max")).toEqual({
    "cpu.weight": "20",
    "memory.max": "max",
  });
  expect(await node.cgroupFiles(`${CGROUPS}/daemons.slice`, "cpu.weight", "memory.max")).toEqual({
    "cpu.weight": "10",
    "memory.max": String(100 * MI),
  });
  const events = await node.kubectl.run("events", "--for=node/vm", "--output=jsonpath={.items[*].message}");
  expect(events).toContain("Updated Node Allocatable limit across pods");
  expect(events).toContain("Updated limits on kube reserved cgroup /daemons.slice");
});

it("burstable containers get swap in proportion to what they ask for; others none", async () => {
  const { capacity, nodeInfo } = (await node.kubectl.json<Node>("get", "node", "vm")).status!;
  const bytes = Number.parseInt(capacity!["memory"]!, 10) * 1024;
  const swap = nodeInfo?.swap?.capacity ?? 0;
  expect(swap).toBe(SWAP_MI * MI - 4096); // its header
  const share = Math.floor(((32 * MI) / bytes) * swap);
  const swapMax = async (name: string) => {
    const { "memory.swap.max": max } = await node.cgroupFiles(await node.cgroupOf(name), "memory.swap.max");
    return Number(max);
  };
  expect(await swapMax("shares")).toBe(Math.floor(share / 4096) * 4096);
  expect(await swapMax("pinned")).toBe(0);
});

it("RES-06: a pod may have so many processes, and its CPU limit counts over the period", async () => {
  const directory = `${await node.cgroupOf("shares")}/..`;
  expect(await node.cgroupFiles(directory, "pids.max", "cpu.max", "memory.low")).toEqual({
    "pids.max": "64",
    "cpu.max": "10000 50000",
    "memory.low": String(32 * MI),
  });
});

it("RES-09: memory.high is a part of the way from request to limit, where a factor says which", async () => {
  const high = Math.floor((32 * MI + 0.9 * 32 * MI) / 4096) * 4096;
  expect(await node.cgroupFiles(await node.cgroupOf("shares"), "memory.high", "memory.low")).toEqual({
    "memory.high": String(high),
    "memory.low": String(32 * MI),
  });
  expect(await node.cgroupFiles(await node.cgroupOf("pinned"), "memory.high", "memory.min")).toEqual({
    "memory.high": "max",
    "memory.min": String(64 * MI),
  });
});

it("a guaranteed container that asks for a whole CPU has it for itself, without a quota", async () => {
  const pinned = await node.cgroupOf("pinned");
  const { "cpuset.cpus": own } = await node.cgroupFiles(pinned, "cpuset.cpus");
  expect(own).toBe("1"); // the other one is reserved
  expect(await node.cgroupFiles(pinned, "cpu.max")).toEqual({ "cpu.max": "max 50000" });
  // Without a quota systemd has a period of its own.
  expect(await node.cgroupFiles(`${pinned}/..`, "cpu.max")).toEqual({ "cpu.max": expect.stringMatching(/^max /) });
  const shared = await node.cgroupOf("shares");
  await waitFor("the others to leave it", async () => (await node.guest.read(`${shared}/cpuset.cpus`)) === "0", {
    timeoutMs: TEST_TIMEOUT_MS,
    intervalMs: 2_000,
  });
  await node.kubectl.run("delete", "pod", "pinned", "--wait=false");
  await waitFor("them to have it back", async () => (await node.guest.read(`${shared}/cpuset.cpus`)) === "0-1", {
    timeoutMs: TEST_TIMEOUT_MS,
    intervalMs: 2_000,
  });
});
