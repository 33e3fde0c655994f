import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import WebSocket from "ws";
import { readKubeconfig } from "../harness/json-client.ts";
import { Kubectl } from "../harness/kubectl.ts";
import { OwnCluster } from "../harness/own-cluster.ts";
import { commandLineOf, processTree } from "../harness/process-tree.ts";
import { waitFor } from "../harness/wait-for.ts";
import { writeTestImages } from "../images/index.ts";

const run = promisify(execFile);

let cluster: OwnCluster;
let kubectl: Kubectl;
let images: string;

beforeAll(async () => {
  cluster = await OwnCluster.prepare();
  const printed = await cluster.up();
  expect(printed).toContain(`export KUBECONFIG=${cluster.kubeconfigFile}`);
  kubectl = new Kubectl(cluster.kubeconfigFile);
  images = mkdtempSync(join(tmpdir(), "hearth-images-"));
  await cluster.hearth("agent", "image", "import", ...writeTestImages(images).values());
}, 600_000);

afterAll(async () => {
  await cluster?.remove();
  if (images) rmSync(images, { recursive: true, force: true });
}, 300_000);

const WEB = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
spec:
  replicas: 3
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
        - name: nginx
          image: nginx:1.29
          ports:
            - containerPort: 80
`;

interface Pod {
  metadata: { name: string; uid: string; namespace: string; annotations?: Record<string, string> };
  spec: { nodeName: string };
  status: { podIP: string; phase: string; containerStatuses: { containerID: string; restartCount: number }[] };
}

const podsOfWeb = async () => (await kubectl.json<{ items: Pod[] }>("get", "pods", "-l", "app=web")).items;

/** Each line of a table as its cells. */
const cells = (table: string) =>
  table
    .trim()
    .split("\n")
    .map((line) => line.split(/ {2,}/));

describe("the node (NODE-01, NODE-03, NODE-04, NODE-14, NODE-15)", () => {
  it("is Ready, with its versions and addresses", async () => {
    const text = await kubectl.run("get", "nodes", "-o", "wide");
    expect(text).toMatch(
      /^NAME +STATUS +ROLES +AGE +VERSION +INTERNAL-IP +EXTERNAL-IP +OS-IMAGE +KERNEL-VERSION +CONTAINER-RUNTIME *$/m,
    );
    expect(text).toMatch(/ Ready +<none> .* v1\.36\.2\+hearth\S* +\d+\.\d+\.\d+\.\d+ +<none> .* containerd:\/\/\d/);
  });

  it("describe shows capacity, conditions and what is promised", async () => {
    const text = await kubectl.run("describe", "nodes");
    for (const section of [
      /^Taints: +<none>$/m,
      /^Capacity:\n +cpu: +\d+$/m,
      /^Allocatable:$/m,
      /^Allocated resources:$/m,
      /^Events:/m,
    ]) {
      expect(text).toMatch(section);
    }
    for (const condition of [
      /MemoryPressure +False/,
      /DiskPressure +False/,
      /PIDPressure +False/,
      /Ready +True .* KubeletReady +kubelet is posting ready status/,
    ]) {
      expect(text).toMatch(condition);
    }
    expect(text).toMatch(/PodCIDR: +10\.244\.\d+\.0\/24/);
  });

  it("shows the configuration that it works with (NODE-02)", async () => {
    const node = (await kubectl.run("get", "nodes", "-o", "name")).trim().replace("node/", "");
    const answer = await kubectl.run("get", "--raw", `/api/v1/nodes/${node}/proxy/configz`);
    expect(JSON.parse(answer).kubeletconfig).toMatchObject({
      kind: "KubeletConfiguration",
      clusterDNS: ["10.96.0.10"],
      clusterDomain: "cluster.local",
      cgroupDriver: expect.stringMatching(/^(systemd|cgroupfs)$/), // the runtime's
      staticPodPath: join(cluster.home, "agent/manifests"),
    });
  });

  it("renews its Lease of 40 s every 10 s", async () => {
    const renewTime = () =>
      kubectl.run("get", "lease", "-n", "kube-node-lease", "-o", "jsonpath={.items[0].spec.renewTime}");
    const first = await renewTime();
    expect(first).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(
      await kubectl.run(
        "get",
        "lease",
        "-n",
        "kube-node-lease",
        "-o",
        "jsonpath={.items[0].spec.leaseDurationSeconds}",
      ),
    ).toBe("40");
    await waitFor("a later renewTime", async () => (await renewTime()) > first);
    const node = (await kubectl.run("get", "nodes", "-o", "name")).trim().replace("node/", "");
    const byName = await kubectl.run("get", "lease", node, "-n", "kube-node-lease", "-o", "jsonpath={.spec.renewTime}");
    expect(byName > first).toBe(true);
  });
});

describe("a Deployment (seed 004)", () => {
  let watch: ReturnType<Kubectl["start"]>;
  let watched = "";

  it("apply gives three running pods (DEP-01, DEP-03, DEP-24, CNI-04)", async () => {
    expect(await kubectl.apply(WEB)).toBe("deployment.apps/web created\n");
    expect(await kubectl.run("rollout", "status", "deployment/web", "--timeout=150s")).toContain(
      'deployment "web" successfully rolled out',
    );
    const text = await kubectl.run("get", "deployment,replicaset,pod", "-l", "app=web", "-o", "wide");
    expect(text).toMatch(/^deployment\.apps\/web +3\/3 +3 +3 +\S+ +nginx +nginx:1\.29 +app=web$/m);
    expect(text).toMatch(
      /^replicaset\.apps\/web-[a-z0-9]+ +3 +3 +3 +\S+ +nginx +nginx:1\.29 +app=web,pod-template-hash=[a-z0-9]+$/m,
    );
    expect(
      text.match(/^pod\/web-[a-z0-9]+-[a-z0-9]{5} +1\/1 +Running +0 +\S+ +10\.244\.\d+\.\d+ +\S+ +<none> +<none>$/gm),
    ).toHaveLength(3);
    const ips = (await podsOfWeb()).map((pod) => pod.status.podIP);
    expect(new Set(ips).size).toBe(3);
  });

  it("the pods answer on their addresses", async () => {
    for (const pod of await podsOfWeb()) {
      const page = await waitFor("an answer", async () => (await fetch(`http://${pod.status.podIP}/`)).text());
      expect(page).toContain("Welcome to nginx!");
    }
  });

  it("a deleted pod is replaced at once (DEP-25, DEP-26, DEP-27)", async () => {
    watch = kubectl.start(["get", "pods", "-l", "app=web", "-w", "--no-headers"]);
    watch.stdout.setEncoding("utf8").on("data", (text: string) => {
      watched += text;
    });
    await waitFor("the watch", () => watched.split("\n").length > 3);
    const before = (await podsOfWeb()).map(({ metadata }) => metadata.name);
    const victim = before[0]!;
    expect(await kubectl.run("delete", "pod", victim)).toBe(`pod "${victim}" deleted from default namespace\n`);
    await kubectl.run("wait", "--for=condition=available", "deployment/web", "--timeout=120s");
    await waitFor("the new pod in the watch", () =>
      watched
        .split("\n")
        .filter((line) => line && !before.some((name) => line.startsWith(name)))
        .some((line) => /1\/1 +Running +0 +[0-9]+s/.test(line)),
    );
    watch.kill();
    const lines = watched
      .trim()
      .split("\n")
      .map((line) => line.split(/ +/));
    const newName = lines.map((line) => line[0]!).find((name) => !before.includes(name))!;
    const states = lines.filter((line) => line[0] === newName).map((line) => `${line[1]} ${line[2]}`);
    expect(states.slice(0, 2)).toEqual(["0/1 Pending", "0/1 Pending"]);
    expect(states).toContain("0/1 ContainerCreating");
    expect(states.at(-1)).toBe("1/1 Running");
    const terminating = lines.findIndex((line) => line[0] === victim && line[2] === "Terminating");
    const appeared = lines.findIndex((line) => line[0] === newName);
    expect(appeared).toBeGreaterThan(terminating - 1);

    const described = await kubectl.run("describe", "replicaset", "-l", "app=web");
    expect(described.match(/Normal +SuccessfulCreate .* replicaset-controller +Created pod: web-/g)).toHaveLength(4);
  });

  it("scales, shows the difference, and goes back to the file (API-15, API-16, DEP-28)", async () => {
    expect(await kubectl.run("scale", "deployment", "web", "--replicas=5")).toBe("deployment.apps/web scaled\n");
    await kubectl.run("rollout", "status", "deployment/web", "--timeout=150s");
    const diff = await kubectl.finish(["diff", "-f", "-"], WEB);
    expect(diff.stdout).toMatch(/^- +replicas: 5\n\+ +replicas: 3$/m);
    expect(await kubectl.apply(WEB)).toBe("deployment.apps/web configured\n");
    await waitFor("three pods", async () => (await podsOfWeb()).length === 3);
  });

  it("a checksum of its configuration in the template's annotations rolls it out anew (VOL-07)", async () => {
    const sets = async () =>
      (await kubectl.run("get", "replicasets", "-l", "app=web", "-o", "name")).trim().split("\n").filter(Boolean);
    const [before] = await sets();
    const annotations = { "checksum/config": "0a1b2c" };
    const patch = JSON.stringify({ spec: { template: { metadata: { annotations } } } });
    await kubectl.run("patch", "deployment", "web", "-p", patch);
    await kubectl.run("rollout", "status", "deployment/web", "--timeout=150s");
    expect((await sets()).filter((name) => name !== before)).toHaveLength(1);
    expect(await kubectl.run("rollout", "history", "deployment/web")).toMatch(/^1 .*\n2 /m);
    await waitFor("the pods before it to be gone", async () => (await podsOfWeb()).length === 3);
    for (const { metadata } of await podsOfWeb()) expect(metadata.annotations).toMatchObject(annotations);
  });
});

