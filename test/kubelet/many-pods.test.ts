import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cgroupProcesses } from "../../agent/cgroup/index.ts";
import type { Kubelet } from "../../agent/kubelet/index.ts";
import { waitFor } from "../harness/wait-for.ts";
import { NodeUnderTest } from "./node-under-test.ts";

/** A full node is for the nightly run; a few pods leave the same things behind. */
const COUNT = process.env["HEARTH_NIGHTLY"] === "1" ? 110 : 8;
const TIMEOUT_MS = 900_000;

const POD = { name: "main", image: "busybox:1.37", command: ["sh", "-c", "trap 'exit 0' TERM; sleep 3600 & wait"] };
const VOLUMES = [
  { name: "memory", emptyDir: { medium: "Memory" } },
  { name: "disk", emptyDir: {} },
];
const MOUNTS = [
  { name: "memory", mountPath: "/memory" },
  { name: "disk", mountPath: "/disk" },
];

describe(`${COUNT} pods that were started and stopped`, () => {
  let node: NodeUnderTest;
  let kubelet: Kubelet;
  const names = Array.from({ length: COUNT }, (_, index) => `many-${index}`);

  const veths = () => execFileSync("ip", ["-o", "link", "show", "master", node.bridge], { encoding: "utf8" });
  const mounts = () =>
    readFileSync("/proc/self/mounts", "utf8")
      .split("\n")
      .filter(
        (line) => line.includes(join(node.dir, "agent")) || line.includes("/io.containerd.runtime.v2.task/k8s.io/"),
      )
      .filter((line) => line.includes(node.dir));
  const leases = () => {
    const directory = join(node.dir, "leases", `hearth-${node.bridge}`);
    return existsSync(directory) ? readdirSync(directory).filter((name) => /^[0-9.]+$/.test(name)) : [];
  };

  beforeAll(async () => {
    node = await NodeUnderTest.prepare();
    kubelet = await node.startKubelet();
  });

  afterAll(async () => {
    await kubelet?.stop();
    await node?.remove();
  });

  it("all become Ready", { timeout: TIMEOUT_MS }, async () => {
    await Promise.all(
      names.map((name) => node.run(name, { volumes: VOLUMES, containers: [{ ...POD, volumeMounts: MOUNTS }] })),
    );
    const isReady = (name: string) =>
      node.pod(name)?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
    await waitFor("all pods to be ready", () => names.every(isReady), { timeoutMs: TIMEOUT_MS });
    expect(new Set(names.map((name) => node.pod(name)!.status!.podIP)).size).toBe(COUNT);
    expect(veths().trim().split("\n")).toHaveLength(COUNT);
    expect(leases()).toHaveLength(COUNT);
  });

  it("leave no sandbox, container, mount, cgroup, veth, address, volume or log", { timeout: TIMEOUT_MS }, async () => {
    await Promise.all(names.map((name) => node.delete(name, 5)));
    await waitFor("the records to go", () => names.every((name) => node.pod(name) === undefined), {
      timeoutMs: TIMEOUT_MS,
    });
    await waitFor("the sandboxes to go", async () => (await node.cri.listPodSandbox()).length === 0, {
      timeoutMs: TIMEOUT_MS,
    });
    await waitFor("the agent to let go of them", () => kubelet.pods().length === 0, { timeoutMs: TIMEOUT_MS });
    expect(await node.cri.listContainers()).toEqual([]);
    expect(veths()).toBe("");
    expect(leases()).toEqual([]);
    expect(mounts()).toEqual([]);
    expect(await cgroupProcesses(`/${node.bridge}`)).toEqual([]);
    expect(readdirSync(join(node.dir, "agent", "pods"))).toEqual([]);
    expect(readdirSync(join(node.dir, "logs"))).toEqual([]);
    expect(readdirSync(join(node.dir, "agent", "checkpoint", "pods"))).toEqual([]);
  });
});
