import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describedLines } from "../harness/described.ts";
import { Kubectl } from "../harness/kubectl.ts";
import { OwnCluster } from "../harness/own-cluster.ts";
import { waitFor } from "../harness/wait-for.ts";
import { writeTestImages } from "../images/index.ts";

/*
 * What a user sees when something goes wrong, in `kubectl describe`, `kubectl events` and `kubectl get`: the reasons and
 * messages that a kubelet 1.36 with the same runtime gives for the same pods.
 */

let cluster: OwnCluster;
let kubectl: Kubectl;
let images: string;
let node: string;

const BUSYBOX = 'image: "busybox:1.37"';
const sh = (script: string) => `${BUSYBOX}, command: [sh, -c, "${script}"]`;
const SLEEPER = sh("trap 'exit 0' TERM; sleep 3600 & wait");
const MOUNTED = `${SLEEPER}, volumeMounts: [{name: v, mountPath: /v}]`;
const volume = (source: string) => `volumes: [{name: v, ${source}}]`;

interface Trouble {
  pod: string;
  container: string;
  spec?: string;
  /** Lines of `kubectl describe pod`, as describedLines gives them. */
  lines: string[];
}

const event = (reason: string, text: string, type = "Warning") => `${type} ${reason} kubelet ${text}`;
const ofMain = (text: string) => `spec.containers{main}: ${text}`;
const failed = (text: string) => event("Failed", ofMain(`Error: ${text}`));
const notMounted = (text: string) => event("FailedMount", `MountVolume.SetUp failed for volume "v" : ${text}`);
const waiting = (reason: string) => ["Status: Pending", "State: Waiting", `Reason: ${reason}`];
const backedOff = (pod: string, container = "main", list = "containers") =>
  event(
    "BackOff",
    `spec.${list}{${container}}: Back-off restarting failed container ${container} in pod ${pod}_default(<uid>)`,
  );
const NO_REGISTRY =
  'Failed to pull image "127.0.0.1:1/absent:1": failed to pull and unpack image "127.0.0.1:1/absent:1": failed to resolve reference "127.0.0.1:1/absent:1": failed to do request: Head "http://127.0.0.1:1/v2/absent/manifests/1": dial tcp 127.0.0.1:1: connect: connection refused';
const RUNC =
  "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed";
const NO_PROGRAM = `${RUNC}: unable to start container process: exec: "/absent": stat /absent: no such file or directory: unknown`;
const NO_DIRECTORY = `${RUNC}: unable to start container process: error during container init: mkdir /etc/passwd: not a directory: unknown`;
const startError = (message: string) => [
  "Reason: StartError",
  `Message: ${message}`,
  "Exit Code: 128",
  failed(message),
];
const BAD_NAME =
  'Failed to apply default image tag "Not An Image": couldn\'t parse image name "Not An Image": invalid reference format: repository name (library/Not An Image) must be lowercase';