describe("kubectl run (seed 003)", () => {
  it("has its events in order (EVT-02, EVT-04, SCH-18)", async () => {
    expect(await kubectl.run("run", "test", "--image=nginx:1.29")).toBe("pod/test created\n");
    await kubectl.run("wait", "--for=condition=Ready", "pod/test", "--timeout=120s");
    const text = await waitFor("the events", async () => {
      const events = await kubectl.run(
        "get",
        "events",
        "--field-selector",
        "involvedObject.name=test",
        "--sort-by=.metadata.name",
      );
      return events.includes("Started") && events;
    });
    const rows = cells(text).slice(1);
    expect(rows.map((row) => row[2])).toEqual(["Scheduled", "Pulled", "Created", "Started"]);
    expect(rows[0]).toEqual([
      expect.any(String),
      "Normal",
      "Scheduled",
      "pod/test",
      expect.stringMatching(/^Successfully assigned default\/test to \S+$/),
    ]);
    expect(text).toContain('Container image "nginx:1.29" already present on machine');
    expect(await kubectl.run("describe", "pod", "test")).toMatch(/Scheduled .* default-scheduler/);
  });

  it("shares namespaces as a pod does (POD-13, CRI-03, CRI-07, CNI-05)", async () => {
    const pids = pidsOfPod();
    const namespacesOf = (pid: number) =>
      Object.fromEntries(["net", "ipc", "uts", "pid", "mnt"].map((ns) => [ns, readlinkSync(`/proc/${pid}/ns/${ns}`)]));
    const pause = namespacesOf(pids.pause);
    const app = namespacesOf(pids.app);
    expect({ net: app["net"], ipc: app["ipc"], uts: app["uts"] }).toEqual({
      net: pause["net"],
      ipc: pause["ipc"],
      uts: pause["uts"],
    });
    expect(app["pid"]).not.toBe(pause["pid"]);
    expect(app["mnt"]).not.toBe(pause["mnt"]);
    expect(app["net"]).not.toBe(readlinkSync("/proc/self/ns/net"));
    expect(statSync(`/proc/${pids.app}/ns/net`).ino).toBe(Number(/\d+/.exec(app["net"]!)![0]));

    /** The shim of the pod has the sandbox and its containers as children; each is told the pod's name as its host name. */
    function pidsOfPod(): { pause: number; app: number } {
      const shims = processTree(1).filter((pid) => commandLineOf(pid).includes("containerd-shim-runc"));
      for (const shim of shims) {
        const tree = processTree(shim);
        const app = tree.find((pid) => commandLineOf(pid, "environ").includes("HOSTNAME=test"));
        const pause = tree.find((pid) => commandLineOf(pid).includes("/pause"));
        if (app && pause) return { pause, app };
      }
      throw new Error("the pod's processes were not found");
    }
  });

  it("logs: tail, since, timestamps, follow, by selector, and their file (CMD-07, LOG-01, LOG-03 to LOG-05)", async () => {
    await kubectl.apply(`
apiVersion: v1
kind: Pod
metadata: {name: talker, labels: {app: talker}}
spec:
  restartPolicy: Never
  containers:
  - name: main
    image: busybox:1.37
    imagePullPolicy: IfNotPresent
    command: [sh, -c, 'for i in $(seq 12); do echo line $i; done; while [ ! -f /tmp/more ]; do sleep 0.1; done; echo more; sleep 3600']
`);
    await kubectl.run("wait", "--for=condition=Ready", "pod/talker", "--timeout=120s");
    await waitFor("the lines", async () => (await kubectl.run("logs", "talker")).includes("line 12"));
    const lines = Array.from({ length: 12 }, (_, index) => `line ${index + 1}\n`);
    expect(await kubectl.run("logs", "talker")).toBe(lines.join(""));
    expect(await kubectl.run("logs", "talker", "--tail=2")).toBe(lines.slice(-2).join(""));
    expect(await kubectl.run("logs", "-l", "app=talker")).toBe(lines.slice(-10).join(""));
    expect(await kubectl.run("logs", "-l", "app=talker", "--tail=-1", "--max-log-requests=20", "--prefix")).toBe(
      lines.map((line) => `[pod/talker/main] ${line}`).join(""),
    );
    const { uid } = (await kubectl.json<Pod>("get", "pod", "talker")).metadata;
    const file = readFileSync(`/var/log/pods/default_talker_${uid}/main/0.log`, "utf8");
    expect(file).toMatch(/^\S+ stdout F line 1$/m);
    expect(await kubectl.run("logs", "talker", "--tail=1", "--timestamps")).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z line 12\n$/,
    );
    expect(await kubectl.run("logs", "talker", "--since=10m")).toContain("line 1\n");
    const follow = kubectl.start(["logs", "-f", "talker"]);
    let followed = "";
    follow.stdout.setEncoding("utf8").on("data", (text: string) => {
      followed += text;
    });
    await waitFor("what there is", () => followed.includes("line 12"));
    await kubectl.run("exec", "talker", "--", "touch", "/tmp/more");
    await waitFor("what comes", () => followed.endsWith("more\n"));
    follow.kill();
    expect((await kubectl.finish(["logs", "talker", "--previous"])).stderr).toContain(
      'previous terminated container "main" in pod "talker" not found',
    );
    expect((await kubectl.finish(["logs", "talker", "-c", "none"])).stderr).toContain(
      "container none is not valid for pod talker",
    );
  });

  it("exec: output, errors, stdin, exit code, terminal (CMD-06)", async () => {
    expect(await kubectl.run("exec", "talker", "--", "echo", "hello")).toBe("hello\n");
    const failed = await kubectl.finish(["exec", "talker", "--", "sh", "-c", "echo out; echo err >&2; exit 3"]);
    expect(failed).toMatchObject({ code: 3, stdout: "out\n" });
    expect(failed.stderr).toContain("err\n");
    expect(failed.stderr).toContain("command terminated with exit code 3");
    const big = "0123456789abcdef".repeat(16 * 1024);
    expect((await kubectl.finish(["exec", "-i", "talker", "--", "cat"], big)).stdout).toBe(big);
    expect((await kubectl.finish(["exec", "-i", "talker", "--", "wc", "-c"], big)).stdout.trim()).toBe(
      String(big.length),
    );
    const missing = await kubectl.finish(["exec", "talker", "--", "no-such-program"]);
    expect(missing.code).not.toBe(0);
    expect(missing.stderr).toContain("no-such-program");
  });

  it("clients of older WebSocket protocols get logs and sessions", async () => {
    const { base, ca, token } = readKubeconfig(cluster.kubeconfigFile);
    const speak = async (path: string, protocols: string[], input?: string) => {
      const url = `${base.replace("https", "wss")}/api/v1/namespaces/default/pods/talker/${path}`;
      const socket = new WebSocket(url, protocols, { ca, headers: { authorization: `Bearer ${token}` } });
      const messages: string[] = [];
      socket.on("message", (data: Buffer) => messages.push(data.toString()));
      if (input !== undefined) socket.once("open", () => socket.send(input));
      await once(socket, "close");
      return messages.filter((message) => message.length > 0);
    };
    expect((await speak("log?tailLines=1", ["binary.k8s.io"])).join("")).toBe("more\n");
    expect(await speak("log?tailLines=1", ["base64.binary.k8s.io"])).toEqual([btoa("more\n")]);
    const echo = "exec?stdout=1&command=echo&command=hi";
    for (const protocols of [["channel.k8s.io"], []]) expect(await speak(echo, protocols)).toEqual(["\u0001hi\n"]);
    expect(await speak(echo, ["base64.channel.k8s.io"])).toEqual([`1${btoa("hi\n")}`]);
    const read = "exec?stdin=1&stdout=1&command=head&command=-n1";
    expect(await speak(read, ["base64.channel.k8s.io"], `0${btoa("in\n")}`)).toEqual([`1${btoa("in\n")}`]);
    const [failure, ...rest] = await speak("exec?stdout=1&command=false", ["channel.k8s.io"]);
    expect(failure?.codePointAt(0)).toBe(3);
    expect(failure).toMatch(/^.command terminated with non-zero exit code: .* exit code 1$/);
    expect(rest).toEqual([]);
  });

  it("a crashed container is restarted, and its last log is kept (RST-01, RST-06)", async () => {
    await kubectl.apply(`
apiVersion: v1
kind: Pod
metadata: {name: crasher}
spec:
  containers:
  - name: main
    image: busybox:1.37
    imagePullPolicy: IfNotPresent
    command: [sh, -c, 'echo life of $HOSTNAME; exit 7']
`);
    await waitFor(
      "two restarts",
      async () =>
        Number(
          await kubectl.run("get", "pod", "crasher", "-o", "jsonpath={.status.containerStatuses[0].restartCount}"),
        ) >= 2,
    );
    expect(
      await kubectl.run(
        "get",
        "pod",
        "crasher",
        "-o",
        "jsonpath={.status.containerStatuses[0].lastState.terminated.exitCode}",
      ),
    ).toBe("7");
    expect(await kubectl.run("logs", "crasher", "--previous")).toBe("life of crasher\n");
    await waitFor("the back-off", async () =>
      (await kubectl.run("get", "pod", "crasher")).includes("CrashLoopBackOff"),
    );
    await kubectl.run("delete", "pod", "crasher", "--now");
  });

  it("environment, configuration and token (SEC-18)", async () => {
    await kubectl.run("create", "configmap", "settings", "--from-literal=mode=test");
    await kubectl.run("create", "secret", "generic", "keys", "--from-literal=password=s3cret");
    await kubectl.apply(`
apiVersion: v1
kind: Pod
metadata: {name: configured, labels: {tier: demo}}
spec:
  containers:
  - name: main
    image: busybox:1.37
    imagePullPolicy: IfNotPresent
    command: [sleep, "3600"]
    env:
    - {name: MODE, valueFrom: {configMapKeyRef: {name: settings, key: mode}}}
    - {name: PASSWORD, valueFrom: {secretKeyRef: {name: keys, key: password}}}
    - {name: POD_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
    - {name: BOTH, value: "$(MODE)-$(POD_IP)"}
    volumeMounts:
    - {name: config, mountPath: /config}
    - {name: secret, mountPath: /secret}
    - {name: scratch, mountPath: /scratch}
  volumes:
  - {name: config, configMap: {name: settings}}
  - {name: secret, secret: {secretName: keys, defaultMode: 0400}}
  - {name: scratch, emptyDir: {}}
`);
    await kubectl.run("wait", "--for=condition=Ready", "pod/configured", "--timeout=120s");
    const pod = await kubectl.json<Pod>("get", "pod", "configured");
    const sh = (script: string) => kubectl.run("exec", "configured", "--", "sh", "-c", script);
    expect(await sh("echo $MODE $PASSWORD $BOTH")).toBe(`test s3cret test-${pod.status.podIP}\n`);
    expect(await sh("cat /config/mode /secret/password; echo x > /scratch/f && cat /scratch/f")).toBe("tests3cretx\n");
    expect(await sh("stat -L -c %a /secret/password")).toBe("400\n");
    expect(await sh("ls /var/run/secrets/kubernetes.io/serviceaccount")).toBe("ca.crt\nnamespace\ntoken\n");
    await kubectl.run("patch", "configmap", "settings", "-p", '{"data":{"mode":"changed"}}');
    await waitFor("the live update", async () => (await sh("cat /config/mode")) === "changed");
  });
});

