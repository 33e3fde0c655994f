import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describedLines } from "../harness/described.ts";
import { Kubectl } from "../harness/kubectl.ts";
import { OwnCluster } from "../harness/own-cluster.ts";
import { waitFor } from "../harness/wait-for.ts";
import { writeTestImages } from "../images/index.ts";

/*
 * What becomes of pods from their start to their end, as real kubectl shows it. All pods that need nobody are started
 * together at the beginning, so that they wait for their pauses beside each other.
 */

let cluster: OwnCluster;
let kubectl: Kubectl;
let dir: string;
let watch: ReturnType<Kubectl["start"]>;
let watched = "";
/** Per report of a pod: its name, and of each container how often it was restarted and why it waits. */
let waiting: ReturnType<Kubectl["start"]>;
let waits = "";

const BUSYBOX = 'image: "busybox:1.37"';
const sh = (script: string) => `${BUSYBOX}, command: [sh, -c, "${script}"]`;
const SLEEPER = sh("trap 'exit 0' TERM; sleep 3600 & wait");
const pod = (name: string, container: string, spec = "") => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {app: ${name}}}
spec:
  ${spec.replaceAll("\n", "\n  ")}
  containers: [{name: main, ${container}}]
---`;
const init = (name: string, script: string, more = "") => `{name: ${name}, ${sh(script)}${more}}`;
/** Writes when it was started, then crashes. */
const crash = (name: string) =>
  `${sh(`date +%s >> /starts/${name}; echo life $(wc -l < /starts/${name}); exit 1`)}, volumeMounts: [{name: starts, mountPath: /starts}]`;
const starts = () => `volumes: [{name: starts, hostPath: {path: "${join(dir, "starts")}"}}]`;

interface State {
  name: string;
  container: string;
  spec?: string;
  /** What the column shows, in this order; what lies between is left to chance. */
  want: string[];
}

const STATES: State[] = [
  { name: "plain", container: SLEEPER, want: ["ContainerCreating", "Running"] },
  { name: "gated", container: SLEEPER, spec: "schedulingGates: [{name: example.com/wait}]", want: ["SchedulingGated"] },
  { name: "nowhere", container: SLEEPER, spec: "nodeSelector: {disk: none}", want: ["Pending"] },
  {
    name: "two-inits",
    container: SLEEPER,
    spec: `initContainers: [${init("one", "sleep 1")}, ${init("two", "sleep 1")}]`,
    want: ["Init:0/2", "Init:1/2", "Running"],
  },
  {
    name: "with-sidecar",
    container: SLEEPER,
    spec: `initContainers: [${init("side", "trap 'exit 0' TERM; sleep 3600 & wait", ", restartPolicy: Always")}]`,
    want: ["Init:0/1", "Running"],
  },
  {
    name: "init-crashes",
    container: SLEEPER,
    spec: `initContainers: [${init("bad", "sleep 1; exit 5")}]`,
    want: ["Init:0/1", "Init:Error", "Init:CrashLoopBackOff"],
  },
  {
    name: "init-fails",
    container: SLEEPER,
    spec: `restartPolicy: Never\ninitContainers: [${init("bad", "exit 5")}]`,
    want: ["Init:Error"],
  },
  {
    name: "init-image",
    container: SLEEPER,
    spec: 'initContainers: [{name: bad, image: "127.0.0.1:1/none:1"}]',
    want: ["Init:ErrImagePull", "Init:ImagePullBackOff"],
  },
  { name: "crashes", container: sh("sleep 1; exit 1"), want: ["Running", "Error", "CrashLoopBackOff"] },
  { name: "done", container: sh("sleep 1"), spec: "restartPolicy: Never", want: ["Running", "Completed"] },
  { name: "failed", container: sh("exit 2"), spec: "restartPolicy: Never", want: ["Error"] },
  { name: "image", container: 'image: "127.0.0.1:1/none:1"', want: ["ErrImagePull", "ImagePullBackOff"] },
  {
    name: "config",
    container: `${SLEEPER}, envFrom: [{secretRef: {name: none}}]`,
    want: ["ContainerCreating", "CreateContainerConfigError"],
  },
  { name: "program", container: `${BUSYBOX}, command: [/none]`, want: ["RunContainerError", "CrashLoopBackOff"] },
  {
    name: "half-done",
    container: `${sh("sleep 1")}}, {name: other, ${SLEEPER}`,
    spec: "restartPolicy: Never",
    want: ["NotReady"],
  },
  {
    name: "greedy",
    container: `${sh("dd if=/dev/zero of=/f bs=1M count=8; sleep 3600")}, resources: {limits: {ephemeral-storage: 2Mi}}`,
    spec: "terminationGracePeriodSeconds: 1",
    // As upstream: a container's end stands over the pod's reason, which only `describe` shows.
    want: ["Running", "Error"],
  },
  {
    name: "refused",
    container: SLEEPER,
    spec: 'securityContext: {sysctls: [{name: kernel.msgmax, value: "65536"}]}',
    want: ["SysctlForbidden"],
  },
];

const LIVES = () => `
${pod("lives", crash("lives"), starts())}
${pod("init-lives", SLEEPER, `${starts()}\ninitContainers: [{name: first, ${crash("init-lives")}}]`)}`;

/** Its server answers 503 now and then, and is not there in between. */
const REFUSING = pod(
  "refusing",
  `${BUSYBOX}, command: [sh, -c, "sleep 3; while true; do printf 'HTTP/1.1 503 No\\\\r\\\\nContent-Length: 0\\\\r\\\\n\\\\r\\\\n' | nc -l -p 8181; done"], readinessProbe: {httpGet: {path: /ready, port: 8181}, periodSeconds: 1}`,
  "terminationGracePeriodSeconds: 1",
);

/** Exits with 7 when it is told to stop. */
const BILLING = pod(
  "billing",
  sh("sleep 3"),
  `restartPolicy: Never\ninitContainers: [${init("otel-agent", "trap 'exit 7' TERM; sleep 3600 & wait", ", restartPolicy: Always")}]`,
);

beforeAll(async () => {
  cluster = await OwnCluster.prepare();
  await cluster.up();
  kubectl = new Kubectl(cluster.kubeconfigFile);
  dir = mkdtempSync(join(tmpdir(), "hearth-states-"));
  mkdirSync(join(dir, "starts"));
  await cluster.hearth("agent", "image", "import", ...writeTestImages(join(dir, "images")).values());
  const each = (list: string) =>
    `{{range .status.${list}}} {{.restartCount}} {{with .state.waiting}}{{.message}}{{end}}{{end}}`;
  const template = `{{.metadata.name}}${each("initContainerStatuses")}${each("containerStatuses")}{{"\\n"}}`;
  waiting = kubectl.start(["get", "pods", "-w", "-o", `go-template=${template}`]);
  waiting.stdout.setEncoding("utf8").on("data", (text: string) => {
    waits += text;
  });
  watch = kubectl.start(["get", "pods", "-w", "--no-headers"]);
  watch.stdout.setEncoding("utf8").on("data", (text: string) => {
    watched += text;
  });
  await kubectl.apply(
    [...STATES.map(({ name, container, spec }) => pod(name, container, spec)), LIVES(), REFUSING, BILLING].join("\n"),
  );
}, 300_000);

afterAll(async () => {
  watch?.kill();
  waiting?.kill();
  await cluster?.remove();
  if (dir) rmSync(dir, { recursive: true, force: true });
}, 300_000);

/** The STATUS column of a pod as the watch has shown it, each state once in a row. */
function statesOf(name: string): string[] {
  const states = watched
    .split("\n")
    .map((line) => line.split(/ +/))
    .filter(([shown]) => shown === name)
    .map(([, , status]) => status!);
  return states.filter((status, index) => status !== states[index - 1]);
}

const jsonPath = (path: string, ...what: string[]) => kubectl.run("get", ...what, "-o", `jsonpath=${path}`);

describe("the STATUS column (POD-07)", () => {
  const isShown = (name: string, want: string[]) => {
    let next = 0;
    for (const status of statesOf(name)) if (status === want[next]) next += 1;
    return next === want.length;
  };

  it.each(STATES)("$name: $want", async ({ name, want }) => {
    await waitFor(want.join(", "), () => isShown(name, want)).catch((error: Error) => {
      throw new Error(`${error.message}; seen: ${statesOf(name).join(", ")}`);
    });
  });

  it("Terminating, whatever the pod was before", async () => {
    await kubectl.apply(pod("leaving", `${SLEEPER}, lifecycle: {preStop: {sleep: {seconds: 1}}}`));
    await kubectl.run("wait", "--for=condition=Ready", "pod/leaving", "--timeout=60s");
    await kubectl.run("delete", "pod", "leaving");
    await waitFor("Terminating", () => isShown("leaving", ["Running", "Terminating"]));
  });

  it("beside the reason of the pod as a whole", async () => {
    const reason = "jsonpath={.status.reason}";
    await kubectl.run("wait", `--for=${reason}=Evicted`, "pod/greedy", "--timeout=60s");
    expect(await kubectl.run("describe", "pod", "greedy")).toMatch(/^Status: +Failed\nReason: +Evicted$/m);
  });

  it("beside the phase, which has five values (POD-04)", async () => {
    const phases = await jsonPath("{range .items[*]}{.metadata.name}={.status.phase} {end}", "pods");
    for (const text of ["plain=Running", "nowhere=Pending", "done=Succeeded", "failed=Failed", "crashes=Running"])
      expect(phases).toContain(text);
  });
});

it("a running pod has its five conditions, in this order (POD-05)", async () => {
  const conditions = await jsonPath("{range .status.conditions[*]}{.type}={.status} {end}", "pod", "plain");
  expect(conditions).toBe(
    "PodReadyToStartContainers=True Initialized=True Ready=True ContainersReady=True PodScheduled=True ",
  );
});

it("kubectl describe shows a running pod line by line as it shows one of a kubelet", async () => {
  await kubectl.apply(
    pod(
      "described",
      `${SLEEPER}, ports: [{containerPort: 80, name: http}],
        resources: {limits: {cpu: 500m, memory: 64Mi}, requests: {cpu: 10m}},
        env: [{name: A, value: b}, {name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}, {name: LIMIT, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}],
        livenessProbe: {exec: {command: ["true"]}, initialDelaySeconds: 60},
        startupProbe: {exec: {command: ["true"]}, failureThreshold: 100},
        volumeMounts: [{name: v, mountPath: /v, readOnly: true}]`,
      "volumes: [{name: v, emptyDir: {}}]",
    ),
  );
  await kubectl.run("wait", "--for=condition=Ready", "pod/described", "--timeout=60s");
  const describe = async () => describedLines(await kubectl.run("describe", "pod", "described"));
  await waitFor("the last event", async () => (await describe()).some((line) => line.startsWith("Normal Started")));
  const ofMain = (reason: string, text: string) => `Normal ${reason} kubelet spec.containers{main}: ${text}`;
  expect(await describe()).toEqual([
    "Name: described",
    "Namespace: default",
    "Priority: 0",
    "Service Account: default",
    expect.stringMatching(/^Node: \S+\/\d+\.\d+\.\d+\.\d+$/),
    "Start Time: <time>",
    "Labels: app=described",
    "Annotations: <none>",
    "Status: Running",
    "IP: <ip>",
    "IPs:",
    "IP: <ip>",
    "Containers:",
    "main:",
    "Container ID: containerd://<id>",
    "Image: busybox:1.37",
    "Image ID: sha256:<id>",
    "Port: 80/TCP (http)",
    "Host Port: 0/TCP (http)",
    "Command:",
    "sh",
    "-c",
    "trap 'exit 0' TERM; sleep 3600 & wait",
    "State: Running",
    "Started: <time>",
    "Ready: True",
    "Restart Count: 0",
    "Limits:",
    "cpu: 500m",
    "memory: 64Mi",
    "Requests:",
    "cpu: 10m",
    "memory: 64Mi",
    "Liveness: exec [true] delay=60s timeout=1s period=10s #success=1 #failure=3",
    "Startup: exec [true] delay=0s timeout=1s period=10s #success=1 #failure=100",
    "Environment:",
    "A: b",
    "POD: described (v1:metadata.name)",
    "LIMIT: 1 (limits.cpu)",
    "Mounts:",
    "/v from v (ro)",
    "/var/run/secrets/kubernetes.io/serviceaccount from kube-api-access-<random> (ro)",
    "Conditions:",
    "Type Status",
    ...["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map(
      (type) => `${type} True`,
    ),
    "Volumes:",
    "v:",
    "Type: EmptyDir (a temporary directory that shares a pod's lifetime)",
    "Medium:",
    "SizeLimit: <unset>",
    "kube-api-access-<random>:",
    "Type: Projected (a volume that contains injected data from multiple sources)",
    "TokenExpirationSeconds: 3607",
    "ConfigMapName: kube-root-ca.crt",
    "Optional: false",
    "DownwardAPI: true",
    "QoS Class: Burstable",
    "Node-Selectors: <none>",
    "Tolerations: node.kubernetes.io/not-ready:NoExecute op=Exists for 300s",
    "node.kubernetes.io/unreachable:NoExecute op=Exists for 300s",
    "Events:",
    "Type Reason Age From Message",
    "---- ------ ---- ---- -------",
    expect.stringMatching(
      /^Normal Scheduled default-scheduler Successfully assigned default\/described to [a-z0-9.-]+$/,
    ),
    ofMain("Pulled", 'Container image "busybox:1.37" already present on machine and can be accessed by the pod'),
    ofMain("Created", "Container created"),
    ofMain("Started", "Container started"),
    "",
  ]);
});

it("init containers run one after the other (POD-08)", async () => {
  const times = await jsonPath(
    "{range .status.initContainerStatuses[*]}{.state.terminated.startedAt} {.state.terminated.finishedAt} {end}",
    ...["pod", "two-inits"],
  );
  const [, endOne, startTwo] = times.trim().split(" ").map(Date.parse);
  expect(startTwo).toBeGreaterThanOrEqual(endOne!);
});

it("a sidecar does not hold up completion, and its exit code is no error (POD-10, POD-12)", async () => {
  await kubectl.run("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/billing", "--timeout=60s");
  expect(await jsonPath("{.status.initContainerStatuses[0].state.terminated.exitCode}", "pod", "billing")).toBe("7");
  expect(await jsonPath("{.status.containerStatuses[0].state.terminated.exitCode}", "pod", "billing")).toBe("0");
  expect(await kubectl.run("events", "--for", "pod/billing", "--types=Warning")).not.toContain("Warning");
  expect((await kubectl.run("get", "pod", "billing", "--no-headers")).split(/ +/)[2]).toBe("Completed");
});

it("a restart policy of a container's own makes no sidecar of it (POD-11)", async () => {
  const manifest = pod("own-policy", `${SLEEPER}, restartPolicy: Always`);
  const { code, stdout } = await kubectl.finish(["apply", "--dry-run=server", "-f", "-"], manifest);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "pod/own-policy created (server dry run)\n" });
});

describe("restarts", () => {
  const startsOf = (name: string) =>
    readFileSync(join(dir, "starts", name), "utf8")
      .trim()
      .split("\n")
      .map(Number);

  it.each([
    { name: "lives", container: "main" },
    { name: "init-lives", container: "first" },
  ])("of $name come at once, then after 10 s and 20 s (POD-09, RST-01, RST-04)", async ({ name, container }) => {
    const [, second, third, fourth] = await waitFor("the fourth start", () => {
      const found = startsOf(name);
      return found.length >= 4 && found;
    });
    expect(third! - second!).toBeGreaterThanOrEqual(9);
    expect(fourth! - third!).toBeGreaterThanOrEqual(19);
    const told = waits.split("\n").filter((line) => line.startsWith(`${name} `) && line.includes("back-off "));
    const pauses = told.map((line) => /\b(\d+ back-off \S+ restarting failed container=\S+)/.exec(line)?.[1]);
    // Never with a count of 0: after the first crash nothing is waited for.
    expect([...new Set(pauses)].slice(0, 2)).toEqual([
      `1 back-off 10s restarting failed container=${container}`,
      `2 back-off 20s restarting failed container=${container}`,
    ]);
  });

  it("leave one dead instance, and the log of that one alone (RST-06, RST-07, LOG-05)", async () => {
    await waitFor("the back-off", async () => (await kubectl.run("get", "pod", "lives")).includes("CrashLoopBackOff"));
    expect(await kubectl.run("logs", "lives", "--previous")).toBe(`life ${startsOf("lives").length}\n`);
    expect(JSON.parse(await jsonPath("{.status.containerStatuses[0].lastState}", "pod", "lives"))).toMatchObject({
      terminated: { exitCode: 1, reason: "Error", containerID: expect.stringMatching(/^containerd:\/\//) },
    });
  });

  it("are never further apart than the node says (RST-03)", async () => {
    const node = await jsonPath("{.items[0].metadata.name}", "nodes");
    const { kubeletconfig } = JSON.parse(await kubectl.run("get", "--raw", `/api/v1/nodes/${node}/proxy/configz`));
    expect(kubeletconfig.crashLoopBackOff).toEqual({ maxContainerRestartPeriod: "5m0s" });
  });

  it("and the node tells what it evicts at, and how it keeps logs: as kind's do (EVI-03, EVI-11)", async () => {
    const node = await jsonPath("{.items[0].metadata.name}", "nodes");
    const { kubeletconfig } = JSON.parse(await kubectl.run("get", "--raw", `/api/v1/nodes/${node}/proxy/configz`));
    expect(kubeletconfig).toMatchObject({
      evictionHard: { "imagefs.available": "0%", "nodefs.available": "0%", "nodefs.inodesFree": "0%" },
      mergeDefaultEvictionSettings: false,
      containerLogMaxSize: "10Mi",
      containerLogMaxFiles: 5,
    });
    // Set by hand, so that none of the kubelet's own is added.
    expect(Object.keys(kubeletconfig.evictionHard)).toHaveLength(3);
  });
});

describe("events", () => {
  it("tell how a readiness probe fails (PRB-04, PRB-05)", async () => {
    const ip = await jsonPath("{.status.podIP}", "pod", "refusing");
    const told = [
      `Readiness probe failed: Get "http://${ip}:8181/ready": dial tcp ${ip}:8181: connect: connection refused`,
      "Readiness probe failed: HTTP probe failed with statuscode: 503",
    ];
    for (const message of told) {
      await waitFor(message, async () =>
        (await kubectl.run("events", "--for", "pod/refusing"))
          .split("\n")
          .some((line) => / Warning +Unhealthy +Pod\/refusing /.test(line) && line.endsWith(` ${message}`)),
      );
    }
  });

  it("come in order of names from `get`, of time from `events`, and name their object in two ways (EVT-03, EVT-07)", async () => {
    await kubectl.run("create", "namespace", "order");
    const sleep = ["--image=busybox:1.37", "-n", "order", "--", "sleep", "3600"];
    for (const name of ["zeta", "alpha"]) {
      await kubectl.run("run", name, ...sleep);
      await kubectl.run("wait", "--for=condition=Ready", `pod/${name}`, "-n", "order", "--timeout=60s");
      await waitFor("its events", async () =>
        (await kubectl.run("events", "-n", "order", "--for", `pod/${name}`)).includes("Started"),
      );
      const startedMs = Date.now();
      await waitFor("the next second", () => Date.now() - startedMs > 1_500);
    }
    const objects = (text: string) => text.match(/\bpod\/(alpha|zeta)\b/gi);
    const byName = objects(await kubectl.run("get", "events", "-n", "order"))!;
    expect(new Set(byName)).toEqual(new Set(["pod/alpha", "pod/zeta"]));
    expect(byName.toSorted()).toEqual(byName);
    const byTime = objects(await kubectl.run("events", "-n", "order"))!;
    expect(byTime).toHaveLength(byName.length);
    expect(byTime.toSorted().toReversed()).toEqual(byTime);
    expect(byTime[0]).toBe("Pod/zeta");
  });
});

describe("the end of a pod", () => {
  const dryRun = (seconds: number) => kubectl.finish(["apply", "--dry-run=server", "-f", "-"], preStop(seconds));
  const preStop = (seconds: number) =>
    pod(
      "sleepy",
      `${SLEEPER}, lifecycle: {preStop: {sleep: {seconds: ${seconds}}}}`,
      "terminationGracePeriodSeconds: 30",
    );

  it("a preStop sleep fits into the grace period: 40 of 30 s is refused, 30 and 0 are not (TRM-12, TRM-13, TRM-14)", async () => {
    expect(await dryRun(40)).toEqual({
      code: 1,
      stdout: "",
      stderr:
        'The Pod "sleepy" is invalid: spec.containers[0].lifecycle.preStop.sleep: Invalid value: 40: must be non-negative and less than terminationGracePeriodSeconds (30)\n',
    });
    for (const seconds of [30, 0]) {
      expect(await dryRun(seconds)).toMatchObject({ code: 0, stdout: "pod/sleepy created (server dry run)\n" });
    }
  });

  it("a stop signal in the pod is not kept, as its gate is off (TRM-09)", async () => {
    const manifest = pod("signal", `${SLEEPER}, lifecycle: {stopSignal: SIGUSR1}`, "os: {name: linux}");
    const { code, stdout } = await kubectl.finish(["create", "--dry-run=server", "-o", "json", "-f", "-"], manifest);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).spec.containers[0].lifecycle ?? {}).not.toHaveProperty("stopSignal");
  });

  it("a pod that is nowhere yet, or has ended, is gone at once (TRM-02)", async () => {
    for (const name of ["gated", "done"]) {
      await kubectl.run("delete", "pod", name, "--wait=false");
      expect((await kubectl.finish(["get", "pod", name])).stderr).toContain(`pods "${name}" not found`);
    }
  });

  it("another stays until the end of its grace period at most, which the request may set (TRM-01, TRM-03)", async () => {
    const busy = (name: string) => pod(name, `${SLEEPER}, lifecycle: {preStop: {sleep: {seconds: 20}}}`);
    await kubectl.apply(busy("given") + busy("asked"));
    await kubectl.run("wait", "--for=condition=Ready", "pod/given", "pod/asked", "--timeout=60s");
    expect(await jsonPath("{.spec.terminationGracePeriodSeconds}", "pod", "given")).toBe("30");
    for (const { name, args, graceSeconds } of [
      { name: "given", args: [], graceSeconds: 30 },
      { name: "asked", args: ["--grace-period=50"], graceSeconds: 50 },
    ]) {
      const beforeMs = Date.now();
      await kubectl.run("delete", "pod", name, "--wait=false", ...args);
      const afterMs = Date.now();
      const path = "{.metadata.deletionTimestamp} {.metadata.deletionGracePeriodSeconds}";
      const [time, grace] = (await jsonPath(path, "pod", name)).split(" ");
      expect(Number(grace)).toBe(graceSeconds);
      expect(Date.parse(time!)).toBeGreaterThanOrEqual(beforeMs - 1_000 + graceSeconds * 1_000);
      expect(Date.parse(time!)).toBeLessThanOrEqual(afterMs + graceSeconds * 1_000);
    }
    await kubectl.run("delete", "pod", "given", "asked", "--now");
  });

  it("the signal is the image's, and goes to the first process alone (TRM-09)", async () => {
    // The finalizer keeps the record, so that the last words can be read.
    const listening = (name: string, image: string) => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, finalizers: [example.com/keep]}
spec:
  containers:
  - name: main
    image: ${image}
    command:
    - sh
    - -c
    - |
      told() { sleep 1; echo "$1, child: $(cat /tmp/child)" > /dev/termination-log; exit 0; }
      trap 'told TERM' TERM
      trap 'told QUIT' QUIT
      sh -c 'trap "echo signalled > /tmp/child" TERM QUIT; echo silent > /tmp/child; while true; do sleep 0.1; done' &
      while true; do sleep 0.1; done
---`;
    await kubectl.apply(listening("quits", "nginx:1.29") + listening("terms", "busybox:1.37"));
    await kubectl.run("wait", "--for=condition=Ready", "pod/quits", "pod/terms", "--timeout=60s");
    for (const name of ["quits", "terms"])
      await waitFor("the child", () => kubectl.run("exec", name, "--", "cat", "/tmp/child"));
    await kubectl.run("delete", "pod", "quits", "terms", "--wait=false");
    const message = (name: string) => jsonPath("{.status.containerStatuses[0].state.terminated.message}", "pod", name);
    expect(await waitFor("the last words", () => message("quits"))).toBe("QUIT, child: silent\n");
    expect(await waitFor("the last words", () => message("terms"))).toBe("TERM, child: silent\n");
    for (const name of ["quits", "terms"])
      await kubectl.run("patch", "pod", name, "-p", '{"metadata":{"finalizers":null}}');
  });
});

