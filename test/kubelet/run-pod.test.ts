import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Pod } from "../../agent/api/index.ts";
import type { Kubelet } from "../../agent/kubelet/index.ts";
import { CONFIG_MAPS, PODS, SECRETS } from "../../shared/api/refs.ts";
import { waitFor } from "../harness/wait-for.ts";
import { NodeUnderTest } from "./node-under-test.ts";

let node: NodeUnderTest;
let kubelet: Kubelet;

beforeAll(async () => {
  node = await NodeUnderTest.prepare();
  kubelet = await node.startKubelet();
});

afterAll(async () => {
  await kubelet?.stop();
  await node?.remove();
});

const SLEEPER = { name: "main", image: "busybox:1.37", command: ["sh", "-c", "trap 'exit 0' TERM; sleep 3600 & wait"] };

const run = (script: string) => ({ name: "main", image: "busybox:1.37", command: ["sh", "-c", script] });

const stateOf = (name: string, index = 0) => node.pod(name)?.status?.containerStatuses?.[index];

/** The waiting reasons that were reported of a pod's first container, each once, in order. */
const waitingReasons = (name: string) => [
  ...new Set(
    node.api.calls
      .filter((call) => call.subresource === "status" && call.name === name)
      .map(({ body }) => (body as Pod).status?.containerStatuses?.[0]?.state?.waiting?.reason)
      .filter((reason) => reason !== undefined),
  ),
];

describe("a simple pod", () => {
  it("runs, and reports what upstream reports (API-05, POD-02, POD-03, POD-04, POD-05, EVT-05, EVT-06)", async () => {
    await node.run("web", {
      containers: [{ name: "web", image: "nginx:1.29", ports: [{ containerPort: 80, protocol: "TCP" }] }],
    });
    await node.ready("web");
    const { status } = node.pod("web")!;
    expect(status).toMatchObject({
      phase: "Running",
      hostIP: "127.0.0.1",
      podIPs: [{ ip: status!.podIP }],
      qosClass: "BestEffort",
      containerStatuses: [
        {
          name: "web",
          ready: true,
          started: true,
          restartCount: 0,
          image: "docker.io/library/nginx:1.29",
          containerID: expect.stringMatching(/^containerd:\/\/[0-9a-f]{64}$/),
          state: { running: { startedAt: expect.any(String) } },
        },
      ],
    });
    expect(status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      "PodReadyToStartContainers=True",
      "Initialized=True",
      "Ready=True",
      "ContainersReady=True",
      "PodScheduled=True",
    ]);
    await waitFor("the events", () => node.events("web").length >= 3);
    expect(node.events("web")).toEqual([
      'Pulled Container image "nginx:1.29" already present on machine and can be accessed by the pod',
      "Created Container created",
      "Started Container started",
    ]);
    const page = await fetch(`http://${status!.podIP}/`);
    expect(await page.text()).toContain("Welcome to nginx!");
  });

  it("ends when it is deleted: Killing, the terminated state, then the record (TRM-11)", async () => {
    await node.delete("web");
    await waitFor("the record to go", () => node.pod("web") === undefined);
    expect(node.events("web")).toContain("Killing Stopping container web");
    const deletion = node.api.calls.findLast(({ verb, resource }) => verb === "delete" && resource === PODS.resource);
    expect(deletion?.body).toMatchObject({ gracePeriodSeconds: 0, uid: expect.any(String) });
    const reports = node.api.calls.filter(({ subresource, name }) => subresource === "status" && name === "web");
    const ends = reports
      .map(({ body }) => (body as Pod).status?.containerStatuses?.[0])
      .filter((status) => status?.state?.terminated);
    expect(ends.at(-1)).toMatchObject({ state: { terminated: { exitCode: 0, reason: "Completed" } }, ready: false });
    await waitFor("the sandbox to go", async () => (await node.cri.listPodSandbox()).length === 0);
  });
});