/** Each part says which it is, and is done; the sidecar would go on. */
const PARTS = `
apiVersion: batch/v1
kind: Job
metadata: {name: parts}
spec:
  completions: 8
  parallelism: 4
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 1
      initContainers:
      - {name: agent, image: "busybox:1.37", imagePullPolicy: Never, restartPolicy: Always, command: [sleep, "3600"]}
      containers:
      - name: main
        image: busybox:1.37
        imagePullPolicy: Never
        command: [echo]
        args: ["part $(JOB_COMPLETION_INDEX)"]
`;
const EVERYWHERE = `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: everywhere}
spec:
  selector: {matchLabels: {app: everywhere}}
  template:
    metadata: {labels: {app: everywhere}}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - {name: main, image: "busybox:1.37", imagePullPolicy: Never, command: [sh, -c, "echo on every node; sleep 3600"]}
`;

describe("other workloads", () => {
  it("the parts of a Job have their numbers, and a sidecar holds none up (JOB-08, JOB-13, JOB-14)", async () => {
    await kubectl.apply(PARTS);
    await kubectl.run("wait", "job/parts", "--for=condition=complete", "--timeout=150s");
    const said = await kubectl.run("logs", "-l", "job-name=parts", "-c", "main");
    expect(said.trim().split("\n").sort()).toEqual(Array.from({ length: 8 }, (_, n) => `part ${n}`));
    await kubectl.run("delete", "job", "parts");
  });

  it("kubectl logs finds a pod of a DaemonSet (DS-02)", async () => {
    await kubectl.apply(EVERYWHERE);
    await kubectl.run("rollout", "status", "daemonset/everywhere", "--timeout=150s");
    await waitFor("its words", async () => (await kubectl.run("logs", "ds/everywhere")) === "on every node\n");
    await kubectl.run("delete", "daemonset", "everywhere");
  });
});

