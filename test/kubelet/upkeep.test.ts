import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_SETTINGS, type Kubelet } from "../../agent/kubelet/index.ts";
import { waitFor } from "../harness/wait-for.ts";
import { NodeUnderTest } from "./node-under-test.ts";

let node: NodeUnderTest;
let kubelet: Kubelet;

beforeAll(async () => {
  node = await NodeUnderTest.prepare();
  node.settings = {
    containerLogs: { maxBytes: 2_000, maxFiles: 3, workers: 1, checkMs: 500 },
    eviction: { ...DEFAULT_SETTINGS.eviction, thresholds: [] },
    volumeStatsMs: 1_000,
  };
  kubelet = await node.startKubelet();
});

afterAll(async () => {
  await kubelet?.stop();
  await node?.remove();
});

const run = (script: string, fields: object = {}) => ({
  name: "main",
  image: "busybox:1.37",
  command: ["sh", "-c", `trap 'exit 0' TERM; ${script}`],
  ...fields,
});

describe("logs of containers (LOG-02)", () => {
  const logs = () => {
    const { uid } = node.pod("writer")!.metadata;
    const directory = join(node.dir, "logs", `default_writer_${uid}`, "main");
    return readdirSync(directory).map((name) => ({ name, bytes: readFileSync(join(directory, name)) }));
  };
  const lineNumbers = (bytes: Buffer) =>
    [...bytes.toString().matchAll(/line (\d+)/g)].map(([, number]) => Number(number));

  it("are rotated while they are written, and no line is lost between two parts", async () => {
    await node.run("writer", {
      containers: [run("i=0; while true; do echo line $i; i=$((i+1)); usleep 20000 2>/dev/null || sleep 0.02; done")],
    });
    await node.ready("writer");
    const seen: { compressed?: Buffer; rotated?: Buffer } = {};
    const look = () => {
      const parts = logs();
      const compressed = parts.find(({ name }) => name.endsWith(".gz"));
      // While one is being compressed it is there twice.
      const rotated = parts.find(({ name }) => /^0\.log\.\d{8}-\d{6}$/.test(name) && compressed?.name !== `${name}.gz`);
      Object.assign(seen, { compressed: compressed?.bytes, rotated: rotated?.bytes });
      return compressed !== undefined && rotated !== undefined;
    };
    await waitFor("a compressed part and one that is not", look, { timeoutMs: 60_000 });
    expect(logs().length).toBeLessThanOrEqual(4);
    const before = lineNumbers(gunzipSync(seen.compressed!));
    const after = lineNumbers(seen.rotated!);
    expect(after[0]).toBe(before.at(-1)! + 1);
    await node.delete("writer", 1);
    await waitFor("the pod to go", () => node.pod("writer") === undefined);
  });
});

describe("a pod that takes more of the disk than it may", () => {
  it.each([
    {
      name: "emptydir",
      script: "dd if=/dev/zero of=/data/f bs=1M count=3; sleep 3600 & wait",
      spec: { volumes: [{ name: "data", emptyDir: { sizeLimit: "2Mi" } }] },
      fields: { volumeMounts: [{ name: "data", mountPath: "/data" }] },
      want: 'Usage of EmptyDir volume "data" exceeds the limit "2Mi". ',
    },
    {
      name: "layer",
      script: "dd if=/dev/zero of=/f bs=1M count=3; sleep 3600 & wait",
      spec: {},
      fields: { resources: { limits: { "ephemeral-storage": "2Mi" } } },
      want: 'Container main exceeded its local ephemeral storage limit "2Mi". ',
    },
  ])("is evicted: $name (EVI-08, EVI-13, EVI-14)", async ({ name, script, spec, fields, want }) => {
    await node.run(name, { ...spec, containers: [run(script, fields)] });
    await waitFor("its end", () => node.pod(name)?.status?.phase === "Failed", { timeoutMs: 60_000 }).catch(
      (error: Error) => {
        throw new Error([error.message, ...node.events(name), ...node.logs.slice(-20)].join("\n"));
      },
    );
    expect(node.pod(name)?.status).toMatchObject({ reason: "Evicted", message: want });
    await waitFor("the event", () => node.events(name).includes(`Evicted ${want}`));
    // Of one that was evicted nothing is kept.
    await waitFor("its sandbox to go", async () => (await node.sandboxesOf(name)).length === 0, { timeoutMs: 30_000 });
    expect(node.pod(name)?.status?.containerStatuses?.[0]?.state?.terminated).toBeDefined();
  });
});