describe("restarts", () => {
  it("restarts a crashed container at once, then after a growing pause (RST-01, RST-04, RST-06, RST-07)", async () => {
    await node.run("crash", { containers: [run("echo broken; sleep 0.2; exit 3")] });
    await waitFor("the second crash", () => stateOf("crash")?.state?.waiting?.reason === "CrashLoopBackOff");
    const pod = node.pod("crash")!;
    expect(stateOf("crash")).toMatchObject({
      restartCount: 1,
      ready: false,
      state: {
        waiting: {
          message: `back-off 10s restarting failed container=main pod=crash_default(${pod.metadata.uid})`,
        },
      },
      lastState: { terminated: { exitCode: 3, reason: "Error" } },
    });
    expect(pod.status?.phase).toBe("Running");
    await waitFor("the event", () =>
      node
        .events("crash")
        .includes(`BackOff Back-off restarting failed container main in pod crash_default(${pod.metadata.uid})`),
    );
    await waitFor("the restart after the pause", () => (stateOf("crash")?.restartCount ?? 0) >= 2);
    const dead = (await node.cri.listContainers()).filter(
      ({ labels }) => labels["io.kubernetes.pod.uid"] === pod.metadata.uid,
    );
    expect(dead.length).toBeLessThanOrEqual(2);
    await node.delete("crash", 0);
  });

  it("keeps the pod's address over a restart (POD-14)", async () => {
    await node.run("kill-me", { containers: [SLEEPER] });
    await node.ready("kill-me");
    const { podIP } = node.pod("kill-me")!.status!;
    await node.killContainer("kill-me");
    await waitFor("the restart", () => stateOf("kill-me")?.restartCount === 1 && stateOf("kill-me")?.ready);
    expect(node.pod("kill-me")!.status!.podIP).toBe(podIP);
    expect(stateOf("kill-me")?.lastState?.terminated?.exitCode).toBe(137);
  });

  it("makes a new sandbox when the old one dies (POD-15, CRI-04)", async () => {
    const [sandbox] = await node.sandboxesOf("kill-me");
    await node.killSandbox(sandbox!.id);
    await waitFor("attempt 1", async () =>
      (await node.sandboxesOf("kill-me")).some(({ metadata }) => metadata.attempt === 1),
    );
    await waitFor("the container in it", () => stateOf("kill-me")?.restartCount === 2 && stateOf("kill-me")?.ready);
    expect(node.events("kill-me")).toContain("SandboxChanged Pod sandbox changed, it will be killed and re-created.");
    await node.delete("kill-me", 0);
  });

  it.each([
    { restartPolicy: "Never", script: "exit 0", phase: "Succeeded" },
    { restartPolicy: "Never", script: "exit 1", phase: "Failed" },
    { restartPolicy: "OnFailure", script: "exit 0", phase: "Succeeded" },
  ])("$restartPolicy and $script ends $phase", async ({ restartPolicy, script, phase }) => {
    const name = `once-${restartPolicy.toLowerCase()}-${phase.toLowerCase()}`;
    await node.run(name, { restartPolicy, containers: [run(script)] });
    await waitFor("the end", () => node.pod(name)?.status?.phase === phase);
    expect(stateOf(name)).toMatchObject({
      restartCount: 0,
      state: { terminated: { exitCode: Number(script.at(-1)) } },
    });
    await node.delete(name, 0);
  });
});

describe("init containers", () => {
  it("run one after the other, sidecars keep running, then the main container starts (POD-08, POD-10, TRM-10)", async () => {
    await node.run("steps", {
      volumes: [{ name: "shared", emptyDir: {} }],
      initContainers: [
        { ...run("echo one >> /shared/steps"), name: "one", volumeMounts: [{ name: "shared", mountPath: "/shared" }] },
        { ...SLEEPER, name: "side", restartPolicy: "Always" },
        { ...run("echo two >> /shared/steps"), name: "two", volumeMounts: [{ name: "shared", mountPath: "/shared" }] },
      ],
      containers: [{ ...SLEEPER, volumeMounts: [{ name: "shared", mountPath: "/shared" }] }],
    });
    await node.ready("steps");
    expect(await node.exec("steps", "cat /shared/steps")).toBe("one\ntwo\n");
    expect(node.pod("steps")!.status!.initContainerStatuses).toMatchObject([
      { name: "one", ready: true, state: { terminated: { reason: "Completed" } } },
      { name: "side", ready: true, started: true, state: { running: {} } },
      { name: "two", ready: true },
    ]);
    await node.delete("steps");
    await waitFor("the record to go", () => node.pod("steps") === undefined);
    const kills = node.events("steps").filter((event) => event.startsWith("Killing"));
    expect(kills).toContain("Killing Stopping container side");
  });

  it("a failing one holds the pod back; with Never it fails the pod (POD-09)", async () => {
    await node.run("init-fails", {
      restartPolicy: "Never",
      initContainers: [{ ...run("exit 5"), name: "bad" }],
      containers: [SLEEPER],
    });
    await waitFor("the failure", () => node.pod("init-fails")?.status?.phase === "Failed");
    expect(node.pod("init-fails")!.status!.initContainerStatuses).toMatchObject([
      { state: { terminated: { exitCode: 5 } } },
    ]);
    expect(node.pod("init-fails")!.status!.conditions?.find(({ type }) => type === "Initialized")).toMatchObject({
      status: "False",
      reason: "ContainersNotInitialized",
      message: "containers with incomplete status: [bad]",
    });
    await node.delete("init-fails", 0);
  });
});