const TROUBLES: Trouble[] = [
  {
    pod: "bad-image-name",
    container: 'image: "Not An Image"',
    lines: [...waiting("InvalidImageName"), failed("InvalidImageName"), event("InspectFailed", ofMain(BAD_NAME))],
  },
  {
    pod: "missing-image",
    container: 'image: "127.0.0.1:1/absent:1"',
    lines: [
      ...waiting("ImagePullBackOff"),
      event("Pulling", ofMain('Pulling image "127.0.0.1:1/absent:1"'), "Normal"),
      event("Failed", ofMain(NO_REGISTRY)),
      failed("ErrImagePull"),
      failed("ImagePullBackOff"),
      event("BackOff", ofMain('Back-off pulling image "127.0.0.1:1/absent:1"'), "Normal"),
    ],
  },
  {
    pod: "never-pulled",
    container: 'image: "absent:1", imagePullPolicy: Never',
    lines: [
      ...waiting("ErrImageNeverPull"),
      failed("ErrImageNeverPull"),
      event("ErrImageNeverPull", ofMain('Container image "absent:1" is not present with pull policy of Never')),
    ],
  },
  {
    pod: "missing-pull-secret",
    container: SLEEPER,
    spec: "imagePullSecrets: [{name: none}]",
    lines: [
      "Status: Running",
      event(
        "FailedToRetrieveImagePullSecret",
        "Unable to retrieve some image pull secrets (none); attempting to pull the image may not succeed.",
      ),
    ],
  },
  {
    pod: "missing-configmap",
    container: `${SLEEPER}, envFrom: [{configMapRef: {name: none}}]`,
    lines: [...waiting("CreateContainerConfigError"), failed('configmap "none" not found')],
  },
  {
    pod: "missing-configmap-key",
    container: `${SLEEPER}, env: [{name: X, valueFrom: {configMapKeyRef: {name: there, key: none}}}]`,
    lines: [
      ...waiting("CreateContainerConfigError"),
      failed("couldn't find key none in ConfigMap default/there"),
      "X: <set to the key 'none' of config map 'there'> Optional: false",
    ],
  },
  {
    pod: "missing-secret",
    container: `${SLEEPER}, envFrom: [{secretRef: {name: none}}]`,
    lines: [...waiting("CreateContainerConfigError"), failed('secret "none" not found')],
  },
  {
    pod: "missing-secret-key",
    container: `${SLEEPER}, env: [{name: X, valueFrom: {secretKeyRef: {name: there, key: none}}}]`,
    lines: [...waiting("CreateContainerConfigError"), failed("couldn't find key none in Secret default/there")],
  },
  {
    pod: "volume-without-configmap",
    container: MOUNTED,
    spec: volume("configMap: {name: none}"),
    lines: [...waiting("ContainerCreating"), notMounted('configmap "none" not found')],
  },
  {
    pod: "volume-without-configmap-key",
    container: MOUNTED,
    spec: volume("configMap: {name: there, items: [{key: none, path: p}]}"),
    lines: [...waiting("ContainerCreating"), notMounted("configmap references non-existent config key: none")],
  },
  {
    pod: "volume-without-secret-key",
    container: MOUNTED,
    spec: volume("secret: {secretName: there, items: [{key: none, path: p}]}"),
    lines: [...waiting("ContainerCreating"), notMounted("references non-existent secret key: none")],
  },
  {
    pod: "projection-without-sources",
    container: MOUNTED,
    spec: volume("projected: {sources: [{configMap: {name: none}}, {secret: {name: none}}]}"),
    lines: [...waiting("ContainerCreating"), notMounted('[configmap "none" not found, secret "none" not found]')],
  },
  ...[
    { type: "Directory", path: "/etc/hostname", what: "a directory" },
    { type: "File", path: "/etc", what: "a file" },
    { type: "Socket", path: "/etc/hostname", what: "a socket file" },
    { type: "CharDevice", path: "/etc/hostname", what: "a character device" },
    { type: "BlockDevice", path: "/no/such", what: "a block device" },
  ].map(({ type, path, what }) => ({
    pod: `host-path-${type.toLowerCase()}`,
    container: MOUNTED,
    spec: volume(`hostPath: {path: ${path}, type: ${type}}`),
    lines: [...waiting("ContainerCreating"), notMounted(`hostPath type check failed: ${path} is not ${what}`)],
  })),
  {
    pod: "missing-program",
    container: `${BUSYBOX}, command: [/absent]`,
    lines: ["Status: Running", ...startError(NO_PROGRAM), backedOff("missing-program")],
  },
  {
    pod: "impossible-working-dir",
    container: `${SLEEPER}, workingDir: /etc/passwd`,
    lines: ["Status: Running", ...startError(NO_DIRECTORY), backedOff("impossible-working-dir")],
  },
  {
    pod: "image-of-root",
    container: SLEEPER,
    spec: "securityContext: {runAsNonRoot: true}",
    lines: [
      ...waiting("CreateContainerConfigError"),
      failed(
        'container has runAsNonRoot and image will run as root (pod: "image-of-root_default(<uid>)", container: main)',
      ),
    ],
  },
  {
    pod: "user-is-root",
    container: `${SLEEPER}, securityContext: {runAsNonRoot: true, runAsUser: 0}`,
    lines: [
      ...waiting("CreateContainerConfigError"),
      failed('container\'s runAsUser breaks non-root policy (pod: "user-is-root_default(<uid>)", container: main)'),
    ],
  },
  {
    pod: "not-ready",
    container: `${SLEEPER}, readinessProbe: {httpGet: {path: /, port: 81}, periodSeconds: 1}`,
    lines: [
      "State: Running",
      "Ready: False",
      event(
        "Unhealthy",
        ofMain('Readiness probe failed: Get "http://<ip>:81/": dial tcp <ip>:81: connect: connection refused'),
      ),
    ],
  },
  {
    pod: "not-alive",
    container: `${SLEEPER}, livenessProbe: {exec: {command: [sh, -c, "echo broken; exit 1"]}, periodSeconds: 1, failureThreshold: 2}`,
    lines: [
      "Last State: Terminated",
      event("Unhealthy", ofMain("Liveness probe failed: broken")),
      event("Killing", ofMain("Container main failed liveness probe, will be restarted"), "Normal"),
    ],
  },
  {
    pod: "not-started",
    container: `${SLEEPER}, startupProbe: {tcpSocket: {port: 81}, periodSeconds: 1, failureThreshold: 2}`,
    lines: [
      "Last State: Terminated",
      event("Unhealthy", ofMain("Startup probe failed: dial tcp <ip>:81: connect: connection refused")),
      event("Killing", ofMain("Container main failed startup probe, will be restarted"), "Normal"),
    ],
  },
  {
    pod: "bad-post-start",
    container: `${SLEEPER}, lifecycle: {postStart: {exec: {command: ["false"]}}}`,
    lines: [
      event("FailedPostStartHook", ofMain("PostStartHook failed")),
      event("Killing", ofMain("FailedPostStartHook"), "Normal"),
    ],
  },
  {
    pod: "crashes",
    container: sh("echo last words > /dev/termination-log; exit 3"),
    lines: [
      "Reason: CrashLoopBackOff",
      "Last State: Terminated",
      "Reason: Error",
      "Message: last words",
      "Exit Code: 3",
      "Started: <time>",
      "Finished: <time>",
      backedOff("crashes"),
    ],
  },
  {
    pod: "init-crashes",
    container: SLEEPER,
    spec: `initContainers: [{name: first, ${sh("exit 5")}}]`,
    lines: ["Status: Pending", "Exit Code: 5", backedOff("init-crashes", "first", "initContainers")],
  },
  {
    pod: "too-late",
    container: SLEEPER,
    spec: "activeDeadlineSeconds: 1",
    lines: [
      "Status: Failed",
      "Reason: DeadlineExceeded",
      "Message: Pod was active on the node longer than the specified deadline",
      event("DeadlineExceeded", "Pod was active on the node longer than the specified deadline", "Normal"),
    ],
  },
  {
    pod: "forbidden-sysctl",
    container: SLEEPER,
    spec: 'securityContext: {sysctls: [{name: kernel.msgmax, value: "65536"}]}',
    lines: [
      "Status: Failed",
      "Reason: SysctlForbidden",
      'Message: Pod was rejected: forbidden sysctl: "kernel.msgmax" not allowlisted',
      event("SysctlForbidden", 'forbidden sysctl: "kernel.msgmax" not allowlisted'),
    ],
  },
  {
    pod: "too-big",
    container: `${SLEEPER}, resources: {requests: {cpu: "640"}}`,
    lines: [
      "Status: Pending",
      "Warning FailedScheduling default-scheduler 0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
    ],
  },
  {
    pod: "choosy",
    container: SLEEPER,
    spec: "nodeSelector: {disk: ssd}",
    lines: [
      "Status: Pending",
      "Warning FailedScheduling default-scheduler 0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
    ],
  },
];

