import { afterAll, beforeAll, expect, it } from "vitest";
import type { Pod } from "../../shared/api/types.ts";
import { Workspace } from "../clients/workspace.ts";
import type { Kubectl } from "../harness/kubectl.ts";
import type { OwnCluster } from "../harness/own-cluster.ts";
import { PLAYED, type PlayedNodes } from "../harness/played-nodes.ts";
import { waitFor } from "../harness/wait-for.ts";
import { Watched } from "../harness/watched.ts";
import { all, type Manifest, manifest, object } from "./manifests.ts";

const NODES = ["budget-1", "budget-2", "budget-3"];
const TAINT = { key: "only-for", value: "budgets", effect: "NoSchedule" };

interface Replicas {
  replicas: number;
  played?: string;
  /** The label of the nodes that the pods may be on. */
  group?: string;
}

const replicated = (kind: "ReplicaSet" | "StatefulSet" | "Deployment", name: string, pods: Replicas) =>
  manifest("apps/v1", kind, name, {
    replicas: pods.replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name }, annotations: { [PLAYED]: pods.played ?? "" } },
      spec: {
        ...(pods.group && {
          tolerations: [{ key: TAINT.key, operator: "Exists" }],
          nodeSelector: { group: pods.group },
        }),
        containers: [{ name: "main", image: "app:1" }],
      },
    },
  });
const budget = (name: string, spec: Manifest, app = name) =>
  manifest("policy/v1", "PodDisruptionBudget", name, { selector: { matchLabels: { app } }, ...spec });

const REFUSED =
  "Error from server (TooManyRequests): Cannot evict pod as it would violate the pod's disruption budget.\n";

