import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Pod } from "../../agent/api/index.ts";
import type { Kubelet } from "../../agent/kubelet/index.ts";
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

const run = (script: string) => ({ name: "main", image: "busybox:1.37", command: ["sh", "-c", script] });
const POLITE = run("trap 'exit 0' TERM; sleep 3600 & wait");
const WEB = { name: "web", image: "nginx:1.29", ports: [{ containerPort: 80, name: "http", protocol: "TCP" }] };
const statusOf = (name: string, index = 0) => node.pod(name)?.status?.containerStatuses?.[index];
const reports = (name: string) =>
  node.api.calls
    .filter((call) => call.subresource === "status" && call.name === name)
    .map(({ body }) => (body as Pod).status);

describe("admission on the node (POD-01)", () => {
  it.each([
    {
      name: "big",
      spec: { containers: [{ ...POLITE, resources: { requests: { cpu: "64" } } }] },
      reason: "OutOfcpu",
      message: "Node didn't have enough resource: cpu, requested: 64000, used: 0, capacity: 2000",
    },
    {
      name: "elsewhere",
      spec: { nodeSelector: { disk: "ssd" }, containers: [POLITE] },
      reason: "NodeAffinity",
      message: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    },
    {
      name: "unsafe",
      spec: { securityContext: { sysctls: [{ name: "kernel.msgmax", value: "65536" }] }, containers: [POLITE] },
      reason: "SysctlForbidden",
      message: 'forbidden sysctl: "kernel.msgmax" not allowlisted',
    },
  ])("refuses $reason with upstream's words", async ({ name, spec, reason, message }) => {
    await node.run(name, spec);
    await waitFor("the refusal", () => node.pod(name)?.status?.phase === "Failed");
    expect(node.pod(name)!.status).toMatchObject({ reason, message: `Pod was rejected: ${message}` });
    expect(node.pod(name)!.status!.containerStatuses).toBeUndefined();
    await waitFor("the event", () => node.events(name).includes(`${reason} ${message}`));
    expect(await node.sandboxesOf(name)).toEqual([]);
    await node.delete(name, 0);
    await waitFor("the record to go", () => node.pod(name) === undefined);
  });
});

describe("hooks", () => {
  it("an HTTP hook is asked of the pod's address; any answer will do", async () => {
    const lifecycle = {
      postStart: { exec: { command: ["sleep", "1"] } },
      preStop: { httpGet: { port: "http", path: "/x" } },
    };
    await node.run("http-hook", { containers: [{ ...WEB, lifecycle }] });
    await node.ready("http-hook");
    await node.delete("http-hook", 10);
    await waitFor("the record to go", () => node.pod("http-hook") === undefined);
    expect(node.events("http-hook")).not.toContain("FailedPreStopHook PreStopHook failed");
  });

  it("one that cannot be made is told, and holds nothing up", async () => {
    const lifecycle = { preStop: { httpGet: { port: 81 } } };
    await node.run("no-hook", { containers: [{ ...POLITE, lifecycle }] });
    await node.ready("no-hook");
    await node.delete("no-hook", 10);
    await waitFor("the record to go", () => node.pod("no-hook") === undefined);
    await waitFor("the event", () => node.events("no-hook").includes("FailedPreStopHook PreStopHook failed"));
  });

  it("a failing postStart ends the container, with what went wrong in its state", async () => {
    const lifecycle = { postStart: { exec: { command: ["sh", "-c", "echo oh; exit 7"] } } };
    await node.run("bad-start", { containers: [{ ...POLITE, lifecycle }] });
    const isTold = () =>
      reports("bad-start").some(
        (status) => status?.containerStatuses?.[0]?.state?.waiting?.reason === "PostStartHookError",
      );
    await waitFor("the failure", isTold);
    const told = reports("bad-start").find(
      (status) => status?.containerStatuses?.[0]?.state?.waiting?.reason === "PostStartHookError",
    )!;
    const { uid } = node.pod("bad-start")!.metadata;
    expect(told.containerStatuses![0]!.state!.waiting!.message).toBe(
      `Exec lifecycle hook ([sh -c echo oh; exit 7]) for Container "main" in Pod "bad-start_default(${uid})" failed - error: command 'sh -c echo oh; exit 7' exited with 7: , message: "oh\\n"`,
    );
    await node.delete("bad-start", 0);
  });

  it("preStop sleeps as long as it says, even for no time (TRM-07, TRM-12)", async () => {
    for (const seconds of [0, 2]) {
      const name = `sleeps-${seconds}`;
      await node.run(name, { containers: [{ ...POLITE, lifecycle: { preStop: { sleep: { seconds } } } }] });
      await node.ready(name);
      const startedMs = Date.now();
      await node.delete(name, 30);
      await waitFor("the record to go", () => node.pod(name) === undefined);
      expect(Date.now() - startedMs).toBeGreaterThanOrEqual(seconds * 1000);
    }
  });
});

