import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Pod } from "../../agent/api/index.ts";
import type { Node } from "../../shared/api/types.ts";
import { waitFor } from "../harness/wait-for.ts";
import { SETUP_TIMEOUT_MS, STATE_DIR, TEST_TIMEOUT_MS, VmNode } from "./machine/index.ts";

vi.setConfig({ testTimeout: TEST_TIMEOUT_MS, hookTimeout: SETUP_TIMEOUT_MS });

const UNIT = 65_536;
const ALL = 2 ** 32 - 1;

const MANIFEST = `
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { color: green }
---
apiVersion: v1
kind: Secret
metadata: { name: password }
stringData: { word: xyzzy }
---
apiVersion: v1
kind: Pod
metadata: { name: apart }
spec:
  hostUsers: false
  terminationGracePeriodSeconds: 1
  securityContext: { fsGroup: 4000 }
  containers:
    - name: app
      image: busybox:1.37
      command: [sleep, "1000000"]
      terminationMessagePath: /dev/termination-log
      securityContext: { procMount: Unmasked }
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: memory, mountPath: /memory }
        - { name: settings, mountPath: /settings }
        - { name: password, mountPath: /password }
        - { name: host, mountPath: /host }
        - { name: deep, mountPath: /deep, readOnly: true, recursiveReadOnly: Enabled }
        - { name: deep, mountPath: /shallow, readOnly: true }
    - { name: user, image: "busybox:1.37", command: [sleep, "1000000"], securityContext: { runAsUser: 1000 } }
  volumes:
    - { name: data, emptyDir: {} }
    - { name: memory, emptyDir: { medium: Memory } }
    - { name: settings, configMap: { name: settings } }
    - { name: password, secret: { secretName: password } }
    - { name: host, hostPath: { path: /srv/host, type: DirectoryOrCreate } }
    - { name: deep, hostPath: { path: /srv/deep } }
---
apiVersion: v1
kind: Pod
metadata: { name: another }
spec:
  hostUsers: false
  terminationGracePeriodSeconds: 1
  automountServiceAccountToken: false
  containers: [{ name: app, image: "busybox:1.37", command: [sleep, "1000000"] }]
---
apiVersion: v1
kind: Pod
metadata: { name: ordinary }
spec:
  terminationGracePeriodSeconds: 1
  automountServiceAccountToken: false
  securityContext: { supplementalGroups: [7000], supplementalGroupsPolicy: Strict }
  containers:
    - name: app
      image: busybox:1.37
      command: [sleep, "1000000"]
      volumeMounts:
        - { name: pages, mountPath: /pages }
    - name: locked
      image: busybox:1.37
      command: [sleep, "1000000"]
      securityContext:
        seccompProfile: { type: RuntimeDefault }
        appArmorProfile: { type: Localhost, localhostProfile: hearth-test }
    - name: filtered
      image: busybox:1.37
      command: [sleep, "1000000"]
      securityContext:
        seccompProfile: { type: Localhost, localhostProfile: no-mkdir.json }
        appArmorProfile: { type: Unconfined }
  volumes:
    - { name: pages, image: { reference: "nginx:1.29", pullPolicy: Never } }
`;
const PODS = ["apart", "another", "ordinary"];

/** What the node's administrator has made: profiles, and a directory with a mount below it. */
const PREPARATION = `
  mkdir -p /srv/deep/below && mount -t tmpfs none /srv/deep/below
  mkdir -p /var/lib/kubelet/seccomp
  echo '{"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["mkdir","mkdirat"],"action":"SCMP_ACT_ERRNO"}]}' \\
    > /var/lib/kubelet/seccomp/no-mkdir.json
  echo 'profile hearth-test flags=(attach_disconnected) { file, signal, capability, deny /tmp/** w, }' | apparmor_parser -a`;

