import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Pod } from "../../agent/api/index.ts";
import { waitFor } from "../harness/wait-for.ts";
import { SETUP_TIMEOUT_MS, TEST_TIMEOUT_MS, VmNode } from "./machine/index.ts";

vi.setConfig({ testTimeout: TEST_TIMEOUT_MS, hookTimeout: SETUP_TIMEOUT_MS });

const MI = 2 ** 20;

let node: VmNode;
beforeAll(async () => {
  node = await VmNode.start("systemd");
  const policy = "resizePolicy: [{ resourceName: memory, restartPolicy: RestartContainer }]";
  const pod = (name: string, fields: string) => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  terminationGracePeriodSeconds: 1
  automountServiceAccountToken: false
  containers:
    - name: app
      image: busybox:1.37
      command: [sleep, "1000000"]
      resources: { requests: { cpu: 100m, memory: 32Mi }, limits: { cpu: 200m, memory: 64Mi } }
      ${fields}
---`;
  await node.kubectl.apply(pod("in-place", "") + pod("restarted", policy));
  await node.untilPods("Running", ...["in-place", "restarted"]);
});
afterAll(() => node?.remove());

const resize = (name: string, resources: object) =>
  node.kubectl.run(
    ...["patch", "pod", name, "--subresource", "resize", "-p"],
    JSON.stringify({ spec: { containers: [{ name: "app", resources }] } }),
  );
const get = (name: string) => node.kubectl.json<Pod>("get", "pod", name);
const conditionOf = ({ status }: Pod, wanted: string) => status?.conditions?.find(({ type }) => type === wanted);
const until = (what: string, ask: () => Promise<boolean>) =>
  waitFor(what, ask, { timeoutMs: TEST_TIMEOUT_MS, intervalMs: 2_000 });

it("a running container and its pod get more, without a restart", async () => {
  const directory = await node.cgroupOf("in-place");
  await resize("in-place", { requests: { cpu: "200m", memory: "48Mi" }, limits: { cpu: "400m", memory: "96Mi" } });
  const want = { "cpu.max": "40000 100000", "memory.max": String(96 * MI) };
  await until("the container's limits", async () => {
    const found = await node.cgroupFiles(directory, "cpu.max", "memory.max");
    return found["cpu.max"] === want["cpu.max"] && found["memory.max"] === want["memory.max"];
  });
  await until("the end of the resize", async () => {
    const events = await node.kubectl.run("get", "events", "-o", "jsonpath={.items[*].reason}");
    return events.includes("ResizeStarted") && events.includes("ResizeCompleted");
  });
  expect(await node.cgroupFiles(`${directory}/..`, "cpu.max", "memory.max", "cpu.weight")).toEqual({
    ...want,
    "cpu.weight": "8",
  });
  await until("the status", async () => {
    const status = (await get("in-place")).status?.containerStatuses?.[0];
    return status?.allocatedResources?.["memory"] === "48Mi" && status.resources?.limits?.["memory"] === "96Mi";
  });
  const pod = await get("in-place");
  expect(pod.status?.containerStatuses?.[0]).toMatchObject({
    restartCount: 0,
    resources: { requests: { cpu: "200m" } },
  });
  expect(conditionOf(pod, "PodResizeInProgress")).toBeUndefined();
  expect(conditionOf(pod, "PodResizePending")).toBeUndefined();
});

it("what the node has no room for waits, and is told why", async () => {
  await resize("in-place", { requests: { cpu: "100" }, limits: { cpu: "100" } });
  await until("the condition", async () => conditionOf(await get("in-place"), "PodResizePending") !== undefined);
  expect(conditionOf(await get("in-place"), "PodResizePending")).toMatchObject({
    status: "True",
    reason: "Deferred",
    message: expect.stringContaining("Node didn't have enough resource: cpu, requested: 100000"),
  });
  await resize("in-place", { requests: { cpu: "200m" }, limits: { cpu: "400m" } });
  await until("it to be taken back", async () => conditionOf(await get("in-place"), "PodResizePending") === undefined);
});

it("a container whose policy says so is restarted with more", async () => {
  await resize("restarted", { requests: { memory: "48Mi" }, limits: { memory: "128Mi" } });
  await until("the restart", async () => (await get("restarted")).status?.containerStatuses?.[0]?.restartCount === 1);
  const directory = await node.cgroupOf("restarted");
  expect(await node.cgroupFiles(directory, "memory.max")).toEqual({ "memory.max": String(128 * MI) });
  expect(await node.cgroupFiles(`${directory}/..`, "memory.max")).toEqual({ "memory.max": String(128 * MI) });
});
