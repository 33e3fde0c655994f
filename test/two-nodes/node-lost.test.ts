import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Kubectl } from "../harness/kubectl.ts";
import { Lab, type LabNode } from "../harness/lab.ts";
import { OwnCluster } from "../harness/own-cluster.ts";
import { waitFor } from "../harness/wait-for.ts";
import { writeTestImages } from "../images/index.ts";

let cluster: OwnCluster;
let kubectl: Kubectl;
let lab: Lab;
let images: string;
let kept: LabNode;
let lost: LabNode;

beforeAll(async () => {
  images = mkdtempSync(join(tmpdir(), "hearth-images-"));
  const files = [...writeTestImages(images).values()];
  cluster = await OwnCluster.prepare();
  await cluster.up("--no-node");
  kubectl = new Kubectl(cluster.kubeconfigFile);
  lab = await Lab.build(cluster);
  kept = await lab.addMachine("node-1", files);
  lost = await lab.addMachine("node-2", files);
  await lab.join(kept);
  await lab.join(lost);
  // One by one: kubectl gives up at once when it finds none of several.
  for (const { name } of [kept, lost]) await kubectl.run("wait", "--for=create", `node/${name}`, "--timeout=60s");
  await kubectl.run("wait", "--for=condition=Ready", "nodes", "--all", "--timeout=120s");
}, 600_000);

afterAll(async () => {
  await lab?.remove();
  await cluster?.remove();
  if (images) rmSync(images, { recursive: true, force: true });
}, 300_000);

/** Tolerates a lost node for 5 s instead of the default 300 (NODE-11). */
const WEB = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      tolerations:
      - {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 5}
      containers:
      - {name: nginx, image: "nginx:1.29"}
`;

interface Pod {
  metadata: { name: string; deletionTimestamp?: string };
  spec: { nodeName: string };
  status: { podIP: string; conditions: { type: string; status: string }[] };
}

const podsOf = async (node: LabNode) =>
  (await kubectl.json<{ items: Pod[] }>("get", "pods", "-l", "app=web")).items.filter(
    (pod) => pod.spec.nodeName === node.name,
  );

const runningContainers = async (node: LabNode) =>
  (await node.execute("ctr", ["-a", node.runtimeSocket, "-n", "k8s.io", "tasks", "ls", "-q"]))
    .trim()
    .split("\n")
    .sort();

it("spreads pods over both nodes (DEP-24, CLU: one block of addresses a node)", async () => {
  await kubectl.apply(WEB);
  await kubectl.run("rollout", "status", "deployment/web", "--timeout=150s");
  const [one, two] = [await podsOf(kept), await podsOf(lost)];
  expect([one.length, two.length]).toEqual([2, 2]);
  const blocks = [one, two].map(
    (pods) => new Set(pods.map((pod) => pod.status.podIP.split(".").slice(0, 3).join("."))),
  );
  expect(blocks.map((block) => block.size)).toEqual([1, 1]);
  expect([...blocks[0]!][0]).not.toBe([...blocks[1]!][0]);
});

it("a lost node: NotReady, both taints, pods replaced elsewhere; back: it confirms (NODE-05 to NODE-11)", async () => {
  const victims = (await podsOf(lost)).map((pod) => pod.metadata.name);
  const containers = await runningContainers(lost);
  await lost.stopAgent();

  // 50 s without a renewal.
  await waitFor("NotReady", async () => /^node-2 +NotReady/m.test(await kubectl.run("get", "nodes")), {
    timeoutMs: 180_000,
    intervalMs: 500,
  });
  const described = await waitFor("both taints", async () => {
    const text = await kubectl.run("describe", "node", "node-2");
    return text.includes("unreachable:NoExecute") && text.includes("unreachable:NoSchedule") && text;
  });
  expect(described).toMatch(/Unschedulable: +false/);
  expect(described).toMatch(/Ready +Unknown .* NodeStatusUnknown +Kubelet stopped posting node status\./);
  await waitFor("its pods to be unready at once (NODE-08)", async () =>
    (await podsOf(lost))
      .filter((pod) => victims.includes(pod.metadata.name))
      .every((pod) => pod.status.conditions.some((c) => c.type === "Ready" && c.status === "False")),
  );

  await waitFor("eviction after tolerationSeconds", async () => {
    const pods = await podsOf(lost);
    return pods.length === victims.length && pods.every((pod) => pod.metadata.deletionTimestamp);
  });
  await waitFor("replacements on the other node", async () => {
    const pods = (await podsOf(kept)).filter((pod) =>
      pod.status.conditions?.some((c) => c.type === "Ready" && c.status === "True"),
    );
    return pods.length === 4;
  });
  const listed = await kubectl.run("get", "pods", "-l", "app=web");
  for (const victim of victims) expect(listed).toMatch(new RegExp(`^${victim} .* Terminating`, "m"));
  expect(await runningContainers(lost)).toEqual(containers); // nobody told the machine

  await lost.startAgent();
  await waitFor("Ready again", async () => /^node-2 +Ready/m.test(await kubectl.run("get", "nodes")));
  await waitFor("the old records to go", async () => (await podsOf(lost)).length === 0);
  await waitFor("the taints to go", async () =>
    /Taints: +<none>/.test(await kubectl.run("describe", "node", "node-2")),
  );
  await waitFor("the old containers to stop", async () =>
    (await runningContainers(lost)).every((id) => !containers.includes(id)),
  );
}, 600_000);
