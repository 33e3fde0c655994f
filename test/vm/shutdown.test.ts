import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Pod } from "../../agent/api/index.ts";
import { waitFor } from "../harness/wait-for.ts";
import { SETUP_TIMEOUT_MS, TEST_TIMEOUT_MS, VmNode } from "./machine/index.ts";

vi.setConfig({ testTimeout: TEST_TIMEOUT_MS, hookTimeout: SETUP_TIMEOUT_MS });

/** Far over what the pods need: the ordinary one ends when the test says so. */
const CONFIGURATION = `
kind: KubeletConfiguration
apiVersion: kubelet.config.k8s.io/v1beta1
shutdownGracePeriod: 900s
shutdownGracePeriodCriticalPods: 300s
`;

const pod = (name: string, spec: string, end: string) => `
apiVersion: v1
kind: Pod
metadata: { name: ${name}, namespace: kube-system }
spec:
  ${spec}
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 600
  tolerations: [{ operator: Exists }]
  volumes: [{ name: host, hostPath: { path: /srv/host, type: DirectoryOrCreate } }]
  containers:
    - name: app
      image: busybox:1.37
      command: [sh, -c, 'trap "${end}; exit 0" TERM; while :; do sleep 1; done']
      volumeMounts: [{ name: host, mountPath: /host }]
---`;

let node: VmNode;
beforeAll(async () => {
  node = await VmNode.start("systemd", () => CONFIGURATION);
  await node.kubectl.apply(
    pod("ordinary", "restartPolicy: Always", "until test -e /host/go; do sleep 1; done") +
      pod("critical", "priorityClassName: system-node-critical", "true"),
  );
  await node.kubectl.run(
    ...["wait", "-n", "kube-system", "pod/ordinary", "pod/critical", "--for=condition=Ready"],
    `--timeout=${TEST_TIMEOUT_MS / 1000}s`,
  );
});
afterAll(() => node?.remove());

const get = (name: string) => node.kubectl.json<Pod>("get", "pod", "-n", "kube-system", name);
const until = (what: string, ask: () => Promise<unknown>) =>
  waitFor(what, ask, { timeoutMs: TEST_TIMEOUT_MS, intervalMs: 1_000 });
const ready = () =>
  node.kubectl.run("get", "node", "vm", "-o", "jsonpath={.status.conditions[?(@.type=='Ready')]['status','message']}");

it("the agent holds up a shutdown: systemd waits for it for as long as its configuration says", async () => {
  await until("the inhibitor", () => node.guest.run("systemd-inhibit --list --no-pager | grep -c kubelet"));
  expect(await node.guest.run("systemd-inhibit --list --no-pager")).toMatch(/kubelet .*shutdown .* delay/);
  expect(
    await node.guest.run(
      "busctl get-property org.freedesktop.login1 /org/freedesktop/login1 \\\n" +
        "org.freedesktop.login1.Manager InhibitDelayMaxUSec",
    ),
  ).toBe("t 900000000\n");
});

it("when the machine is told to power off its pods end first, critical ones last, and none comes any more", async () => {
  await node.guest.run("systemctl poweroff");
  await until("the Node's condition", async () => (await ready()) === "False node is shutting down");
  await node.kubectl.apply(pod("late", "nodeName: vm", "true"));
  await until("the refusal", async () => (await get("late")).status?.phase === "Failed");
  expect((await get("late")).status).toMatchObject({
    reason: "NodeShutdown",
    message: "Pod was rejected: Pod was rejected as the node is shutting down.",
  });
  expect((await get("critical")).status?.containerStatuses?.[0]?.state?.running).toBeDefined();
  await node.guest.run("touch /srv/host/go");
  for (const name of ["ordinary", "critical"]) {
    await until(`the end of ${name}`, async () => (await get(name)).status?.phase === "Failed");
    expect((await get(name)).status).toMatchObject({
      reason: "Terminated",
      message: "Pod was terminated in response to imminent node shutdown.",
    });
  }
  const endMs = async (name: string) =>
    Date.parse((await get(name)).status!.containerStatuses![0]!.state!.terminated!.finishedAt!);
  expect(await endMs("critical")).toBeGreaterThanOrEqual(await endMs("ordinary"));
});

it("and then it goes down", () => until("it to be off", async () => /Power down/.test(node.guest.qemu.console())));
