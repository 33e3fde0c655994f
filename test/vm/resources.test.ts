import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Pod } from "../../agent/api/index.ts";
import { waitFor } from "../harness/wait-for.ts";
import { CGROUP_DRIVERS, SETUP_TIMEOUT_MS, TEST_TIMEOUT_MS, VmNode } from "./machine/index.ts";

vi.setConfig({ testTimeout: TEST_TIMEOUT_MS, hookTimeout: SETUP_TIMEOUT_MS });

const MI = 2 ** 20;
const CGROUPS = "/sys/fs/cgroup";

/** One container that sleeps. @param fields of the container, in YAML's flow style @param spec of the pod */
const pod = (name: string, fields: string, spec = "") => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  terminationGracePeriodSeconds: 1
  automountServiceAccountToken: false
  containers: [{ name: app, image: busybox:1.37, command: [sleep, "1000000"], ${fields} }]
  ${spec}
---`;

const MANIFESTS = [
  // As CoreDNS asks for.
  pod("burstable", "resources: { requests: { cpu: 100m, memory: 70Mi }, limits: { memory: 170Mi } }"),
  pod("guaranteed", "resources: { limits: { cpu: 500m, memory: 64Mi } }"),
  pod("best-effort", "resources: {}"),
  pod(
    "unlimited-init",
    "resources: { limits: { cpu: 200m, memory: 32Mi } }",
    "initContainers: [{ name: migrate, image: busybox:1.37, command: ['true'], resources: { limits: { cpu: 100m } } }]",
  ),
  pod("pod-level", "resources: {}", "resources: { limits: { cpu: 300m, memory: 48Mi } }"),
  pod(
    "huge",
    "volumeMounts: [{ name: pages, mountPath: /pages }], resources: { limits: { hugepages-2Mi: 4Mi, memory: 32Mi, cpu: 100m } }",
    "volumes: [{ name: pages, emptyDir: { medium: HugePages } }]",
  ),
];
const NAMES = ["burstable", "guaranteed", "best-effort", "unlimited-init", "pod-level", "huge"];

describe.each(CGROUP_DRIVERS)("with the %s driver", (driver) => {
  let node: VmNode;
  const pods = new Map<string, Pod>();
  beforeAll(async () => {
    node = await VmNode.start(driver);
    await node.kubectl.apply(MANIFESTS.join(""));
    await node.untilPods("Running", ...NAMES);
    for (const pod of (await node.kubectl.json<{ items: Pod[] }>("get", "pods")).items)
      pods.set(pod.metadata.name, pod);
  });
  afterAll(() => node?.remove());

  const podDirectory = (name: string) => {
    const { metadata } = pods.get(name)!;
    const qos = pods.get(name)!.status?.qosClass;
    const parts = ["kubepods", ...(qos === "Guaranteed" ? [] : [qos!.toLowerCase()]), `pod${metadata.uid}`];
    if (driver === "cgroupfs") return `${CGROUPS}/${parts.join("/")}`;
    const slices = parts.map(
      (_, i) =>
        `${parts
          .slice(0, i + 1)
          .map((part) => part.replaceAll("-", "_"))
          .join("-")}.slice`,
    );
    return `${CGROUPS}/${slices.join("/")}`;
  };
  const appDirectory = (name: string) => {
    const id = pods.get(name)!.status!.containerStatuses![0]!.containerID!.replace("containerd://", "");
    return `${podDirectory(name)}/${driver === "cgroupfs" ? id : `cri-containerd-${id}.scope`}`;
  };
  const classDirectory = (name: "" | "burstable" | "besteffort") => {
    if (driver === "cgroupfs") return `${CGROUPS}/kubepods/${name}`;
    return `${CGROUPS}/kubepods.slice/${name && `kubepods-${name}.slice`}`;
  };

  const values = (directory: string, ...files: string[]) => node.cgroupFiles(directory, ...files);
  const FILES = ["cpu.weight", "cpu.max", "memory.max", "memory.oom.group", "memory.high"];

  it("RES-01, RES-02: each class has its branch, each pod its cgroup, each container one below it", async () => {
    for (const name of NAMES) {
      const processes = await node.guest.run(`cat ${appDirectory(name)}/cgroup.procs`);
      expect(processes.trim()).toMatch(/^\d+/);
      const children = await node.guest.run(`find ${podDirectory(name)} -mindepth 1 -maxdepth 1 -type d | wc -l`);
      expect(Number(children)).toBe(2); // the container and pause
    }
    if (driver === "cgroupfs") return;
    const units = await node.guest.run(
      "systemctl list-units --plain --no-legend 'kubepods*.slice' 'cri-containerd-*.scope'",
    );
    expect(units.match(/kubepods-pod[0-9a-f_]+\.slice +loaded active/g)?.length).toBe(3);
    expect(units.match(/cri-containerd-[0-9a-f]{64}\.scope +loaded active/g)?.length).toBe(2 * NAMES.length);
  });

  it("RES-03: all pods together have what is allocatable", async () => {
    const memory = await node.kubectl.run("get", "node", "vm", "-o", "jsonpath={.status.capacity.memory}");
    expect(await values(classDirectory(""), "memory.max", "cpu.weight")).toEqual({
      "memory.max": String(Number.parseInt(memory, 10) * 1024),
      "cpu.weight": "79",
    });
  });

  it("RES-04: burstable pods weigh what they ask for, best-effort ones nothing", async () => {
    expect(await values(classDirectory("burstable"), "cpu.weight", "memory.max")).toEqual({
      // 100m and 200m
      "cpu.weight": "12",
      "memory.max": "max",
    });
    expect(await values(classDirectory("besteffort"), "cpu.weight", "memory.max")).toEqual({
      "cpu.weight": "1",
      "memory.max": "max",
    });
  });

  it("RES-04: weights are computed once a minute", async () => {
    const weight = async () => (await values(classDirectory("burstable"), "cpu.weight"))["cpu.weight"];
    await node.guest.run(`echo 77 > ${classDirectory("burstable")}/cpu.weight`);
    expect(await weight()).toBe("77");
    await waitFor("the weight to be set right", async () => (await weight()) === "12", {
      timeoutMs: TEST_TIMEOUT_MS,
      intervalMs: 1000,
    });
  });

  it("RES-05, RES-07, RES-08, RES-09: a burstable pod like CoreDNS", async () => {
    const max = { "cpu.max": "max 100000", "memory.high": "max" };
    const limited = { ...max, "memory.max": "178257920" };
    expect(await values(podDirectory("burstable"), ...FILES)).toEqual({
      ...limited,
      "cpu.weight": "4",
      "memory.oom.group": "0",
    });
    expect(await values(appDirectory("burstable"), ...FILES)).toEqual({
      ...limited,
      "cpu.weight": "17",
      "memory.oom.group": "1",
    });
    const pause = await node.guest.run(
      `find ${podDirectory("burstable")} -mindepth 1 -maxdepth 1 -type d ! -path ${appDirectory("burstable")}`,
    );
    expect(await values(pause.trim(), ...FILES)).toEqual({
      ...max,
      "memory.max": "max",
      "cpu.weight": "1",
      "memory.oom.group": "0",
    });
  });

  it("RES-07: a guaranteed pod's limits", async () => {
    const limits = { "cpu.max": "50000 100000", "memory.max": String(64 * MI) };
    expect(await values(podDirectory("guaranteed"), "cpu.max", "memory.max")).toEqual(limits);
    expect(await values(appDirectory("guaranteed"), "cpu.max", "memory.max")).toEqual(limits);
  });

  it("RES-06: what one container does not limit the pod does not", async () => {
    expect(await values(podDirectory("unlimited-init"), "cpu.max", "memory.max")).toEqual({
      "cpu.max": "20000 100000",
      "memory.max": "max",
    });
    expect(await values(appDirectory("unlimited-init"), "memory.max")).toEqual({ "memory.max": String(32 * MI) });
  });

  it("RES-10: a pod's own resources limit it and its containers, and make its class", async () => {
    expect(pods.get("pod-level")?.status?.qosClass).toBe("Guaranteed");
    const limits = { "cpu.max": "30000 100000", "memory.max": String(48 * MI) };
    expect(await values(podDirectory("pod-level"), "cpu.max", "memory.max")).toEqual(limits);
    expect(await values(appDirectory("pod-level"), "cpu.max", "memory.max")).toEqual(limits);
  });

  it("RES-11: oom_score_adj by class", async () => {
    const memory = await node.kubectl.run("get", "node", "vm", "-o", "jsonpath={.status.capacity.memory}");
    const burstable = 1000 - Math.floor((1000 * 70 * MI) / (Number.parseInt(memory, 10) * 1024));
    const scores = { burstable, guaranteed: -997, "best-effort": 1000 };
    for (const [name, score] of Object.entries(scores)) {
      const found = await node.guest.run(`cat /proc/$(head -1 ${appDirectory(name)}/cgroup.procs)/oom_score_adj`);
      expect([name, Number(found)]).toEqual([name, score]);
    }
  });

  it("huge pages and swap are held to what was asked for", async () => {
    expect(await values(podDirectory("huge"), "hugetlb.2MB.max")).toEqual({ "hugetlb.2MB.max": String(4 * MI) });
    // containerd leaves the containers' own alone (disable_hugetlb_controller): the pod's holds them all.
    expect(await values(podDirectory("burstable"), "hugetlb.2MB.max")).toEqual({ "hugetlb.2MB.max": "0" });
    expect(await values(appDirectory("burstable"), "memory.swap.max")).toEqual({ "memory.swap.max": "0" });
    const mounts = await node.kubectl.run("exec", "huge", "--", "grep", " /pages ", "/proc/mounts");
    expect(mounts).toMatch(/ \/pages hugetlbfs .*pagesize=2M/);
  });

  it("RES-04: nothing is left of pods that are gone", async () => {
    await node.kubectl.run("delete", "pod", ...NAMES, "--wait=false");
    for (const name of NAMES) {
      await waitFor(`no cgroup of ${name}`, () => node.guest.run(`test ! -e ${podDirectory(name)} && echo gone`), {
        timeoutMs: TEST_TIMEOUT_MS,
        intervalMs: 1000,
      });
    }
    await waitFor(
      "burstable pods to weigh nothing",
      async () => (await values(classDirectory("burstable"), "cpu.weight"))["cpu.weight"] === "1",
      { intervalMs: 1000 },
    );
    const units =
      "systemctl list-units --all --plain --no-legend 'kubepods-*pod*.slice' 'cri-containerd-*.scope' | wc -l";
    expect(Number(await node.guest.run(units))).toBe(0);
  });
});