const manifest = ({ pod, container, spec = "" }: Omit<Trouble, "lines">) => `
apiVersion: v1
kind: Pod
metadata: {name: ${pod}}
spec:
  terminationGracePeriodSeconds: 1
  ${spec}
  containers: [{name: main, ${container}}]
---`;

beforeAll(async () => {
  cluster = await OwnCluster.prepare();
  await cluster.up();
  kubectl = new Kubectl(cluster.kubeconfigFile);
  images = mkdtempSync(join(tmpdir(), "hearth-images-"));
  await cluster.hearth("agent", "image", "import", ...writeTestImages(images).values());
  node = (await kubectl.run("get", "nodes", "-o", "name")).trim().replace("node/", "");
  await kubectl.run("create", "configmap", "there", "--from-literal=a=b");
  await kubectl.run("create", "secret", "generic", "there", "--from-literal=a=b");
  await kubectl.apply(TROUBLES.map(manifest).join("\n"));
}, 300_000);

afterAll(async () => {
  await cluster?.remove();
  if (images) rmSync(images, { recursive: true, force: true });
}, 300_000);

/** Waits until `kubectl describe` shows all of the lines. */
async function shows(lines: string[], ...what: string[]): Promise<void> {
  let text = "";
  const missing = async () => {
    text = await kubectl.run("describe", ...what);
    const described = describedLines(text);
    return lines.filter((line) => !described.includes(line));
  };
  await waitFor("the description", async () => (await missing()).length === 0, { intervalMs: 500 }).catch(async () => {
    throw new Error(`not shown:\n${(await missing()).join("\n")}\nin:\n${text}`);
  });
}