describe("termination", () => {
  it("signals all containers together (TRM-06)", async () => {
    const slow = (name: string) => ({ ...run("trap 'sleep 2; exit 0' TERM; sleep 3600 & wait"), name });
    await node.run("together", { containers: [slow("a"), slow("b"), slow("c")] });
    await node.ready("together");
    const startedMs = Date.now();
    await node.delete("together", 30);
    await waitFor("the record to go", () => node.pod("together") === undefined);
    const ends = reports("together").findLast((status) =>
      status?.containerStatuses?.every(({ state }) => state?.terminated),
    );
    const times = ends!.containerStatuses!.map(({ state }) => Date.parse(state!.terminated!.finishedAt!));
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(2_000);
    expect(Date.now() - startedMs).toBeGreaterThan(1_900);
  });

  it("leaves two seconds when preStop has taken all of the grace period (TRM-08)", async () => {
    const lifecycle = { preStop: { sleep: { seconds: 2 } } };
    await node.run("used-up", { containers: [{ ...run("sleep 3600"), lifecycle }] });
    await node.ready("used-up");
    const startedMs = Date.now();
    await node.delete("used-up", 2);
    await waitFor("the record to go", () => node.pod("used-up") === undefined);
    expect(Date.now() - startedMs).toBeGreaterThan(3_800);
  });

  it("goes on with readiness and not with liveness (PRB-06)", async () => {
    const pace = { periodSeconds: 1, failureThreshold: 1 };
    const readinessProbe = { ...pace, httpGet: { port: "http", path: "/up" } };
    // Holds from the container's start on, as a request to its server does not.
    const livenessProbe = { ...pace, exec: { command: ["test", "-e", "/usr/share/nginx/html/index.html"] } };
    const lifecycle = { preStop: { sleep: { seconds: 5 } } };
    await node.run("leaving", {
      containers: [{ ...WEB, lifecycle, readinessProbe, livenessProbe }],
    });
    await waitFor("it to run", () => statusOf("leaving")?.state?.running);
    await node.exec("leaving", "touch /usr/share/nginx/html/up");
    await node.ready("leaving");
    await node.delete("leaving", 30);
    await node.exec("leaving", "rm /usr/share/nginx/html/up; rm /usr/share/nginx/html/index.html");
    await waitFor("not ready", () => statusOf("leaving")?.ready === false);
    await waitFor("the record to go", () => node.pod("leaving") === undefined);
    expect(node.events("leaving").join()).not.toContain("liveness");
  });
});

describe("restarts", () => {
  it("a startup probe that never succeeds restarts the container (PRB-01)", async () => {
    const startupProbe = { exec: { command: ["false"] }, periodSeconds: 1, failureThreshold: 2 };
    await node.run("never-up", { terminationGracePeriodSeconds: 1, containers: [{ ...POLITE, startupProbe }] });
    await waitFor("the restart", () => statusOf("never-up")?.restartCount === 1);
    expect(node.events("never-up")).toContain("Killing Container main failed startup probe, will be restarted");
    await node.delete("never-up", 0);
  });

  it("all containers begin anew when a rule says so (POD-11)", async () => {
    const rule = { action: "RestartAllContainers", exitCodes: { operator: "In", values: [42] } };
    await node.run("all-anew", {
      restartPolicy: "Never",
      volumes: [{ name: "v", emptyDir: {} }],
      initContainers: [{ ...run("echo x >> /v/starts"), name: "init", volumeMounts: [{ name: "v", mountPath: "/v" }] }],
      containers: [
        {
          ...run("if [ $(wc -l < /v/starts) = 1 ]; then sleep 1; exit 42; fi; sleep 3600"),
          restartPolicy: "Never",
          restartPolicyRules: [rule],
          volumeMounts: [{ name: "v", mountPath: "/v" }],
        },
        { ...POLITE, name: "other" },
      ],
    });
    await waitFor("all to run again", () =>
      [0, 1].every((index) => statusOf("all-anew", index)?.restartCount === 1 && statusOf("all-anew", index)?.ready),
    );
    expect(node.pod("all-anew")!.status!.initContainerStatuses).toMatchObject([{ restartCount: 1, ready: true }]);
    expect(statusOf("all-anew", 1)?.lastState?.terminated?.reason).toBe("RestartingAllContainers");
    expect(node.events("all-anew")).toContain("Killing killing");
    await node.delete("all-anew", 0);
  });
});

it("a pod in the host's network has the node's address (POD-16)", async () => {
  await node.run("host", { hostNetwork: true, containers: [POLITE] });
  await node.ready("host");
  const { podIP, hostIP } = node.pod("host")!.status!;
  expect(podIP).toBe(hostIP);
  await node.delete("host", 0);
});

it("a finished container is reported within a second", async () => {
  await node.run("short", { restartPolicy: "Never", containers: [run("sleep 1")] });
  await waitFor("the end", () => node.pod("short")?.status?.phase === "Succeeded", { intervalMs: 20 });
  const finished = Date.parse(statusOf("short")!.state!.terminated!.finishedAt!);
  expect(Date.now() - finished).toBeLessThan(3_000); // the API's times are whole seconds
  await node.delete("short", 0);
});

it("the runtime is not asked again and again while nothing happens", async () => {
  await node.run("idle", { containers: [POLITE] });
  await node.ready("idle");
  const lists = () => node.criCalls.filter(({ method }) => method === "listContainers").length;
  /** Stays ahead of what follows from the start: events of the last test's pod, say. */
  await waitFor("nothing to happen for three seconds", async () => {
    const before = lists();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    return lists() === before;
  });
  const before = lists();
  await node.killContainer("idle");
  await waitFor("the restart", () => statusOf("idle")?.restartCount === 1 && statusOf("idle")?.ready);
  expect(lists() - before).toBeGreaterThan(0);
  await node.delete("idle", 0);
});

it("what a user namespace needs and this runtime has not, is said (POD-13)", async () => {
  await node.run("userns", { hostUsers: false, containers: [POLITE] });
  await waitFor("the event", () =>
    node
      .events("userns")
      .includes(
        "FailedCreatePodSandBox Failed to create pod sandbox: can't set `spec.hostUsers: false`, runtime does not support user namespaces",
      ),
  );
  await node.delete("userns", 0);
});
