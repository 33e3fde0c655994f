import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseThresholds } from "../../agent/eviction/index.ts";
import { DEFAULT_SETTINGS, type Kubelet, type KubeletSettings } from "../../agent/kubelet/index.ts";
import { EVENTS } from "../../shared/api/refs.ts";
import { waitFor } from "../harness/wait-for.ts";
import { NODE_NAME, NodeUnderTest } from "./node-under-test.ts";

let node: NodeUnderTest;
let kubelet: Kubelet | undefined;

/** Signals are forced by a threshold that no machine is ever above (`100%` would be none at all). */
const NEVER_ENOUGH = "1E";

const NOTHING = {
  evictionHard: {},
  evictionSoft: {},
  evictionMinimumReclaim: {},
  softGraceMs: {},
  enforcesPods: false,
};
const NO_THRESHOLDS: Partial<KubeletSettings> = { eviction: { ...DEFAULT_SETTINGS.eviction, thresholds: [] } };
const hard = (signal: string): Partial<KubeletSettings> => ({
  eviction: {
    ...DEFAULT_SETTINGS.eviction,
    thresholds: parseThresholds({ ...NOTHING, evictionHard: { [signal]: NEVER_ENOUGH } }),
  },
});

/** The agent anew with other settings; what runs goes on. */
async function restart(settings: Partial<KubeletSettings>): Promise<void> {
  await kubelet?.stop();
  node.settings = settings;
  kubelet = await node.startKubelet();
}

beforeAll(async () => {
  node = await NodeUnderTest.prepare();
});

afterAll(async () => {
  await kubelet?.stop();
  await node?.remove();
});

const sleeper = (script = "trap 'exit 0' TERM; sleep 3600 & wait", fields: object = {}) => ({
  name: "main",
  image: "busybox:1.37",
  command: ["sh", "-c", script],
  ...fields,
});
const nodeEvents = () =>
  node.api
    .all(EVENTS)
    .filter((event) => (event["involvedObject"] as { name: string }).name === NODE_NAME)
    .map((event) => `${event["reason"]} ${event["message"]}`);
const imageNames = async () => (await node.cri.listImages()).flatMap(({ repoTags }) => repoTags).sort();

describe("signals", () => {
  it.each([
    { signal: "memory.available", resource: "memory", pressure: "MemoryPressure" },
    { signal: "nodefs.available", resource: "ephemeral-storage", pressure: "DiskPressure" },
    { signal: "nodefs.inodesFree", resource: "inodes", pressure: "DiskPressure" },
    { signal: "imagefs.available", resource: "ephemeral-storage", pressure: "DiskPressure" },
    { signal: "imagefs.inodesFree", resource: "inodes", pressure: "DiskPressure" },
    { signal: "pid.available", resource: "pids", pressure: "PIDPressure" },
  ])("$signal is seen, told, and keeps pods out (EVI-02)", async ({ signal, resource, pressure }) => {
    const before = nodeEvents().length;
    await restart(hard(signal));
    await waitFor("the pressure", () => kubelet!.pressures().size > 0);
    expect([...kubelet!.pressures()]).toEqual([pressure]);
    await waitFor("the event", () => nodeEvents().length > before);
    expect(nodeEvents().slice(before)).toContain(`EvictionThresholdMet Attempting to reclaim ${resource}`);
    const name = `late-${signal.toLowerCase().replace(".", "-")}`;
    await node.run(name, { containers: [sleeper()] });
    await waitFor("the refusal", () => node.pod(name)?.status?.phase === "Failed");
    expect(node.pod(name)!.status).toMatchObject({
      reason: "Evicted",
      message: `Pod was rejected: The node had condition: [${pressure}]. `,
    });
    await node.delete(name, 0);
  });
});

