import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Pod } from "../../agent/api/index.ts";
import { waitFor } from "../harness/wait-for.ts";
import { SETUP_TIMEOUT_MS, TEST_TIMEOUT_MS, VmNode } from "./machine/index.ts";

vi.setConfig({ testTimeout: TEST_TIMEOUT_MS, hookTimeout: SETUP_TIMEOUT_MS });

const CONFIGURATION = `
kind: KubeletConfiguration
apiVersion: kubelet.config.k8s.io/v1beta1
evictionHard: { memory.available: 200Mi }
evictionPressureTransitionPeriod: 30s
`;

let node: VmNode;
beforeAll(async () => {
  node = await VmNode.start("systemd", CONFIGURATION);
});
afterAll(() => node?.remove());

const pod = (name: string, command: string, fields = "", spec = "") => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 600
  containers:
    - name: app
      image: busybox:1.37
      command: [sh, -c, '${command}']
      ${fields}
  ${spec}
---`;
const get = (name: string) => node.kubectl.json<Pod>("get", "pod", name);
const messageOf = async (name: string) => (await get(name)).status?.message;

it("EVI-10: the memory that pods are evicted for is not promised, and not taken from what they can have", async () => {
  const quantity = (path: string) => node.kubectl.run("get", "node", "vm", "-o", `jsonpath={.status.${path}.memory}`);
  const capacity = Number.parseInt(await quantity("capacity"), 10);
  const allocatable = Number.parseInt(await quantity("allocatable"), 10);
  expect(capacity - allocatable).toBeGreaterThanOrEqual(200 * 1024);
  const { "memory.max": max } = await node.cgroupFiles("/sys/fs/cgroup/kubepods.slice", "memory.max");
  expect(Number(max)).toBe(capacity * 1024);
});

it("EVI-01, EVI-06, EVI-08, EVI-09, EVI-15, EVI-16: who uses more memory than asked for goes, in a second", async () => {
  const cache = "volumes: [{ name: cache, emptyDir: { medium: Memory } }]";
  const mount = "volumeMounts: [{ name: cache, mountPath: /cache }]";
  const modest = "resources: { requests: { memory: 64Mi } }";
  await node.kubectl.apply(pod("modest", "sleep 1000000", modest));
  await node.untilPod("modest", "Running");
  // PID 1 of a container does not end by SIGTERM: only SIGKILL does it.
  await node.kubectl.apply(pod("hog", "dd if=/dev/zero of=/cache/f bs=1M count=700; sleep 1000000", mount, cache));
  await node.untilPod("hog", "Failed");
  const { status } = await get("hog");
  expect(status?.reason).toBe("Evicted");
  expect(status?.message).toMatch(
    /^The node was low on resource: memory\. Threshold quantity: 200Mi, available: \d+\w*\. Container app was using \d+\w*, request is 0, has larger consumption of memory\. $/,
  );
  expect(status?.conditions?.find(({ type }) => type === "DisruptionTarget")).toMatchObject({
    status: "True",
    reason: "TerminationByKubelet",
  });
  expect(status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(137);
  expect((await get("modest")).status?.phase).toBe("Running");
  const events = await node.kubectl.run("get", "events", "-o", "jsonpath={.items[*].reason}");
  expect(events).toContain("EvictionThresholdMet");
  expect(events).toContain("Evicted");
});

it("the node's condition goes after the transition period", async () => {
  const condition = "jsonpath={.status.conditions[?(@.type=='MemoryPressure')].status}";
  await waitFor(
    "the pressure to be over",
    async () => (await node.kubectl.run("get", "node", "vm", "-o", condition)) === "False",
    { timeoutMs: TEST_TIMEOUT_MS, intervalMs: 2_000 },
  );
});

it("EVI-13, EVI-14: a pod that writes more than it may goes", async () => {
  const limits = "resources: { limits: { ephemeral-storage: 10Mi } }";
  const volume = "volumes: [{ name: data, emptyDir: { sizeLimit: 5Mi } }]";
  const mount = "volumeMounts: [{ name: data, mountPath: /data }]";
  await node.kubectl.apply(
    pod("writer", "dd if=/dev/zero of=/f bs=1M count=20; sleep 1000000", limits) +
      pod("filler", "dd if=/dev/zero of=/data/f bs=1M count=8; sleep 1000000", mount, volume),
  );
  await node.untilPod("writer", "Failed");
  expect(await messageOf("writer")).toBe('Container app exceeded its local ephemeral storage limit "10Mi". ');
  await node.untilPod("filler", "Failed");
  expect(await messageOf("filler")).toBe('Usage of EmptyDir volume "data" exceeds the limit "5Mi". ');
});