/** Asks the API who it is. */
const ASK = `
  const answer = await fetch(process.env.URL, {
    method: "POST",
    headers: { authorization: "Bearer " + process.env.TOKEN, "content-type": "application/json" },
    body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }),
  });
  console.log(await answer.text());
`;

describe("a pod's token", () => {
  const YEAR = 365 * 24 * 3600;
  const MOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
  interface Claims {
    iat: number;
    exp: number;
    sub: string;
    "kubernetes.io": { warnafter: number; pod: object; node: object; serviceaccount: object; namespace: string };
  }
  const tokenOf = async (pod: string) => (await kubectl.run("exec", pod, "--", "cat", `${MOUNT}/token`)).trim();
  const whoami = (token: string) =>
    kubectl.finish(["--token", token, "auth", "whoami", "-o", "jsonpath={.status.userInfo}"]);

  it("names the pod, its node and its account, for a year, of which it warns after 3607 s (SEC-19, SEC-21)", async () => {
    const claims = JSON.parse(
      Buffer.from((await tokenOf("configured")).split(".")[1]!, "base64url").toString(),
    ) as Claims;
    const pod = await kubectl.json<Pod>("get", "pod", "configured");
    const uid = (...what: string[]) => kubectl.run("get", ...what, "-o", "jsonpath={.metadata.uid}");
    expect(claims.sub).toBe("system:serviceaccount:default:default");
    expect(claims["kubernetes.io"]).toMatchObject({
      namespace: "default",
      pod: { name: "configured", uid: pod.metadata.uid },
      node: { name: pod.spec.nodeName, uid: await uid("node", pod.spec.nodeName) },
      serviceaccount: { name: "default", uid: await uid("serviceaccount", "default") },
    });
    expect(claims.exp - claims.iat).toBe(YEAR);
    expect(claims["kubernetes.io"].warnafter - claims.iat).toBe(3607);
  });

  it("is who the pod is to the API, asked from within (SEC-02)", async () => {
    const { status } = await kubectl.json<{ status: { hostIP: string } }>("get", "pod", "configured");
    const url = `https://${status.hostIP}:${cluster.port}/apis/authentication.k8s.io/v1/selfsubjectreviews`;
    // The test image has no client for this TLS: one of the machine's, in the pod's network.
    const pid = processTree(1).find((each) => commandLineOf(each, "environ").includes("HOSTNAME=configured"));
    const client = ["--target", String(pid), "--net", process.execPath, "--input-type=module", "--eval", ASK];
    const env = {
      URL: url,
      TOKEN: await tokenOf("configured"),
      NODE_TLS_REJECT_UNAUTHORIZED: "0",
      NODE_NO_WARNINGS: "1",
    };
    const { stdout } = await run("nsenter", client, { env: { ...process.env, ...env } });
    const answer = JSON.parse(stdout) as {
      status: { userInfo: { username: string; extra: Record<string, string[]> } };
    };
    expect(answer.status.userInfo).toMatchObject({
      username: "system:serviceaccount:default:default",
      extra: { "authentication.kubernetes.io/pod-name": ["configured"] },
    });
  });

  it("is worth nothing once the pod is gone, also for another of its name (SEC-20)", async () => {
    const token = await tokenOf("configured");
    expect((await whoami(token)).stdout).toContain("system:serviceaccount:default:default");
    await kubectl.run("delete", "pod", "configured", "--now");
    // Like upstream, the API server remembers for seconds whom a token stands for.
    await waitFor("the refusal", async () => (await whoami(token)).stderr.includes("(Unauthorized)"));
    await kubectl.run("run", "configured", "--image=busybox:1.37", "--image-pull-policy=Never", "--", "sleep", "3600");
    expect(await whoami(token)).toMatchObject({ code: 1, stderr: expect.stringContaining("Unauthorized") });
    await kubectl.run("delete", "pod", "configured", "--now");
  });

  it("is not mounted where nobody wants it (SEC-26)", async () => {
    const manifest = `
apiVersion: v1
kind: Pod
metadata: {name: tokenless}
spec:
  automountServiceAccountToken: false
  containers: [{name: main, image: "busybox:1.37", imagePullPolicy: IfNotPresent, command: [sleep, "3600"]}]
`;
    expect(await kubectl.apply(manifest, "--dry-run=server", "-o", "jsonpath={.spec.volumes}")).toBe("");
    await kubectl.apply(manifest);
    await kubectl.run("wait", "--for=condition=Ready", "pod/tokenless", "--timeout=120s");
    expect(
      await kubectl.run("exec", "tokenless", "--", "sh", "-c", "ls -d /var/run/secrets 2>/dev/null || echo none"),
    ).toBe("none\n");
    await kubectl.run("delete", "pod", "tokenless", "--now");
  });
});

