import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Container, Pod } from "../../agent/api/index.ts";
import type { ContainerConfig, SandboxConfig } from "../../agent/cri/index.ts";
import type { Kubelet } from "../../agent/kubelet/index.ts";
import { waitFor } from "../harness/wait-for.ts";
import { NodeUnderTest } from "./node-under-test.ts";

/* In what order, and after which pauses, things are done for a pod. */

let node: NodeUnderTest;
let kubelet: Kubelet;
/** Shared by a pod's containers and the test. */
let notes: string;

const MAX_PAUSE_MS = 4_000;

beforeAll(async () => {
  node = await NodeUnderTest.prepare();
  node.settings = { maxRestartPauseMs: MAX_PAUSE_MS };
  kubelet = await node.startKubelet();
  notes = join(node.dir, "notes");
  mkdirSync(notes);
});

afterAll(async () => {
  await kubelet?.stop();
  await node?.remove();
});

const run = (script: string, fields: Partial<Container> = {}): Container => ({
  name: "main",
  image: "busybox:1.37",
  command: ["sh", "-c", script],
  volumeMounts: [{ name: "notes", mountPath: "/notes" }],
  ...fields,
});
const POLITE = "trap 'exit 0' TERM; sleep 3600 & wait";
const volumes = () => [{ name: "notes", hostPath: { path: notes } }];
const linesOf = (file: string) =>
  existsSync(join(notes, file)) ? readFileSync(join(notes, file), "utf8").trim().split("\n") : [];
const statusOf = (name: string) => node.pod(name)?.status?.containerStatuses?.[0];
const reports = (name: string) =>
  node.api.calls
    .filter((call) => call.subresource === "status" && call.name === name)
    .map(({ body }) => (body as Pod).status!);

async function endOf(name: string, graceSeconds: number): Promise<void> {
  await node.delete(name, graceSeconds);
  await waitFor("the record to go", () => node.pod(name) === undefined);
}

/** What the runtime was told to do since then. */
const orders = (since: number) =>
  node.criCalls.slice(since).flatMap(({ method, args }) => {
    if (method === "runPodSandbox") return [`sandbox of ${(args[0] as SandboxConfig).metadata.name}`];
    if (method === "createContainer") return [`create ${(args[1] as ContainerConfig).metadata.name}`];
    return ["startContainer", "execSync"].includes(method) ? [method] : [];
  });

describe("the start of a pod", () => {
  it("has its sandbox, then init, ephemeral and main containers; each is created, started and has its hook run (POD-02)", async () => {
    const since = node.criCalls.length;
    await node.run("ordered", {
      volumes: volumes(),
      initContainers: [run("sleep 2", { name: "first" }), run("true", { name: "second" })],
      ephemeralContainers: [{ ...run(POLITE), name: "debug" }],
      containers: [run(POLITE, { lifecycle: { postStart: { exec: { command: ["true"] } } } })],
    });
    await node.ready("ordered");
    expect(orders(since)).toEqual([
      "sandbox of ordered",
      ...["create first", "startContainer"],
      // The next step begins while the first init container runs.
      ...["create debug", "startContainer"],
      ...["create second", "startContainer"],
      ...["create main", "startContainer", "execSync"],
    ]);
    await node.delete("ordered", 0);
  });

  it("has a place in the cgroups and its volumes, the token too, before a container (POD-01)", async () => {
    const since = node.criCalls.length;
    const sources = [{ serviceAccountToken: { path: "token", expirationSeconds: 3607 } }];
    await node.run("prepared", {
      volumes: [...volumes(), { name: "api", projected: { sources } }],
      containers: [run(POLITE, { volumeMounts: [{ name: "api", mountPath: "/api" }] })],
    });
    await node.ready("prepared");
    const { uid } = node.pod("prepared")!.metadata;
    const asked = node.criCalls.slice(since).find(({ method }) => method === "runPodSandbox")!;
    expect((asked.args[0] as SandboxConfig).linux.cgroupParent).toContain(uid);
    const token = join(node.dir, "agent/pods", uid, "volumes/kubernetes.io~projected/api/token");
    const { status } = await node.cri.containerStatus(node.containerIdOf("prepared"));
    expect(statSync(token).mtimeMs * 1e6).toBeLessThan(status.createdAt);
    await node.delete("prepared", 0);
  });

  it("shows in its conditions: the sandbox with its address, the init containers, the containers (POD-06)", async () => {
    await node.run("stages", {
      volumes: volumes(),
      initContainers: [run("sleep 2", { name: "first" })],
      containers: [run(POLITE)],
    });
    await node.ready("stages");
    // A report has what has changed.
    const known = new Map<string, string>();
    const stages = reports("stages").map(({ conditions = [] }) => {
      for (const { type, status } of conditions) if (status) known.set(type, status);
      return ["PodReadyToStartContainers", "Initialized", "Ready"].map((type) => known.get(type)).join(" ");
    });
    const distinct = stages.filter((stage, index) => stage !== stages[index - 1]);
    const order = ["False False False", "True False False", "True True False", "True True True"];
    expect(distinct).toEqual(order.filter((stage) => distinct.includes(stage)));
    expect(distinct).toContain("True False False");
    expect(distinct.at(-1)).toBe("True True True");
    await node.delete("stages", 0);
  });
});

