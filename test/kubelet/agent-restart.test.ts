import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Pod } from "../../agent/api/index.ts";
import type { Kubelet } from "../../agent/kubelet/index.ts";
import { PODS, SECRETS } from "../../shared/api/refs.ts";
import { waitFor } from "../harness/wait-for.ts";
import { NodeUnderTest } from "./node-under-test.ts";

let node: NodeUnderTest;
let kubelet: Kubelet;

beforeAll(async () => {
  node = await NodeUnderTest.prepare();
  kubelet = await node.startKubelet();
  await node.api.create(SECRETS, {
    metadata: { name: "creds", namespace: "default" },
    data: { password: Buffer.from("open-sesame").toString("base64") },
  });
});

afterAll(async () => {
  await kubelet?.stop();
  await node?.remove();
});

const SLEEPER = { name: "main", image: "busybox:1.37", command: ["sh", "-c", "trap 'exit 0' TERM; sleep 3600 & wait"] };
const WITH_SECRET = {
  ...SLEEPER,
  volumeMounts: [{ name: "creds", mountPath: "/creds" }],
  env: [{ name: "PASSWORD", valueFrom: { secretKeyRef: { name: "creds", key: "password" } } }],
};
const VOLUMES = [{ name: "creds", secret: { secretName: "creds" } }];

describe("when the agent stops", () => {
  it("pods run on, and the next agent adopts them", async () => {
    await node.run("stays", { volumes: VOLUMES, containers: [WITH_SECRET] });
    await node.ready("stays");
    const before = node.pod("stays")!.status!.containerStatuses![0]!;
    await kubelet.stop();
    kubelet = await node.startKubelet();
    await node.run("after", { containers: [SLEEPER] });
    await node.ready("after");
    expect(node.pod("stays")!.status!.containerStatuses![0]).toEqual(before);
    expect(node.events("stays").filter((event) => event.startsWith("Started"))).toHaveLength(1);
    await node.delete("after", 0);
    await waitFor("the record to go", () => node.pod("after") === undefined);
  });

  it("a pod that was ready stays so while the next agent has not asked its probes yet", async () => {
    const probe = { exec: { command: ["true"] }, periodSeconds: 1 };
    const slow = { ...probe, initialDelaySeconds: 3 };
    await node.run("probed", { containers: [{ ...SLEEPER, startupProbe: probe, readinessProbe: slow }] });
    await node.ready("probed");
    await kubelet.stop();
    const before = node.api.calls.length;
    kubelet = await node.startKubelet();
    await waitFor("the list", () => kubelet.isSynced());
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const told = node.api.calls
      .slice(before)
      .filter(({ subresource, name }) => subresource === "status" && name === "probed")
      .flatMap(({ body }) => (body as Pod).status?.containerStatuses ?? []);
    expect(told.filter(({ ready, started }) => !ready || !started)).toEqual([]);
    expect(node.pod("probed")!.status!.containerStatuses).toMatchObject([{ ready: true, started: true }]);
    await node.delete("probed", 0);
  });

  it("a pod deleted meanwhile is stopped, but only once the API has told all pods", async () => {
    await node.run("orphan", { containers: [SLEEPER] });
    await node.ready("orphan");
    await kubelet.stop();
    await node.api.delete(PODS, { name: "orphan", namespace: "default" }, { gracePeriodSeconds: 0 });
    node.api.isAway = true;
    kubelet = await node.startKubelet();
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(await node.sandboxesOf("orphan")).toHaveLength(1);
    node.reconnect();
    await waitFor("the orphan to go", async () => (await node.sandboxesOf("orphan")).length === 0);
    expect(await node.sandboxesOf("stays")).toHaveLength(1);
  });

  it("a sandbox of another agent in the same runtime is left alone", async () => {
    const id = await node.cri.runPodSandbox({
      metadata: { name: "foreign", uid: "foreign-uid", namespace: "default", attempt: 0 },
      logDirectory: join(node.dir, "logs", "foreign"),
      labels: { "io.kubernetes.pod.name": "foreign", "io.kubernetes.pod.uid": "foreign-uid" },
      annotations: {},
      linux: {},
    });
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect((await node.sandboxesOf("foreign"))[0]?.state).toBe("SANDBOX_READY");
    await node.cri.stopPodSandbox(id);
    await node.cri.removePodSandbox(id);
  });
});

describe("when the API is away", () => {
  it("restarts what crashes, with the Secret that it remembers; reports when it is back", async () => {
    node.api.isAway = true;
    await node.killContainer("stays");
    const isBack = async () => {
      const running = await node.cri.listContainers({ state: "CONTAINER_RUNNING" });
      return running.some(
        ({ labels, metadata }) => labels["io.kubernetes.pod.name"] === "stays" && metadata.attempt === 1,
      );
    };
    await waitFor("the restart", isBack);
    expect(node.pod("stays")!.status!.containerStatuses![0]!.restartCount).toBe(0);
    node.reconnect();
    await waitFor("the report", () => node.pod("stays")!.status!.containerStatuses![0]!.restartCount === 1);
    expect(await node.exec("stays", "cat /creds/password; echo $PASSWORD")).toBe("open-sesameopen-sesame\n");
  });

  it("starts everything again after a reboot", async () => {
    await kubelet.stop();
    node.api.isAway = true;
    await node.forgetEverythingInRuntime();
    kubelet = await node.startKubelet();
    const isRunning = async () =>
      (await node.cri.listContainers({ state: "CONTAINER_RUNNING" })).some(
        ({ labels }) => labels["io.kubernetes.pod.name"] === "stays",
      );
    await waitFor("the pod to run again", isRunning);
    node.reconnect();
    // Counted from the log files, so that none is overwritten.
    const status = () => node.pod("stays")!.status!.containerStatuses![0]!;
    await waitFor("the report", () => status().restartCount > 1 && status().ready);
    expect(await node.exec("stays", "cat /creds/password")).toBe("open-sesame");
  });

  it("no secret lies on the disk in the clear", () => {
    const root = join(node.dir, "agent", "checkpoint");
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const content = readFileSync(join(entry.parentPath, entry.name), "utf8");
      expect(content).not.toContain(Buffer.from("open-sesame").toString("base64"));
      expect(content).not.toContain("token-");
    }
  });
});

describe("when the container runtime is killed", () => {
  it("pods run on and are looked after again when it is back (CRI-06)", async () => {
    const before = node.containerIdOf("stays");
    const namespaces = await node.namespacesOf("stays");
    await node.killRuntime();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await node.startRuntime();
    await node.run("later", { containers: [SLEEPER] });
    await node.ready("later");
    expect(node.containerIdOf("stays")).toBe(before);
    // The very processes: new ones would be in new namespaces.
    expect(await node.namespacesOf("stays")).toEqual(namespaces);
    const started = node.events("stays").filter((event) => event.startsWith("Started")).length;
    await node.killContainer("stays");
    await waitFor("the restart", () => node.containerIdOf("stays") !== before, { timeoutMs: 30_000 });
    expect(started).toBeGreaterThan(0);
  });
});