describe("what a container gets", () => {
  it("environment, volumes, /etc/hosts and the token (SEC-18, VOL-04)", async () => {
    await node.api.create(CONFIG_MAPS, {
      metadata: { name: "settings", namespace: "default" },
      data: { color: "blue", size: "10" },
    });
    await node.api.create(SECRETS, {
      metadata: { name: "creds", namespace: "default" },
      data: { password: "czNjcmV0" },
    });
    await node.run(
      "full",
      {
        volumes: [
          { name: "config", configMap: { name: "settings", items: [{ key: "color", path: "sub/color.txt" }] } },
          { name: "creds", secret: { secretName: "creds", defaultMode: 0o400 } },
          { name: "memory", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
          {
            name: "api",
            projected: {
              sources: [
                { serviceAccountToken: { path: "token", expirationSeconds: 3607 } },
                { configMap: { name: "settings" } },
                { downwardAPI: { items: [{ path: "namespace", fieldRef: { fieldPath: "metadata.namespace" } }] } },
              ],
            },
          },
          { name: "info", downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
        ],
        hostAliases: [{ ip: "192.0.2.7", hostnames: ["alias.example"] }],
        containers: [
          {
            ...SLEEPER,
            resources: { limits: { cpu: "500m", memory: "64Mi" }, requests: { cpu: "250m", memory: "32Mi" } },
            envFrom: [{ prefix: "CM_", configMapRef: { name: "settings" } }],
            env: [
              { name: "GREETING", value: "hello $(CM_color) $$(x) $(UNKNOWN)" },
              { name: "PASSWORD", valueFrom: { secretKeyRef: { name: "creds", key: "password" } } },
              { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
              { name: "COLOR", valueFrom: { configMapKeyRef: { name: "settings", key: "color" } } },
              { name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
              { name: "NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
              { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } } },
            ],
            volumeMounts: [
              { name: "config", mountPath: "/config" },
              { name: "creds", mountPath: "/creds", readOnly: true },
              { name: "memory", mountPath: "/memory" },
              { name: "api", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount", readOnly: true },
              { name: "info", mountPath: "/info" },
            ],
          },
        ],
      },
      { labels: { app: "full" } },
    );
    await node.ready("full");
    const { podIP } = node.pod("full")!.status!;
    expect(await node.exec("full", 'echo "$GREETING|$PASSWORD|$POD_IP|$CPU|$KUBERNETES_SERVICE_HOST"')).toBe(
      `hello blue $(x) $(UNKNOWN)|s3cret|${podIP}|500|10.96.0.1\n`,
    );
    expect(await node.exec("full", 'echo "$COLOR|$NAME|$NAMESPACE|$CM_color|$CM_size"')).toBe(
      "blue|full|default|blue|10\n",
    );
    expect(await node.exec("full", "cat /config/sub/color.txt /creds/password /info/labels")).toBe(
      'blues3cretapp="full"',
    );
    expect(await node.exec("full", "stat -L -c %a /creds/password; mount | grep -c 'tmpfs.*/memory'")).toBe("400\n1\n");
    expect(await node.exec("full", "cd /var/run/secrets/kubernetes.io/serviceaccount; cat token namespace; ls")).toBe(
      "token-1defaultcolor\nnamespace\nsize\ntoken\n",
    );
    expect(await node.exec("full", "cat /etc/hosts")).toContain(
      `${podIP}\tfull\n\n# Entries added by HostAliases.\n192.0.2.7\talias.example\n`,
    );
    expect(await node.exec("full", "cat /etc/resolv.conf; hostname")).toBe(
      "search default.svc.cluster.local svc.cluster.local cluster.local lab.example\nnameserver 10.96.0.10\noptions ndots:5\nfull\n",
    );
    expect(node.pod("full")!.status!.containerStatuses).toMatchObject([
      { resources: { limits: { cpu: "500m" } }, allocatedResources: { cpu: "250m", memory: "32Mi" } },
    ]);
  });

  it("sees a changed ConfigMap in its volume", async () => {
    await node.api.patch(CONFIG_MAPS, { name: "settings", namespace: "default" }, "merge", { data: { color: "red" } });
    await waitFor("the new content", async () => (await node.exec("full", "cat /config/sub/color.txt")) === "red");
    await node.delete("full", 0);
  });

  it("shares net, ipc and uts with the pause process, not pid and mnt (POD-13, CRI-03, CRI-07)", async () => {
    await node.run("spaces", { containers: [SLEEPER] });
    await node.ready("spaces");
    const [pause, container] = await node.namespacesOf("spaces");
    expect(["net", "ipc", "uts"].map((kind) => pause![kind] === container![kind])).toEqual([true, true, true]);
    expect(["pid", "mnt"].map((kind) => pause![kind] === container![kind])).toEqual([false, false]);
    await node.delete("spaces", 0);
  });

  it("listens on a hostPort", async () => {
    await node.run("host-port", {
      containers: [
        { name: "web", image: "nginx:1.29", ports: [{ containerPort: 80, hostPort: 38_217, protocol: "TCP" }] },
      ],
    });
    await node.ready("host-port");
    // Without a probe a pod is ready before its server listens.
    const page = () => fetch(`http://${node.gateway}:38217/`).then((answer) => answer.text(), String);
    await waitFor("the page", async () => (await page()).includes("Welcome to nginx!"));
    await node.delete("host-port", 0);
  });
});

describe("what is wrong", () => {
  it.each([
    { name: "bad-name", container: { name: "c", image: "Not An Image" }, reason: "InvalidImageName" },
    {
      name: "never",
      container: { name: "c", image: "absent:1", imagePullPolicy: "Never" },
      reason: "ErrImageNeverPull",
    },
    {
      name: "no-config",
      container: { name: "c", image: "busybox:1.37", envFrom: [{ configMapRef: { name: "absent" } }] },
      reason: "CreateContainerConfigError",
    },
    {
      name: "no-command",
      container: { name: "c", image: "busybox:1.37", command: ["/absent"] },
      reason: "RunContainerError",
      // The runtime has it as a container that has ended.
      phase: "Running",
    },
  ])("$name waits with $reason", async ({ name, container, reason, phase }) => {
    await node.run(name, { containers: [container] });
    await waitFor(reason, () => waitingReasons(name).includes(reason));
    expect(node.pod(name)!.status!.phase).toBe(phase ?? "Pending");
    await node.delete(name, 0);
  });

  it("an image that no registry has: ErrImagePull, then ImagePullBackOff", async () => {
    await node.run("no-image", { containers: [{ name: "c", image: "127.0.0.1:1/absent:1" }] });
    const reasons = () => waitingReasons("no-image");
    await waitFor("the back-off", () => reasons().includes("ImagePullBackOff"));
    expect(reasons().slice(0, 3)).toEqual(["ContainerCreating", "ErrImagePull", "ImagePullBackOff"]);
    expect(stateOf("no-image")!.state!.waiting!.message).toMatch(
      /^Back-off pulling image "127.0.0.1:1\/absent:1": ErrImagePull: /,
    );
    await waitFor("the events", () => node.events("no-image").some((event) => event.startsWith("BackOff")));
    const events = node.events("no-image");
    expect(events[0]).toBe('Pulling Pulling image "127.0.0.1:1/absent:1"');
    expect(events).toContain("Failed Error: ErrImagePull");
    expect(events).toContain('BackOff Back-off pulling image "127.0.0.1:1/absent:1"');
    await node.delete("no-image", 0);
  });

  it("a volume whose ConfigMap is missing: FailedMount, and it goes on when that appears", async () => {
    await node.run("late", {
      volumes: [{ name: "v", configMap: { name: "late" } }],
      containers: [{ ...SLEEPER, volumeMounts: [{ name: "v", mountPath: "/v" }] }],
    });
    await waitFor("the event", () =>
      node.events("late").includes('FailedMount MountVolume.SetUp failed for volume "v" : configmap "late" not found'),
    );
    expect(stateOf("late")?.state?.waiting?.reason).toBe("ContainerCreating");
    await node.api.create(CONFIG_MAPS, { metadata: { name: "late", namespace: "default" }, data: { a: "1" } });
    await node.ready("late");
    await node.delete("late", 0);
  });
});
