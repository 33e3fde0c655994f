import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Pod } from "../../agent/api/index.ts";
import { waitFor } from "../harness/wait-for.ts";
import { SETUP_TIMEOUT_MS, TEST_TIMEOUT_MS, VmNode } from "./machine/index.ts";

vi.setConfig({ testTimeout: TEST_TIMEOUT_MS, hookTimeout: SETUP_TIMEOUT_MS });

/** Doubles a string until it has no more memory. */
const GREED = "x=1; while :; do x=$x$x; done";

const pod = (name: string, command: string, spec: string) => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  ${spec}
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 1
  volumes: [{ name: data, emptyDir: {} }]
  containers:
    - name: app
      image: busybox:1.37
      command: [sh, -c, '${command}']
      volumeMounts: [{ name: data, mountPath: /data }]
      resources: { limits: { memory: 32Mi } }
---`;

let node: VmNode;
beforeAll(async () => {
  node = await VmNode.start("cgroupfs");
  await node.kubectl.apply(
    [
      pod("glutton", GREED, "restartPolicy: Never"),
      pod("family", `(${GREED}) & sleep 1000000`, "restartPolicy: Never"),
      pod("relapse", `test -e /data/learned && sleep 1000000; : > /data/learned; ${GREED}`, "restartPolicy: Always"),
    ].join(""),
  );
});
afterAll(() => node?.remove());

const get = (name: string) => node.kubectl.json<Pod>("get", "pod", name);
const KILLED = { exitCode: 137, reason: "OOMKilled" };

it("EVI-03, EVI-11: a node works with the kubelet's defaults where nothing is configured, and tells them", async () => {
  const configz = await node.kubectl.run("get", "--raw", "/api/v1/nodes/vm/proxy/configz");
  expect(JSON.parse(configz)).toMatchObject({
    kubeletconfig: {
      evictionHard: {
        "memory.available": "100Mi",
        "nodefs.available": "10%",
        "nodefs.inodesFree": "5%",
        "imagefs.available": "15%",
        "imagefs.inodesFree": "5%",
      },
      mergeDefaultEvictionSettings: false,
      crashLoopBackOff: { maxContainerRestartPeriod: "5m0s" },
      containerLogMaxSize: "10Mi",
      containerLogMaxFiles: 5,
    },
  });
});

it("RES-12: what grows over its limit is killed by the kernel: OOMKilled, 137", async () => {
  await node.untilPods("Failed", "glutton");
  expect((await get("glutton")).status?.containerStatuses?.[0]?.state?.terminated).toMatchObject(KILLED);
  expect(await node.guest.run("dmesg")).toMatch(/oom-kill:constraint=CONSTRAINT_MEMCG/);
});

it("RES-08, RES-12: a child over the limit takes the whole container along", async () => {
  await node.untilPods("Failed", "family");
  expect((await get("family")).status?.containerStatuses?.[0]?.state?.terminated).toMatchObject(KILLED);
});

it("RST-05: a container that was killed for its memory and started again", async () => {
  const again = "--for=jsonpath={.status.containerStatuses[0].restartCount}=1";
  const timeout = `--timeout=${TEST_TIMEOUT_MS / 1000}s`;
  await node.kubectl.run("wait", "pod/relapse", again, timeout);
  await node.kubectl.run("wait", "pod/relapse", "--for=condition=Ready", timeout);
  const description = await node.kubectl.run("describe", "pod", "relapse");
  const block = /^ {4}Last State:.*?^ {4}Restart Count:[^\n]*$/ms.exec(description)?.[0];
  const time = String.raw`\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} [+-]\d{4}`;
  const lines = [
    " {4}Last State: +Terminated",
    " {6}Reason: +OOMKilled",
    " {6}Exit Code: +137",
    ` {6}Started: +${time}`,
    ` {6}Finished: +${time}`,
    " {4}Ready: +True",
    " {4}Restart Count: +1",
  ];
  expect(block).toMatch(new RegExp(`^${lines.join("\n")}$`));
});

it("EVI-16, RES-11: when the machine runs out of memory a best-effort pod goes first, and the Node is told", async () => {
  const command = "while :; do sleep 1; done";
  await node.kubectl.run("run", "cheap", "--image=busybox:1.37", "--restart=Never", "--", "sh", "-c", command);
  await node.untilPods("Running", "cheap");
  await node.guest.run("echo f > /proc/sysrq-trigger"); // as if it had
  await node.untilPods("Failed", "cheap");
  expect((await get("cheap")).status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(137);
  const event = /SystemOOM +Node\/vm +System OOM encountered, victim process: sh, pid: \d+/;
  await waitFor("the Node's event", async () => event.test(await node.kubectl.run("events", "--for=node/vm")), {
    timeoutMs: TEST_TIMEOUT_MS,
    intervalMs: 2_000,
  });
});