describe("a pod behind a Service", () => {
  interface Slices {
    items: { endpoints: { addresses: string[]; conditions: Record<string, boolean> }[] | null }[];
  }
  const conditions = async () => {
    const { items } = await kubectl.json<Slices>("get", "endpointslice", "-l", "kubernetes.io/service-name=web");
    return items.flatMap(({ endpoints }) => endpoints ?? []).map((endpoint) => endpoint.conditions);
  };
  const become = async (want: Record<string, boolean>) => {
    const isSo = async () => {
      const [only, ...others] = await conditions();
      return only && others.length === 0 && Object.entries(want).every(([type, value]) => only[type] === value);
    };
    await waitFor(`an endpoint with ${JSON.stringify(want)}`, isSo).catch(async (error: Error) => {
      throw new Error(`${error.message}; it is ${JSON.stringify(await conditions())}`);
    });
  };
  const page = "/usr/share/nginx/html/readyz";
  let name: string;

  beforeAll(async () => {
    await kubectl.apply(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 60
      containers:
      - name: main
        image: nginx:1.29
        lifecycle: {preStop: {exec: {command: [sh, -c, "while [ ! -e /tmp/go ]; do sleep 0.1; done"]}}}
        readinessProbe: {httpGet: {path: /readyz, port: 80}, periodSeconds: 1, timeoutSeconds: 2, failureThreshold: 2}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
`);
    name = await waitFor("its pod to run", () =>
      jsonPath("{.items[?(@.status.phase=='Running')].metadata.name}", "pods", "-l", "app=web"),
    );
  });

  it("is in rotation while it is ready, out of it after two failures and back after one success (PRB-02)", async () => {
    await become({ ready: false, serving: false, terminating: false });
    await kubectl.run("exec", name, "--", "touch", page);
    await become({ ready: true, serving: true, terminating: false });
    await kubectl.run("exec", name, "--", "rm", page);
    await become({ ready: false, serving: false, terminating: false });
    await kubectl.run("exec", name, "--", "touch", page);
    await become({ ready: true });
    expect(await jsonPath("{.status.containerStatuses[0].restartCount}", "pod", name)).toBe("0");
  });

  it("is told at once to be leaving, serves on, and open connections are not cut (TRM-04, TRM-05)", async () => {
    const ip = await jsonPath("{.status.podIP}", "pod", name);
    const connection = connect(80, ip);
    await once(connection, "connect");
    await kubectl.run("scale", "deployment", "web", "--replicas=0");
    await become({ ready: false, serving: true, terminating: true });
    connection.write("GET / HTTP/1.0\r\n\r\n");
    expect(await text(connection)).toContain("Welcome to nginx!");
    await kubectl.run("exec", name, "--", "touch", "/tmp/go");
    await waitFor("the endpoint to go", async () => (await conditions()).length === 0);
  });
});

it("a purge leaves no logs, of what was evicted neither", async () => {
  const uid = await jsonPath("{.metadata.uid}", "pod", "greedy");
  const logs = () => readdirSync("/var/log/pods").filter((name) => name.includes(uid));
  expect(logs()).toHaveLength(1);
  await cluster.hearth("down", "--purge");
  expect(logs()).toEqual([]);
});
