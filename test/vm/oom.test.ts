import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Pod } from "../../agent/api/index.ts";
import { waitFor } from "../harness/wait-for.ts";
import { SETUP_TIMEOUT_MS, TEST_TIMEOUT_MS, VmNode } from "./machine/index.ts";

vi.setConfig({ testTimeout: TEST_TIMEOUT_MS, hookTimeout: SETUP_TIMEOUT_MS });

let node: VmNode;
beforeAll(async () => {
  node = await VmNode.start("cgroupfs");
});
afterAll(() => node?.remove());

it("RES-12, RST-05: what grows over its limit is killed by the kernel: OOMKilled, 137", async () => {
  await node.kubectl.apply(`
apiVersion: v1
kind: Pod
metadata: { name: glutton }
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 1
  containers:
    - name: app
      image: busybox:1.37
      command: [sh, -c, 'x=1; while :; do x=$x$x; done']
      resources: { limits: { memory: 32Mi } }
`);
  await node.untilPods("Failed", "glutton");
  const pod = await node.kubectl.json<Pod>("get", "pod", "glutton");
  expect(pod.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 137, reason: "OOMKilled" });
  expect(await node.guest.run("dmesg")).toMatch(/oom-kill:constraint=CONSTRAINT_MEMCG/);
});

it("RES-08, RES-12: a child over the limit takes the whole container along", async () => {
  await node.kubectl.apply(`
apiVersion: v1
kind: Pod
metadata: { name: family }
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 1
  containers:
    - name: app
      image: busybox:1.37
      command: [sh, -c, '(x=1; while :; do x=$x$x; done) & sleep 1000000']
      resources: { limits: { memory: 32Mi } }
`);
  await node.untilPods("Failed", "family");
  const pod = await node.kubectl.json<Pod>("get", "pod", "family");
  expect(pod.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 137, reason: "OOMKilled" });
});

it("EVI-16, RES-11: when the machine runs out of memory a best-effort pod goes first, and the Node is told", async () => {
  const command = "while :; do sleep 1; done";
  await node.kubectl.run("run", "cheap", "--image=busybox:1.37", "--restart=Never", "--", "sh", "-c", command);
  await node.untilPods("Running", "cheap");
  await node.guest.run("echo f > /proc/sysrq-trigger"); // as if it had
  await node.untilPods("Failed", "cheap");
  const pod = await node.kubectl.json<Pod>("get", "pod", "cheap");
  expect(pod.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(137);
  await waitFor(
    "the Node's event",
    async () =>
      /System OOM encountered, victim process: sh, pid: \d+/.test(
        await node.kubectl.run("get", "events", "-o", "jsonpath={.items[*].message}"),
      ),
    { timeoutMs: TEST_TIMEOUT_MS, intervalMs: 2_000 },
  );
});