/** PodDisruptionBudgets, evictions, and the drain of nodes of the suite's own. */
export function describeBudgets(cluster: () => OwnCluster, nodes: () => PlayedNodes): void {
  let work: Workspace;
  let kubectl: Kubectl;

  beforeAll(async () => {
    work = await Workspace.create(cluster(), "budgets");
    kubectl = work.kubectl;
    const groups = ["drained", "drained", "stuck"];
    await Promise.all(
      NODES.map((name, n) => nodes().add(name, { labels: { group: groups[n] ?? "" }, taints: [TAINT] })),
    );
  });
  afterAll(() => work?.remove());

  const podsOf = async (app: string) =>
    (await kubectl.json<{ items: Pod[] }>("get", "pods", "-l", `app=${app}`)).items.filter(
      ({ metadata }) => !metadata.deletionTimestamp,
    );
  const running = (app: string, count: number) =>
    waitFor(`${count} pods of ${app} to run`, async () => {
      const pods = (await podsOf(app)).filter(({ status }) => status?.phase === "Running");
      return pods.length === count && pods;
    });
  const evict = (pod: Pod) =>
    kubectl.finish(
      ["create", "--raw", `/api/v1/namespaces/${work.namespace}/pods/${pod.metadata.name}/eviction`, "-f", "-"],
      object("policy/v1", "Eviction", { name: pod.metadata.name, namespace: work.namespace }),
    );
  const counts = (name: string) =>
    kubectl.run(
      ...["get", "pdb", name, "-o"],
      "jsonpath=expected {.status.expectedPods}, healthy {.status.currentHealthy} of {.status.desiredHealthy}, allowed {.status.disruptionsAllowed}",
    );
  const settles = (name: string, wanted: string) =>
    waitFor(`the budget ${name}: ${wanted}`, async () => (await counts(name)) === wanted);

  it("drain cordons, evicts what the budget allows, and comes back for the rest (PDB-08, PDB-09)", async () => {
    await kubectl.run("cordon", "budget-2");
    await kubectl.apply(
      all(
        replicated("Deployment", "api", { replicas: 2, group: "drained" }),
        budget("api", { maxUnavailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow" }),
      ),
    );
    await running("api", 2);
    await settles("api", "expected 2, healthy 2 of 1, allowed 1");
    const victims = (await podsOf("api")).map(({ metadata }) => metadata.name);
    const draining = kubectl.start(["drain", "budget-1", "--timeout=60s"]);
    const ended = new Promise<number | null>((resolve) => draining.once("close", resolve));
    let stdout = "";
    let stderr = "";
    draining.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    draining.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    await waitFor("the refusal", () => stderr.includes("(will retry after 5s)"));
    expect(await kubectl.run("uncordon", "budget-2")).toBe("node/budget-2 uncordoned\n");
    const code = await ended;
    const refused = /error when evicting pods\/"(\S+)"/.exec(stderr)?.[1] ?? "";
    expect({ code, stderr: stderr.split("\n").at(0) }).toEqual({
      code: 0,
      stderr: `error when evicting pods/"${refused}" -n "budgets" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.`,
    });
    const lines = stdout.trim().split("\n");
    const [evicting, others] = [true, false].map((is) =>
      lines.filter((line) => line.startsWith("evicting pod ") === is),
    );
    expect(new Set(evicting)).toEqual(new Set(victims.map((name) => `evicting pod budgets/${name}`)));
    expect(others).toEqual([
      "node/budget-1 cordoned",
      `pod/${victims.find((name) => name !== refused)} evicted`,
      `pod/${refused} evicted`,
      "node/budget-1 drained",
    ]);
    const placed = (await running("api", 2)).map(({ spec }) => spec.nodeName);
    expect(placed).toEqual(["budget-2", "budget-2"]);
    expect(await kubectl.run("get", "node", "budget-1", "--no-headers")).toMatch(
      /^budget-1 +Ready,SchedulingDisabled +<none> /,
    );
    expect(await kubectl.run("drain", "budget-1")).toBe("node/budget-1 already cordoned\nnode/budget-1 drained\n");
  });

  it("drain gives up at its timeout, and at once when an eviction fails (PDB-08)", async () => {
    await kubectl.apply(
      all(replicated("ReplicaSet", "stuck", { replicas: 1, group: "stuck" }), budget("stuck", { minAvailable: 1 })),
    );
    const [pod] = await running("stuck", 1);
    const name = pod?.metadata.name;
    await settles("stuck", "expected 1, healthy 1 of 1, allowed 0");
    const late = await kubectl.finish(["drain", "budget-3", "--timeout=2s"]);
    expect(late.code).toBe(1);
    expect(late.stdout).toMatch(new RegExp(`^node/budget-3 cordoned\n(evicting pod budgets/${name}\n){1,2}$`));
    expect(late.stderr).toBe(
      `error when evicting pods/"${name}" -n "budgets" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.\nThere are pending pods in node "budget-3" when an error occurred: error when evicting pods/"${name}" -n "budgets": global timeout reached: 2s\npod/${name}\nerror: unable to drain node "budget-3" due to error: error when evicting pods/"${name}" -n "budgets": global timeout reached: 2s, continuing command...\nThere are pending nodes to be drained:\n budget-3\nerror when evicting pods/"${name}" -n "budgets": global timeout reached: 2s\n`,
    );
    await kubectl.apply(budget("stuck-too", { minAvailable: 1 }, "stuck"));
    const failed = await kubectl.finish(["drain", "budget-3", "--timeout=60s"]);
    expect(failed.stderr).toContain(
      `error when evicting pods/"${name}" -n "budgets": This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.`,
    );
    expect(failed.stderr).not.toContain("will retry");
  });

  it("a budget that allows nothing refuses evictions, but no deletion (PDB-01, PDB-06)", async () => {
    await kubectl.apply(all(replicated("ReplicaSet", "tight", { replicas: 1 }), budget("tight", { minAvailable: 1 })));
    const [pod] = await running("tight", 1);
    await settles("tight", "expected 1, healthy 1 of 1, allowed 0");
    expect(await evict(pod!)).toEqual({ code: 1, stdout: "", stderr: REFUSED });
    expect(await kubectl.run("get", "pdb", "tight")).toMatch(
      /^NAME +MIN AVAILABLE +MAX UNAVAILABLE +ALLOWED DISRUPTIONS +AGE\ntight +1 +N\/A +0 +\S+\n$/,
    );
    expect(await kubectl.run("delete", "pod", pod!.metadata.name)).toBe(
      `pod "${pod!.metadata.name}" deleted from budgets namespace\n`,
    );
  });

  it("rounds percentages up, and counts what an eviction takes (PDB-02, PDB-07)", async () => {
    await kubectl.apply(
      all(
        replicated("ReplicaSet", "quarter", { replicas: 5, played: "stays" }),
        budget("quarter", { maxUnavailable: "25%" }),
      ),
    );
    const [pod] = await running("quarter", 5);
    await settles("quarter", "expected 5, healthy 5 of 3, allowed 2");
    expect(await kubectl.run("get", "pdb", "quarter", "--no-headers")).toMatch(/^quarter +N\/A +25% +2 +\S+\n$/);
    const watched = new Watched(
      kubectl,
      ...["pdb", "--field-selector=metadata.name=quarter", "-o", 'jsonpath={.status.disruptionsAllowed}{"\\n"}'],
    );
    await waitFor("the watch", () => watched.lines.length > 0);
    expect((await evict(pod!)).code).toBe(0);
    await waitFor("one less, until there is another", () => /^2( 2)* 1/.test(watched.texts.join(" ")));
    watched.stop();
    const evicted = await kubectl.json<Pod>("get", "pod", pod!.metadata.name);
    expect(evicted.metadata).toMatchObject({ deletionGracePeriodSeconds: 30, deletionTimestamp: expect.any(String) });
    expect(evicted.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: "DisruptionTarget",
        status: "True",
        reason: "EvictionByEvictionAPI",
        message: "Eviction API: evicting",
      }),
    );
  });

  it("expects what the owner wants; with a number to be available, the pods that are there (PDB-03)", async () => {
    await kubectl.apply(
      all(
        replicated("StatefulSet", "expected", { replicas: 4, played: "runs" }), // which waits for the first
        budget("half", { minAvailable: "50%" }, "expected"),
        budget("one", { minAvailable: 1 }, "expected"),
        budget("many", { maxUnavailable: 1 }, "expected"),
      ),
    );
    await running("expected", 1);
    await settles("half", "expected 4, healthy 0 of 2, allowed 0");
    await settles("one", "expected 1, healthy 0 of 1, allowed 0");
    await settles("many", "expected 4, healthy 0 of 3, allowed 0");
    await kubectl.run("scale", "statefulset/expected", "--replicas=6");
    await settles("half", "expected 6, healthy 0 of 3, allowed 0");
    await settles("one", "expected 1, healthy 0 of 1, allowed 0");
  });

  it("lets a pod go that does not run yet (PDB-04)", async () => {
    await kubectl.apply(
      all(
        replicated("ReplicaSet", "pending", { replicas: 1, played: "waits" }),
        budget("pending", { minAvailable: 1 }),
      ),
    );
    const [pod] = await waitFor("its pod", async () => {
      const pods = await podsOf("pending");
      return pods.length > 0 && pods;
    });
    await settles("pending", "expected 1, healthy 0 of 1, allowed 0");
    expect((await evict(pod!)).code).toBe(0);
    await kubectl.run("wait", `pod/${pod!.metadata.name}`, "--for=delete", "--timeout=60s");
  });

  it("lets a pod that is not ready go as its policy tells (PDB-05)", async () => {
    await kubectl.apply(
      all(replicated("ReplicaSet", "broken", { replicas: 2, played: "runs" }), budget("broken", { minAvailable: 1 })),
    );
    const [pod, other] = await running("broken", 2);
    await settles("broken", "expected 2, healthy 0 of 1, allowed 0");
    expect(await evict(pod!)).toEqual({ code: 1, stdout: "", stderr: REFUSED });
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: new Date().toISOString() }];
    await kubectl.run(
      ...[
        "patch",
        "pod",
        other!.metadata.name,
        "--subresource=status",
        "-p",
        JSON.stringify({ status: { conditions } }),
      ],
    );
    await settles("broken", "expected 2, healthy 1 of 1, allowed 0");
    expect((await evict(pod!)).code).toBe(0); // the healthy ones are as many as they should be
    await kubectl.run("patch", "pdb", "broken", "-p", '{"spec":{"minAvailable":2}}');
    await settles("broken", "expected 2, healthy 1 of 2, allowed 0");
    const [next] = (await running("broken", 2)).filter(({ metadata }) => metadata.name !== other!.metadata.name);
    expect(await evict(next!)).toEqual({ code: 1, stdout: "", stderr: REFUSED });
    await kubectl.run("patch", "pdb", "broken", "-p", '{"spec":{"unhealthyPodEvictionPolicy":"AlwaysAllow"}}');
    expect((await evict(next!)).code).toBe(0);
  });
}