let node: VmNode;
const pods = new Map<string, Pod>();
beforeAll(async () => {
  node = await VmNode.start("systemd", async (guest) => {
    await guest.run(PREPARATION);
    return "";
  });
  await node.kubectl.apply(MANIFEST);
  await node.untilPods("Running", ...PODS);
  for (const pod of (await node.kubectl.json<{ items: Pod[] }>("get", "pods")).items) pods.set(pod.metadata.name, pod);
});
afterAll(() => node?.remove());

const exec = (pod: string, container: string, script: string) =>
  node.kubectl.run("exec", pod, "-c", container, "--", "sh", "-c", script);
const words = (text: string) => text.trim().split(/\s+/);
/** A process's ids on the machine. */
const idsOf = async (pod: string, container: string) => {
  const id = pods.get(pod)?.status?.containerStatuses?.find(({ name }) => name === container)?.containerID ?? "";
  const file = `$(find /sys/fs/cgroup -path '*${id.replace("containerd://", "")}*' -name cgroup.procs | head -1)`;
  return words(await node.guest.run(`stat -c '%u %g' /proc/$(head -1 ${file})`)).map(Number);
};
const firstIdOf = async (pod: string) => Number(words(await exec(pod, "app", "cat /proc/self/uid_map"))[1]);

it("the Node tells what its runtime can do", async () => {
  const { status } = await node.kubectl.json<Node>("get", "node", "vm");
  const features = { recursiveReadOnlyMounts: true, userNamespaces: true };
  expect(status?.runtimeHandlers).toContainEqual({ name: "", features });
  expect(status?.features).toEqual({ supplementalGroupsPolicy: true });
});

it("root in a pod with hostUsers: false is nobody on the machine, and no two pods are the same nobody", async () => {
  const first = await firstIdOf("apart");
  expect([first % UNIT, first >= UNIT]).toEqual([0, true]);
  for (const map of ["uid_map", "gid_map"]) {
    expect(words(await exec("apart", "app", `cat /proc/self/${map}`)).map(Number)).toEqual([0, first, UNIT]);
  }
  expect(words(await exec("apart", "app", "id -u"))).toEqual(["0"]);
  expect(await idsOf("apart", "app")).toEqual([first, first]);
  expect((await idsOf("apart", "user"))[0]).toBe(first + 1000);
  expect(await firstIdOf("another")).not.toBe(first);
  expect(words(await exec("ordinary", "app", "cat /proc/self/uid_map")).map(Number)).toEqual([0, 0, ALL]);
  expect(await idsOf("ordinary", "app")).toEqual([0, 0]);
});

it("its volumes belong to the same users as without: mounts are idmapped", async () => {
  const read =
    "cat /settings/color /password/word; grep -c apart /etc/hosts; cat /var/run/secrets/kubernetes.io/*/namespace";
  expect(await exec("apart", "app", read)).toBe("greenxyzzy1\ndefault");
  for (const directory of ["/data", "/memory"]) {
    expect(words(await exec("apart", "app", `stat -c '%u %g' ${directory}`))).toEqual(["0", "4000"]);
  }
  await exec(
    "apart",
    "app",
    "echo mine > /data/f; echo mine > /memory/f; echo mine > /host/f; echo bye > /dev/termination-log",
  );
  expect(words(await exec("apart", "app", "stat -c '%u %g' /data/f"))).toEqual(["0", "4000"]);
  const { uid } = pods.get("apart")!.metadata;
  const onDisk = `${STATE_DIR}/pods/${uid}/volumes/kubernetes.io~empty-dir/data/f`;
  expect(words(await node.guest.run(`stat -c '%u %g' ${onDisk} /srv/host/f`))).toEqual(["0", "4000", "0", "0"]);
});

it("what is the machine's stays the machine's", async () => {
  // Mounting over /proc needs the whole of it to be visible, which procMount: Unmasked is for.
  await exec("apart", "app", "grep -c 'proc /proc proc rw' /proc/mounts && ! grep -q '/proc/kcore' /proc/mounts");
  const refused = await node.kubectl.finish([
    "exec",
    "apart",
    "-c",
    "app",
    "--",
    "sh",
    "-c",
    "echo 1 > /proc/sys/kernel/sysrq",
  ]);
  expect(refused.stderr).toMatch(/Permission denied|Read-only file system/);
});

