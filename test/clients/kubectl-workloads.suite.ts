import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Pod, ReplicaSet } from "../../shared/api/types.ts";
import type { Kubectl } from "../harness/kubectl.ts";
import type { OwnCluster } from "../harness/own-cluster.ts";
import { waitFor } from "../harness/wait-for.ts";
import { Workspace, webDeployment } from "./workspace.ts";

const NATS = `apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: nats
spec:
  serviceName: nats
  replicas: 3
  selector:
    matchLabels: { app: nats }
  template:
    metadata:
      labels: { app: nats }
    spec:
      containers:
        - name: nats
          image: nats:2.10
  volumeClaimTemplates:
    - metadata: { name: data }
      spec:
        accessModes: [ReadWriteOnce]
        storageClassName: by-hand
        resources: { requests: { storage: 1Gi } }
`;

/** Only nodes of this suite fit, which never become ready; their taint keeps the pods of others away. */
const PROXY = `apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: proxy
spec:
  selector:
    matchLabels: { app: proxy }
  template:
    metadata:
      labels: { app: proxy }
    spec:
      nodeSelector: { for: workloads }
      tolerations: [{ operator: Exists }]
      containers:
        - name: proxy
          image: proxy:1
`;

const nodeFor = (name: string) => `apiVersion: v1
kind: Node
metadata:
  name: ${name}
  labels: { for: workloads }
spec:
  taints: [{ key: for, value: workloads, effect: NoSchedule }]
---
`;

const NODES = ["workloads-1", "workloads-2", "workloads-3"];