it("the kubelet's API takes no one who is not known, and nothing listens for it (SEC-08)", async () => {
  const name = (await kubectl.run("get", "nodes", "-o", "jsonpath={.items[0].metadata.name}")).trim();
  const path = `/api/v1/nodes/${name}/proxy/pods`;
  expect(JSON.parse(await kubectl.run("get", "--raw", path))).toMatchObject({ kind: "PodList" });
  const asked = (headers: Record<string, string>) => statusOf(`https://127.0.0.1:${cluster.port}${path}`, headers);
  // Nobody is somebody to the API server too, who has no right to it.
  expect(await asked({})).toBe(403);
  expect(await asked({ authorization: "Bearer nobody" })).toBe(401);
  const account = await kubectl.run("create", "token", "default");
  expect(await asked({ authorization: `Bearer ${account.trim()}` })).toBe(403);
  expect(listeningPorts(processTree(cluster.pidOf("agent")))).toEqual([]);
});

/** Of an answer whose certificate is not looked at. */
function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, rejectUnauthorized: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    request.once("error", reject);
  });
}

/** 169.254.0.0/16, where the agent serves its own pods, and 127.0.0.1, in the kernel's byte order. */
const OF_THE_MACHINE = /^([0-9A-F]{4}FEA9|0100007F):/;

