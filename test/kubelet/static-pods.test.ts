import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Kubelet } from "../../agent/kubelet/index.ts";
import { PODS } from "../../shared/api/refs.ts";
import { waitFor } from "../harness/wait-for.ts";
import { NODE_NAME, NodeUnderTest } from "./node-under-test.ts";

let node: NodeUnderTest;
let kubelet: Kubelet;

beforeAll(async () => {
  node = await NodeUnderTest.prepare();
});

afterAll(async () => {
  await kubelet?.stop();
  await node?.remove();
});

const NAME = `web-${NODE_NAME}`;
const manifest = (script: string) => `
apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  terminationGracePeriodSeconds: 2
  containers:
    - { name: main, image: "busybox:1.37", command: [sh, -c, "${script}"] }
`;
const SLEEP = "trap 'exit 0' TERM; sleep 3600 & wait";
const file = () => join(node.manifests, "web.yaml");

const running = async () =>
  (await node.cri.listContainers({ state: "CONTAINER_RUNNING" })).filter(
    ({ labels }) => labels["io.kubernetes.pod.name"] === NAME,
  );
const idOf = async () => (await running())[0]?.id;

/*
 * STP-07 as far as it applies: a node starts what lies in its directory by itself, before there is an API, and shows it when
 * there is one. That these are etcd and the control plane's parts does not: ours runs where its storage is, on no node.
 */
it("runs what lies in the directory while the API is away (STP-01, STP-07)", async () => {
  node.api.isAway = true;
  writeFileSync(file(), manifest(SLEEP), { mode: 0o600 });
  kubelet = await node.startKubelet();
  await waitFor("the container", async () => (await running()).length === 1, { timeoutMs: 30_000 });
  expect(node.mirrorOf("web")).toBeUndefined();
});

it("shows a mirror when the API is there, with its annotations and the node as its owner (STP-02, STP-03, STP-07)", async () => {
  node.reconnect();
  await waitFor("the mirror", () => node.mirrorOf("web")?.status?.phase === "Running");
  const { metadata, spec, status } = node.mirrorOf("web")!;
  const hash = metadata.annotations!["kubernetes.io/config.hash"];
  expect(hash).toMatch(/^[0-9a-f]{32}$/);
  expect(metadata.annotations).toMatchObject({
    "kubernetes.io/config.mirror": hash,
    "kubernetes.io/config.source": "file",
    "kubernetes.io/config.seen": expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d)$/),
  });
  expect(metadata.ownerReferences).toMatchObject([{ kind: "Node", name: NODE_NAME, controller: true }]);
  expect(spec.nodeName).toBe(NODE_NAME);
  expect(status?.containerStatuses).toMatchObject([{ ready: true, containerID: `containerd://${await idOf()}` }]);
  await waitFor("the events", () => node.events(NAME).includes("Started Container started"));
});

it("makes the mirror anew when somebody deletes it; the container runs on (STP-04)", async () => {
  const { uid } = node.mirrorOf("web")!.metadata;
  const before = await idOf();
  await node.delete(NAME, 30);
  await waitFor(
    "another mirror",
    () => node.mirrorOf("web") !== undefined && node.mirrorOf("web")!.metadata.uid !== uid,
  );
  await waitFor("its status", () => node.mirrorOf("web")?.status?.phase === "Running");
  expect(await idOf()).toBe(before);
});

it("goes on with the next agent (STP-04)", async () => {
  const before = await idOf();
  await kubelet.stop();
  kubelet = await node.startKubelet();
  await waitFor("the list", () => kubelet.isSynced());
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(await idOf()).toBe(before);
  expect(node.mirrorOf("web")?.status?.containerStatuses).toMatchObject([{ restartCount: 0, ready: true }]);
});

it("makes the pod anew when the file changes (STP-05)", async () => {
  const before = await idOf();
  const { uid } = node.mirrorOf("web")!.metadata;
  writeFileSync(file(), manifest(`echo changed; ${SLEEP}`));
  const isNew = async () => (await idOf()) !== undefined && (await idOf()) !== before;
  await waitFor("the new container", isNew, { timeoutMs: 30_000 });
  await waitFor(
    "the new mirror",
    () => node.mirrorOf("web")?.status?.phase === "Running" && node.mirrorOf("web")!.metadata.uid !== uid,
  );
  expect(await node.sandboxesOf(NAME)).toHaveLength(1);
});

it("restarts it when it ends, and says so in the mirror", async () => {
  await node.killContainer(NAME);
  await waitFor("the restart", () => node.mirrorOf("web")?.status?.containerStatuses?.[0]?.restartCount === 1);
});

it("reads any other file there, too, whatever its name (STP-05)", async () => {
  const copy = join(node.manifests, "web.yaml.bak");
  writeFileSync(copy, manifest(SLEEP).replace("name: web", "name: copy"));
  await waitFor("the copy's mirror", () => node.mirrorOf("copy")?.status?.phase === "Running", { timeoutMs: 30_000 });
  rmSync(copy);
  await waitFor("it to go", () => node.mirrorOf("copy") === undefined, { timeoutMs: 30_000 });
});

it("stops it when the file goes, and the mirror goes with it", async () => {
  rmSync(file());
  await waitFor("the container to go", async () => (await running()).length === 0, { timeoutMs: 30_000 });
  await waitFor("the mirror to go", () => node.mirrorOf("web") === undefined);
  await waitFor("the sandbox to go", async () => (await node.sandboxesOf(NAME)).length === 0);
  const gone = node.api.calls.findLast(({ verb, resource }) => verb === "delete" && resource === PODS.resource);
  expect(gone?.body).toMatchObject({ gracePeriodSeconds: 0, uid: expect.any(String) });
});