/** StatefulSets, DaemonSets and rollouts of Deployments on a cluster whose kubelets are played by writing statuses. */
export function describeWorkloads(cluster: () => OwnCluster): void {
  let work: Workspace;
  let kubectl: Kubectl;

  beforeAll(async () => {
    work = await Workspace.create(cluster(), "workloads");
    kubectl = work.kubectl;
  });
  afterAll(async () => {
    await kubectl?.finish(["delete", "nodes", "--ignore-not-found", ...NODES]);
    work?.remove();
  });

  const path = (what: string, jsonpath: string) => kubectl.run("get", what, "-o", `jsonpath=${jsonpath}`);
  const until = (what: string, jsonpath: string, wanted: string) =>
    waitFor(`${what} ${jsonpath} ${wanted}`, async () => (await path(what, jsonpath)) === wanted);
  const podsOf = async (app: string) => (await kubectl.json<{ items: Pod[] }>("get", "pods", "-l", `app=${app}`)).items;
  const live = (pods: Pod[]) => pods.filter(({ metadata }) => !metadata.deletionTimestamp);
  const setStatus = (pod: string, status: unknown) =>
    kubectl.run("patch", "pod", pod, "--subresource=status", "--type=merge", "-p", JSON.stringify({ status }));
  const makeReady = (pod: string) =>
    setStatus(pod, {
      phase: "Running",
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }],
    });
  /** Every live pod of the app that is not ready becomes it. @returns how many are there */
  const readyAll = async (app: string) => {
    const pods = live(await podsOf(app));
    for (const { metadata, status } of pods) if (status?.phase !== "Running") await makeReady(metadata.name);
    return pods.length;
  };
  const image = (name: string) => path(`pod/${name}`, "{.spec.containers[0].image}");

  describe("a StatefulSet", () => {
    it("gets its defaults (STS-01)", async () => {
      await kubectl.run("apply", "-f", work.write("nats.yaml", NATS));
      expect(
        await path(
          "statefulset/nats",
          "{.spec.podManagementPolicy} {.spec.updateStrategy} {.spec.persistentVolumeClaimRetentionPolicy}",
        ),
      ).toBe(
        'OrderedReady {"rollingUpdate":{"partition":0},"type":"RollingUpdate"} {"whenDeleted":"Retain","whenScaled":"Retain"}',
      );
    });

    it("makes pods from 0 upward, each with its name, host name and claim, when the last is ready (STS-02, STS-05, STS-06)", async () => {
      for (const ordinal of [0, 1, 2]) {
        const name = `nats-${ordinal}`;
        await waitFor(name, async () => (await kubectl.finish(["get", "pod", name])).code === 0);
        expect(await path(`pod/${name}`, "{.spec.hostname}.{.spec.subdomain}")).toBe(`${name}.nats`);
        expect((await podsOf("nats")).map(({ metadata }) => metadata.name)).toHaveLength(ordinal + 1);
        expect(await path(`pod/${name}`, "{.spec.volumes[0].persistentVolumeClaim.claimName}")).toBe(`data-${name}`);
        expect(await path(`pod/${name}`, "{.metadata.labels.apps\\.kubernetes\\.io/pod-index}")).toBe(String(ordinal));
        await makeReady(name);
      }
      const { stdout } = await kubectl.finish(["rollout", "status", "statefulset/nats", "--timeout=60s"]);
      expect(stdout).toContain("partitioned roll out complete: 3 new pods have been updated...\n");
      expect(await kubectl.run("get", "statefulset/nats", "--no-headers")).toMatch(/^nats +3\/3 +/);
      expect(await kubectl.run("events", "--for", "statefulset/nats")).toMatch(
        /Normal +SuccessfulCreate +StatefulSet\/nats +Create Claim data-nats-0 Pod nats-0 in StatefulSet nats success/,
      );
    });

    it("updates from the highest ordinal down to the partition (STS-03)", async () => {
      const partition = (value: number) =>
        kubectl.run(
          "patch",
          "statefulset/nats",
          "-p",
          JSON.stringify({ spec: { updateStrategy: { rollingUpdate: { partition: value } } } }),
        );
      await partition(2);
      await kubectl.run("set", "image", "statefulset/nats", "nats=nats:2.11");
      await waitFor("nats-2 of the new image", async () => (await image("nats-2").catch(() => "")) === "nats:2.11");
      await makeReady("nats-2");
      await until("statefulset/nats", "{.status.updatedReplicas}/{.status.readyReplicas}", "1/3");
      expect(await image("nats-1")).toBe("nats:2.10");
      await partition(0);
      await waitFor("all of the new image", async () => {
        await readyAll("nats");
        return (await podsOf("nats")).filter(({ spec }) => spec.containers[0]?.image === "nats:2.11").length === 3;
      });
      await readyAll("nats");
      await kubectl.run("rollout", "status", "statefulset/nats", "--timeout=60s");
    });

    it("is rolled back by kubectl to a revision that then has the highest number", async () => {
      const history = () => kubectl.run("rollout", "history", "statefulset/nats");
      expect(await history()).toBe(
        "statefulset.apps/nats \nREVISION  CHANGE-CAUSE\n1         <none>\n2         <none>\n\n",
      );
      expect(await kubectl.run("rollout", "undo", "statefulset/nats")).toBe("statefulset.apps/nats rolled back\n");
      expect(await path("statefulset/nats", "{.spec.template.spec.containers[0].image}")).toBe("nats:2.10");
      await waitFor("revision 3", async () => (await history()).includes("\n3 "));
      expect(await history()).toBe(
        "statefulset.apps/nats \nREVISION  CHANGE-CAUSE\n2         <none>\n3         <none>\n\n",
      );
      await waitFor("nats-2 of the old image", async () => (await image("nats-2").catch(() => "")) === "nats:2.10");
    });

    it("leaves its claims behind (STS-05)", async () => {
      await kubectl.run("delete", "statefulset/nats", "--wait=true");
      await waitFor("no pods", async () => (await podsOf("nats")).length === 0);
      expect(await kubectl.run("get", "pvc", "-o", "name")).toBe(
        [0, 1, 2].map((i) => `persistentvolumeclaim/data-nats-${i}\n`).join(""),
      );
    });
  });

  describe("a DaemonSet", () => {
    it("keeps one pod on each node, also on one that comes later (DS-01)", async () => {
      const [first = "", second = "", third = ""] = NODES;
      await kubectl.run("apply", "-f", work.write("nodes.yaml", nodeFor(first) + nodeFor(second)));
      await kubectl.run("apply", "-f", work.write("proxy.yaml", PROXY));
      await until("daemonset/proxy", "{.status.desiredNumberScheduled}", "2");
      await kubectl.run("apply", "-f", work.write("node.yaml", nodeFor(third)));
      await until("daemonset/proxy", "{.status.desiredNumberScheduled}", "3");
      await until("daemonset/proxy", "{.status.currentNumberScheduled}", "3");
      const pinned = (await podsOf("proxy")).map(
        ({ spec }) =>
          spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms[0]
            ?.matchFields?.[0]?.values?.[0],
      );
      expect(pinned.sort()).toEqual(NODES);
      await readyAll("proxy");
      await kubectl.run("rollout", "status", "daemonset/proxy", "--timeout=60s");
    });

    it("is updated node by node, and rolled back by kubectl", async () => {
      await kubectl.run("set", "image", "daemonset/proxy", "proxy=proxy:2");
      const isRolled = async (wanted: string) => {
        await readyAll("proxy");
        const pods = await podsOf("proxy");
        for (const { metadata } of pods)
          if (metadata.deletionTimestamp)
            await kubectl.finish(["delete", "pod", metadata.name, "--grace-period=0", "--force"]);
        return pods.filter(({ spec }) => spec.containers[0]?.image === wanted).length === 3;
      };
      await waitFor("all of the new image", () => isRolled("proxy:2"));
      expect(await kubectl.run("rollout", "history", "daemonset/proxy")).toBe(
        "daemonset.apps/proxy \nREVISION  CHANGE-CAUSE\n1         <none>\n2         <none>\n\n",
      );
      expect(await kubectl.run("rollout", "undo", "daemonset/proxy", "--to-revision=1")).toBe(
        "daemonset.apps/proxy rolled back\n",
      );
      await waitFor("all of the old image", () => isRolled("proxy:1"));
      expect(
        await kubectl.run("get", "controllerrevisions", "-l", "app=proxy", "-o", "jsonpath={.items[*].revision}"),
      ).toMatch(/^(2 3|3 2)$/);
    });
  });

  describe("a Deployment", () => {
    const replicaSets = async () => (await kubectl.json<{ items: ReplicaSet[] }>("get", "rs", "-l", "app=web")).items;
    const condition = (type: string) =>
      path(
        "deployment/web",
        `{.status.conditions[?(@.type=="${type}")].status} {.status.conditions[?(@.type=="${type}")].reason}`,
      );
    const patch = (spec: unknown) => kubectl.run("patch", "deployment/web", "-p", JSON.stringify({ spec }));

    it("notes on its ReplicaSet what it was scaled for (DEP-04, DEP-14)", async () => {
      await kubectl.run("apply", "-f", work.write("web.yaml", webDeployment({ replicas: 2 })));
      const [rs] = await waitFor("its ReplicaSet", async () => {
        const found = await replicaSets();
        return found.length > 0 && found;
      });
      expect(rs?.metadata.annotations).toMatchObject({
        "deployment.kubernetes.io/desired-replicas": "2",
        "deployment.kubernetes.io/max-replicas": "3",
        "deployment.kubernetes.io/revision": "1",
      });
    });

    it("has nothing to go back to at first (DEP-12)", async () => {
      const undo = await kubectl.finish(["rollout", "undo", "deployment/web", "--to-revision=1", "--dry-run=server"]);
      expect(undo.stdout).toBe(
        "deployment.apps/web skipped rollback (current template already matches revision 1) (server dry run)\n",
      );
    });

    it("restarts by an annotation of the template (DEP-23), and keeps what waits beside what runs (DEP-16)", async () => {
      await waitFor("both ready", async () => (await readyAll("web")) === 2);
      await kubectl.run("rollout", "status", "deployment/web", "--timeout=60s");
      expect(await kubectl.run("rollout", "restart", "deployment/web")).toBe("deployment.apps/web restarted\n");
      expect(
        await path("deployment/web", "{.spec.template.metadata.annotations.kubectl\\.kubernetes\\.io/restartedAt}"),
      ).toMatch(/^\d{4}-/);
      await waitFor(
        "the new ReplicaSet of one pod",
        async () =>
          (await replicaSets())
            .map(({ spec }) => spec.replicas)
            .sort()
            .join() === "1,2",
      );
      await waitFor("the end of the rollout", async () => {
        await readyAll("web");
        return (
          (await replicaSets())
            .map(({ spec }) => spec.replicas)
            .sort()
            .join() === "0,2"
        );
      });
    });

    it("counts pods that are being deleted apart (DEP-21)", async () => {
      await kubectl.run("rollout", "status", "deployment/web", "--timeout=60s");
      const pod = (await podsOf("web"))[0]?.metadata.name ?? "";
      await kubectl.run("patch", "pod", pod, "--type=merge", "-p", '{"metadata":{"finalizers":["example.com/hold"]}}');
      await kubectl.run("delete", "pod", pod, "--wait=false");
      await until("deployment/web", "{.status.terminatingReplicas} {.status.replicas}", "1 2");
      await kubectl.run("patch", "pod", pod, "--type=merge", "-p", '{"metadata":{"finalizers":null}}');
      await until("deployment/web", "{.status.terminatingReplicas}", "0");
      await readyAll("web");
    });

    it("tells that the deadline has passed, and does nothing more (DEP-20)", async () => {
      await patch({ progressDeadlineSeconds: 1 });
      await kubectl.run("set", "image", "deployment/web", "nginx=nginx:none");
      await waitFor("the deadline", async () => (await condition("Progressing")) === "False ProgressDeadlineExceeded");
      expect((await replicaSets()).map(({ spec }) => spec.replicas).sort()).toEqual([0, 1, 2]);
      await patch({ progressDeadlineSeconds: 600 });
    });

    it("Recreate waits for the end of the last old pod (DEP-22)", async () => {
      await kubectl.run(
        "patch",
        "deployment/web",
        "-p",
        '{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}',
      );
      const held = (await podsOf("web"))[0]?.metadata.name ?? "";
      await kubectl.run("patch", "pod", held, "--type=merge", "-p", '{"metadata":{"finalizers":["example.com/hold"]}}');
      await kubectl.run("set", "image", "deployment/web", "nginx=nginx:1.30");
      await waitFor(
        "only the held one",
        async () => (await podsOf("web")).map(({ metadata }) => metadata.name).join() === held,
      );
      await kubectl.run("patch", "pod", held, "--type=merge", "-p", '{"metadata":{"finalizers":null}}');
      await waitFor("the new ones", async () => {
        const images = (await podsOf("web")).map(({ spec }) => spec.containers[0]?.image);
        return images.length === 2 && images.every((name) => name === "nginx:1.30");
      });
    });

    it("keeps ten old ReplicaSets (DEP-13), and gives one that is used again the next number (DEP-10)", async () => {
      await kubectl.run("scale", "deployment/web", "--replicas=0");
      for (let i = 0; i < 12; i++) {
        const revision = await path("deployment/web", "{.metadata.annotations.deployment\\.kubernetes\\.io/revision}");
        await kubectl.run("set", "image", "deployment/web", `nginx=nginx:a${i}`);
        await waitFor(
          "a new revision",
          async () =>
            (await path("deployment/web", "{.metadata.annotations.deployment\\.kubernetes\\.io/revision}")) !==
            revision,
        );
      }
      await kubectl.run("rollout", "status", "deployment/web", "--timeout=60s");
      await waitFor("eleven ReplicaSets", async () => (await replicaSets()).length === 11);
      const numbers = (await replicaSets())
        .map(({ metadata }) => Number(metadata.annotations?.["deployment.kubernetes.io/revision"]))
        .sort((a, b) => a - b);
      const [oldest = 0] = numbers;
      const next = (numbers.at(-1) ?? 0) + 1;
      await kubectl.run("rollout", "undo", "deployment/web", `--to-revision=${oldest}`);
      const used = await waitFor("the old one to be used again", async () =>
        (await replicaSets()).find(
          ({ metadata }) => metadata.annotations?.["deployment.kubernetes.io/revision"] === String(next),
        ),
      );
      expect(used.metadata.annotations?.["deployment.kubernetes.io/revision-history"]).toBe(String(oldest));
      expect(await replicaSets()).toHaveLength(11);
    });
  });
}