/** TCP ports on which one of these processes listens to anything but this machine. */
function listeningPorts(pids: number[]): number[] {
  const open = new Set(
    pids.flatMap((pid) =>
      readdirSync(`/proc/${pid}/fd`).map((fd) => {
        try {
          return readlinkSync(`/proc/${pid}/fd/${fd}`);
        } catch {
          return ""; // closed meanwhile
        }
      }),
    ),
  );
  return ["tcp", "tcp6"]
    .flatMap((table) => readFileSync(`/proc/net/${table}`, "utf8").trim().split("\n").slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === "0A" && open.has(`socket:[${fields[9]}]`))
    .filter((fields) => !OF_THE_MACHINE.test(fields[1]!))
    .map((fields) => Number.parseInt(fields[1]!.split(":")[1]!, 16));
}

describe("the agent and the runtime may die (CLI: pods run on, and are adopted)", () => {
  const identity = async () => (await kubectl.json<Pod>("get", "pod", "test")).status.containerStatuses[0]!;

  it.each(["agent", "containerd"])("kill -9 of %s", async (what) => {
    const before = await identity();
    const nodeReady = () =>
      kubectl.run("get", "nodes", "-o", 'jsonpath={.items[0].status.conditions[?(@.type=="Ready")].status}');
    process.kill(cluster.pidOf(what), "SIGKILL");
    await cluster.up();
    await waitFor("the node to be Ready", async () => (await nodeReady()) === "True");
    await kubectl.run("run", `after-${what}`, "--image=nginx:1.29");
    await kubectl.run("wait", "--for=condition=Ready", `pod/after-${what}`, "--timeout=150s");
    expect(await identity()).toMatchObject({ containerID: before.containerID, restartCount: before.restartCount });
  });
});