describe("the end of a pod", () => {
  const stopsSince = (since: number) =>
    node.criCalls.slice(since).flatMap(({ method, args }) => (method === "stopContainer" ? [args[1]] : []));

  it("preStop's time is taken from the grace period: sleep 3 of 30 leaves 27 (TRM-07)", async () => {
    await node.run("remainder", {
      volumes: volumes(),
      containers: [run(POLITE, { lifecycle: { preStop: { sleep: { seconds: 3 } } } })],
    });
    await node.ready("remainder");
    const since = node.criCalls.length;
    await endOf("remainder", 30);
    expect(stopsSince(since)[0]).toBeLessThanOrEqual(27);
    expect(stopsSince(since)[0]).toBeGreaterThan(15);
  });

  it("but not less than 2 s are left: sleep 3 of 3 (TRM-08)", async () => {
    await node.run("two", {
      volumes: volumes(),
      containers: [run(POLITE, { lifecycle: { preStop: { sleep: { seconds: 3 } } } })],
    });
    await node.ready("two");
    const since = node.criCalls.length;
    await endOf("two", 3);
    expect(stopsSince(since)[0]).toBe(2);
  });

  it("main containers end first, then sidecars from the last to the first (TRM-10)", async () => {
    const leaving = (name: string, seconds: number) =>
      run(`trap 'sleep ${seconds}; echo ${name} >> /notes/ends; exit 0' TERM; sleep 3600 & wait`, { name });
    await node.run("in-turn", {
      volumes: volumes(),
      initContainers: [
        { ...leaving("one", 0), restartPolicy: "Always" },
        { ...leaving("two", 1), restartPolicy: "Always" },
      ],
      containers: [leaving("main", 2)],
    });
    await node.ready("in-turn");
    await endOf("in-turn", 30);
    expect(linesOf("ends")).toEqual(["main", "two", "one"]);
  });

  it("a restart policy of a main container's own changes nothing of it: both are told together (POD-11, TRM-06)", async () => {
    const leaving = (name: string, seconds: number) =>
      run(
        `trap 'echo ${name} told >> /notes/told; sleep ${seconds}; echo ${name} ends >> /notes/told; exit 0' TERM; sleep 3600 & wait`,
        { name },
      );
    await node.run("both", {
      volumes: volumes(),
      containers: [{ ...leaving("own", 0), restartPolicy: "Always" }, leaving("slow", 3)],
    });
    await node.ready("both");
    await endOf("both", 30);
    expect(linesOf("told")).toHaveLength(4);
    expect(linesOf("told").at(-1)).toBe("slow ends");
    expect(linesOf("told").indexOf("own told")).toBeLessThan(3);
  });

  it("pause is the first process of a shared pid namespace, and SIGTERM ends what does not handle it: 143 (POD-13, TRM-15)", async () => {
    const sleep = { name: "main", image: "busybox:1.37", command: ["sleep", "3600"] };
    await node.run("shared", { shareProcessNamespace: true, containers: [sleep] });
    await node.ready("shared");
    const [pause, container] = await node.namespacesOf("shared");
    expect(container!["pid"]).toBe(pause!["pid"]);
    expect(container!["mnt"]).not.toBe(pause!["mnt"]);
    await endOf("shared", 30);
    const ends = reports("shared").flatMap(({ containerStatuses = [] }) => containerStatuses);
    expect(ends.findLast(({ state }) => state?.terminated)?.state?.terminated?.exitCode).toBe(143);
  });
});

it("pauses grow to the node's ceiling, and start afresh after twice that without a crash (RST-02, RST-03)", async () => {
  const script = `
    date +%s >> /notes/lives
    [ $(wc -l < /notes/lives) = 4 ] && sleep ${(2 * MAX_PAUSE_MS) / 1000 + 3}
    date +%s >> /notes/crashes
    exit 1`;
  await node.run("lives", { volumes: volumes(), containers: [run(script)] });
  const told = new Set<string>();
  const isInFifthLife = () => {
    const { restartCount, state } = statusOf("lives") ?? {};
    const pause = /^back-off \S+/.exec(state?.waiting?.message ?? "")?.[0];
    // The fifth life is a short one again: a slow look finds the pause after it.
    if (pause && restartCount! < 4) told.add(`${restartCount} ${pause}`);
    return linesOf("lives").length >= 5;
  };
  await waitFor("the fifth life", isInFifthLife);
  // Upstream's first pause of 10 s would be longer. None after the first crash, and none after the long life.
  expect([...told]).toEqual(["1 back-off 4s", "2 back-off 4s"]);
  const crashes = linesOf("crashes").map(Number);
  const pauses = linesOf("lives")
    .slice(1)
    .map((life, index) => Number(life) - crashes[index]!);
  expect(Math.min(pauses[1]!, pauses[2]!)).toBeGreaterThanOrEqual(MAX_PAUSE_MS / 1000 - 1);
  await node.delete("lives", 0);
});