describe("kubectl describe pod", () => {
  it.each(TROUBLES)("tells what is wrong: $pod", async ({ pod, lines }) => {
    await shows(lines, "pod", pod);
  });

  it("kubectl get and kubectl events tell the same", async () => {
    const status = async (pod: string) => (await kubectl.run("get", "pod", pod, "--no-headers")).split(/ +/)[2];
    expect(await status("bad-image-name")).toBe("InvalidImageName");
    expect(await status("missing-configmap")).toBe("CreateContainerConfigError");
    expect(await status("forbidden-sysctl")).toBe("SysctlForbidden");
    expect(await kubectl.run("events", "--for", "pod/image-of-root")).toMatch(
      /Warning +Failed +Pod\/image-of-root +Error: container has runAsNonRoot and image will run as root \(pod: "image-of-root_default\([0-9a-f-]{36}\)", container: main\)/,
    );
  });

  it("what was missing appears, and the pod goes on", async () => {
    await kubectl.run("create", "configmap", "none", "--from-literal=none=1");
    await kubectl.run(
      ...["wait", "--for=condition=Ready", "--timeout=120s"],
      ...["pod/missing-configmap", "pod/volume-without-configmap"],
    );
  });
});

it("a quota that is used up is told to whoever creates the pod", async () => {
  await kubectl.run("create", "namespace", "tight");
  await kubectl.run("create", "quota", "few", "--hard=pods=0", "-n", "tight");
  await waitFor("the quota to be counted", async () =>
    (await kubectl.run("get", "quota", "few", "-n", "tight", "-o", "jsonpath={.status.hard.pods}")).includes("0"),
  );
  const alone = await kubectl.finish(["run", "one", "--image=busybox:1.37", "-n", "tight"]);
  expect(alone.stderr).toBe(
    'Error from server (Forbidden): pods "one" is forbidden: exceeded quota: few, requested: pods=1, used: pods=0, limited: pods=0\n',
  );
  await kubectl.run("create", "deployment", "web", "--image=nginx:1.29", "-n", "tight");
  const told = () => kubectl.run("describe", "replicaset", "-l", "app=web", "-n", "tight");
  const isTold = async () =>
    /Warning +FailedCreate .* Error creating: pods "web-[a-z0-9]+-[a-z0-9]{5}" is forbidden: exceeded quota: few, requested: pods=1, used: pods=0, limited: pods=0/.test(
      await told(),
    );
  await waitFor("the ReplicaSet's event", isTold);
});

describe("the pod network", () => {
  const NOT_READY =
    "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized";
  const pods = (name: string) =>
    manifest({ pod: name, container: SLEEPER, spec: "tolerations: [{operator: Exists}]" }) +
    manifest({
      pod: `${name}-host`,
      container: SLEEPER,
      spec: "hostNetwork: true\n  tolerations: [{operator: Exists}]",
    });
  let directory: string;
  /** Where the node keeps its configuration, as often as somebody takes it away. */
  let own: string;
  let foreign: string;

  beforeAll(() => {
    directory = join(cluster.home, "containerd/net.d");
    own = join(directory, "90-hearth.conflist");
    foreign = join(directory, "10-other.conflist");
  });

  it("is not configured: the node is not ready, and pods wait, save those in the host's network", async () => {
    // What stands in the node's way cannot be written over; it may be quicker than the first try.
    await waitFor("the configuration to be gone", async () => {
      rmSync(own, { recursive: true });
      mkdirSync(own, { recursive: true });
      return readdirSync(directory, { withFileTypes: true }).every((entry) => entry.isDirectory());
    });
    await shows(
      ["Taints: node.kubernetes.io/not-ready:NoSchedule", `Ready False <time> <time> KubeletNotReady ${NOT_READY}`],
      ...["node", node],
    );
    await kubectl.apply(pods("offline"));
    await shows([event("NetworkNotReady", `network is not ready: ${NOT_READY}`)], "pod", "offline");
    await kubectl.run("wait", "--for=condition=Ready", "pod/offline-host", "--timeout=60s");
  });

  it("is broken: what the plugin says is told", async () => {
    const plugins = [{ type: "no-such-plugin" }];
    writeFileSync(foreign, JSON.stringify({ cniVersion: "1.0.0", name: "broken", plugins }));
    await shows(
      [
        event(
          "FailedCreatePodSandBox",
          'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "<id>": plugin type="no-such-plugin" failed (add): failed to find plugin "no-such-plugin" in path [/usr/lib/cni]',
        ),
      ],
      ...["pod", "offline"],
    );
  });

  it("is mended: the node is ready again, and the pod gets its address", async () => {
    rmdirSync(own);
    rmSync(foreign);
    await kubectl.run("wait", "--for=condition=Ready", `node/${node}`, "pod/offline", "--timeout=120s");
    expect(await kubectl.run("get", "pod", "offline", "-o", "jsonpath={.status.podIP}")).toMatch(/^10\./);
  });
});