it("delete -f removes everything", async () => {
  expect((await kubectl.finish(["delete", "-f", "-"], WEB)).stdout).toContain('deployment.apps "web" deleted');
  await waitFor("no pods", async () => (await podsOfWeb()).length === 0);
});

it("a static pod has a mirror that its node owns: deleted, it takes the mirror along (STP-02, STP-06)", async () => {
  const node = (await kubectl.run("get", "nodes", "-o", "jsonpath={.items[0].metadata.name}")).trim();
  writeFileSync(
    join(cluster.home, "agent/manifests/still.yaml"),
    `{apiVersion: v1, kind: Pod, metadata: {name: still}, spec: {containers: [{name: main, image: "busybox:1.37", command: [sleep, "3600"]}]}}`,
  );
  const mirror = `still-${node}`;
  const uidOf = async () =>
    (await kubectl.finish(["get", "pod", mirror, "-o", "jsonpath={.metadata.uid}"])).stdout.trim() || undefined;
  const owners = "jsonpath={.metadata.ownerReferences[0].kind}/{.metadata.ownerReferences[0].name}";
  const before = await waitFor("the mirror", uidOf);
  await kubectl.run("wait", "--for=condition=Ready", `pod/${mirror}`, "--timeout=120s");
  expect(await kubectl.run("get", "pod", mirror, "-o", owners)).toBe(`Node/${node}`);
  await kubectl.run("delete", "node", node);
  await waitFor("the mirror to go", async () => (await uidOf()) !== before);
});