it("a pod keeps its ids over a restart of its containers and of the agent", async () => {
  const first = await firstIdOf("apart");
  await node.stopAgent();
  await node.startAgent();
  await node.guest.run(`kill -9 $(head -1 ${await node.cgroupOf("apart")}/cgroup.procs)`);
  await node.kubectl.run(
    "wait",
    "pod/apart",
    "--for=jsonpath={.status.containerStatuses[0].restartCount}=1",
    "--timeout=600s",
  );
  await node.kubectl.run("wait", "pod/apart", "--for=condition=Ready", "--timeout=600s");
  expect(await firstIdOf("apart")).toBe(first);
  expect(await exec("apart", "app", "cat /data/f")).toBe("mine\n");
});

it("a mount that is read-only all the way down is so", async () => {
  const write = (path: string) =>
    node.kubectl.finish(["exec", "apart", "-c", "app", "--", "sh", "-c", `echo x > ${path}`]);
  expect((await write("/deep/below/f")).stderr).toContain("Read-only file system");
  expect((await write("/shallow/f")).stderr).toContain("Read-only file system");
  expect((await write("/shallow/below/f")).code).toBe(0);
  const mounts = pods.get("apart")?.status?.containerStatuses?.find(({ name }) => name === "app")?.volumeMounts;
  expect(mounts?.find(({ mountPath }) => mountPath === "/deep")).toMatchObject({ recursiveReadOnly: "Enabled" });
});

it("groups, seccomp and AppArmor are what the pod asks for", async () => {
  expect(words(await exec("ordinary", "app", "id -G"))).toEqual(["0", "7000"]);
  expect(pods.get("ordinary")?.status?.containerStatuses?.find(({ name }) => name === "app")?.user).toEqual({
    linux: { uid: 0, gid: 0, supplementalGroups: [0, 7000] },
  });
  const seccomp = async (container: string) =>
    words(await exec("ordinary", container, "grep ^Seccomp: /proc/self/status"))[1];
  expect([await seccomp("app"), await seccomp("locked"), await seccomp("filtered")]).toEqual(["0", "2", "2"]);
  const profile = (container: string) => exec("ordinary", container, "cat /proc/self/attr/current");
  expect(await profile("app")).toBe("cri-containerd.apparmor.d (enforce)\n");
  expect(await profile("locked")).toBe("hearth-test (enforce)\n");
  // As whatever runs it, if that has a profile that confines nothing.
  expect(await profile("filtered")).toMatch(/^unconfined$|\(unconfined\)$/m);
  const refused = async (container: string, script: string) =>
    (await node.kubectl.finish(["exec", "ordinary", "-c", container, "--", "sh", "-c", script])).stderr;
  expect(await refused("locked", "echo x > /tmp/f")).toContain("Permission denied");
  expect(await refused("filtered", "mkdir /tmp/d")).toContain("Operation not permitted");
});

it("an image is a volume: its files are there, and nothing can be written (KEP-4639)", async () => {
  const page = await exec("ordinary", "app", "cat /pages/usr/share/nginx/html/index.html");
  expect(page).toContain("Welcome to nginx!");
  const refused = await node.kubectl.finish(["exec", "ordinary", "-c", "app", "--", "touch", "/pages/x"]);
  expect(refused.stderr).toContain("Read-only file system");
});

it("when a pod is gone so are its ids' marks", async () => {
  await node.kubectl.run("delete", "pod", ...PODS, "--wait=false");
  const { uid } = pods.get("apart")!.metadata;
  await waitFor("the pod's directory to go", () => node.guest.run(`test ! -e ${STATE_DIR}/pods/${uid} && echo gone`), {
    timeoutMs: TEST_TIMEOUT_MS,
    intervalMs: 1000,
  });
});