describe("a full disk", () => {
  it("costs images first, then pods, and never critical or static ones (EVI-05, EVI-07, EVI-08)", async () => {
    await restart(NO_THRESHOLDS);
    writeFileSync(
      join(node.manifests, "static.yaml"),
      JSON.stringify({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "static", namespace: "default" },
        spec: { containers: [{ ...sleeper(), imagePullPolicy: "IfNotPresent" }] },
      }),
    );
    await node.run("ordinary", { containers: [sleeper()] });
    await node.run("critical", { priority: 2_000_000_000, containers: [sleeper()] });
    await Promise.all(["ordinary", "critical"].map((name) => node.ready(name)));
    await waitFor("the static pod", () => node.mirrorOf("static")?.status?.phase === "Running");
    const before = await imageNames();
    expect(before).toContain("docker.io/library/nginx:1.29");

    node.criCalls.length = 0;
    await restart({
      ...hard("nodefs.available"),
      imageGc: { ...DEFAULT_SETTINGS.imageGc, minAgeMs: 0 },
    });
    await waitFor("the eviction", () => node.pod("ordinary")?.status?.phase === "Failed");
    expect(node.pod("ordinary")!.status).toMatchObject({
      reason: "Evicted",
      message: expect.stringContaining("The node was low on resource: ephemeral-storage. Threshold quantity: "),
    });
    expect(node.pod("ordinary")!.status!.conditions).toContainEqual(
      expect.objectContaining({ type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet" }),
    );
    const order = node.criCalls
      .map(({ method }) => method)
      .filter((method) => method === "removeImage" || method === "stopContainer");
    expect(order[0]).toBe("removeImage");
    expect(order).toContain("stopContainer");
    // What pods use stays, and what their sandboxes are made of, too.
    const after = await imageNames();
    expect(after).toEqual(expect.arrayContaining(["docker.io/library/busybox:1.37", "registry.k8s.io/pause:3.10"]));
    expect(after).not.toContain("docker.io/library/nginx:1.29");
    // Looked at once more, there is nobody to evict.
    await waitFor("another look", () => node.logs.some((line) => line.includes("no pod can be evicted")));
    expect(node.pod("critical")!.status!.phase).toBe("Running");
    expect(node.mirrorOf("static")!.status!.phase).toBe("Running");
  });
});

describe("a soft threshold", () => {
  it("has to hold for its time; the pod then gets the node's longest grace period (EVI-04)", async () => {
    await restart(NO_THRESHOLDS);
    await node.run("deaf", { containers: [sleeper("trap '' TERM; while true; do sleep 1; done")] });
    await node.ready("deaf");
    const startedMs = Date.now();
    const soft = { evictionSoft: { "pid.available": NEVER_ENOUGH }, softGraceMs: { "pid.available": 4_000 } };
    const policy = { thresholds: parseThresholds({ ...NOTHING, ...soft }), maxGraceSeconds: 3 };
    await restart({ eviction: { ...DEFAULT_SETTINGS.eviction, ...policy } });
    const isEvicted = () => node.events("deaf").some((event) => event.startsWith("Evicted The node was low on"));
    await waitFor("the eviction", isEvicted, { intervalMs: 20 });
    const evictedMs = Date.now();
    expect(evictedMs - startedMs).toBeGreaterThan(3_900);
    await waitFor("its end", () => node.pod("deaf")?.status?.containerStatuses?.[0]?.state?.terminated, {
      intervalMs: 20,
    });
    // Three seconds of its own thirty, of which the event may have taken some.
    expect(Date.now() - evictedMs).toBeGreaterThan(2_000);
    expect(Date.now() - evictedMs).toBeLessThan(25_000);
    expect(node.pod("deaf")!.status!.containerStatuses![0]!.state!.terminated).toMatchObject({ exitCode: 137 });
  });
});

describe("what a pod writes", () => {
  it.each([
    {
      name: "logs",
      spec: {
        containers: [
          sleeper("dd if=/dev/zero bs=1M count=3 2>/dev/null | tr '\\0' 'x'; sleep 3600", {
            resources: { limits: { "ephemeral-storage": "2Mi" } },
          }),
        ],
      },
      want: 'Container main exceeded its local ephemeral storage limit "2Mi". ',
    },
    {
      name: "sum",
      spec: {
        volumes: [{ name: "data", emptyDir: {} }],
        containers: [
          sleeper("dd if=/dev/zero of=/data/f bs=1M count=5; sleep 3600", {
            resources: { limits: { "ephemeral-storage": "2Mi" } },
            volumeMounts: [{ name: "data", mountPath: "/data" }],
          }),
          sleeper("sleep 3600", { name: "other", resources: { limits: { "ephemeral-storage": "2Mi" } } }),
        ],
      },
      want: "Pod ephemeral local storage usage exceeds the total limit of containers 4Mi. ",
    },
  ])("counts as its storage: $name (EVI-12, EVI-13)", async ({ name, spec, want }) => {
    await restart({ ...NO_THRESHOLDS, volumeStatsMs: 1_000 });
    await node.run(name, { terminationGracePeriodSeconds: 1, ...spec });
    await waitFor("its end", () => node.pod(name)?.status?.phase === "Failed");
    expect(node.pod(name)!.status).toMatchObject({ reason: "Evicted", message: want });
  });
});
