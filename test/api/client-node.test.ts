import * as k8s from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { OwnCluster } from "../harness/own-cluster.ts";
import { waitFor } from "../harness/wait-for.ts";

let cluster: OwnCluster;
const config = new k8s.KubeConfig();

beforeAll(async () => {
  cluster = await OwnCluster.prepare();
  await cluster.up("--no-node");
  config.loadFromFile(cluster.kubeconfigFile);
});

afterAll(() => cluster?.remove());

it("@kubernetes/client-node: an informer sees what create, patch and delete do", async () => {
  const core = config.makeApiClient(k8s.CoreV1Api);
  const seen: string[] = [];
  const informer = k8s.makeInformer(config, "/api/v1/namespaces/default/configmaps", () =>
    core.listNamespacedConfigMap({ namespace: "default" }),
  );
  for (const event of ["add", "update", "delete"] as const) {
    informer.on(event, (object: k8s.V1ConfigMap) => {
      if (object.metadata?.name === "seen") seen.push(`${event} ${object.data?.["k"]}`);
    });
  }
  await informer.start();
  await core.createNamespacedConfigMap({
    namespace: "default",
    body: { metadata: { name: "seen" }, data: { k: "1" } },
  });
  await waitFor("add", () => seen.includes("add 1"));
  await core.patchNamespacedConfigMap(
    { namespace: "default", name: "seen", body: [{ op: "replace", path: "/data/k", value: "2" }] },
    k8s.setHeaderOptions("Content-Type", k8s.PatchStrategy.JsonPatch),
  );
  await waitFor("update", () => seen.includes("update 2"));
  await core.deleteNamespacedConfigMap({ namespace: "default", name: "seen" });
  await waitFor("delete", () => seen.includes("delete 2"));
  await informer.stop();
  expect(seen).toEqual(["add 1", "update 2", "delete 2"]);
});

it("typed clients read and write workloads", async () => {
  const apps = config.makeApiClient(k8s.AppsV1Api);
  const labels = { app: "typed" };
  await apps.createNamespacedDeployment({
    namespace: "default",
    body: {
      metadata: { name: "typed" },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "app:1" }] } },
      },
    },
  });
  const observed = await waitFor("the controller", async () => {
    const deployment = await apps.readNamespacedDeployment({ namespace: "default", name: "typed" });
    return deployment.status?.observedGeneration === 1 && deployment;
  });
  expect(observed.metadata?.creationTimestamp).toBeInstanceOf(Date);
  const list = await apps.listNamespacedDeployment({ namespace: "default", labelSelector: "app=none" });
  expect(list.items).toEqual([]);
  await apps.deleteNamespacedDeployment({ namespace: "default", name: "typed" });
});
