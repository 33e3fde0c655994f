import { afterAll, beforeAll, expect, it } from "vitest";
import { Workspace } from "../clients/workspace.ts";
import type { Kubectl } from "../harness/kubectl.ts";
import type { OwnCluster } from "../harness/own-cluster.ts";
import { waitFor } from "../harness/wait-for.ts";
import { Watched } from "../harness/watched.ts";
import { manifest } from "./manifests.ts";

const nats = (rollingUpdate: object) =>
  manifest("apps/v1", "StatefulSet", "nats", {
    serviceName: "nats",
    replicas: 3,
    updateStrategy: { type: "RollingUpdate", rollingUpdate },
    selector: { matchLabels: { app: "nats" } },
    template: { metadata: { labels: { app: "nats" } }, spec: { containers: [{ name: "nats", image: "nats:2.10" }] } },
  });

/** StatefulSets whose pods start at once. */
export function describeStatefulSets(cluster: () => OwnCluster): void {
  let work: Workspace;
  let kubectl: Kubectl;

  beforeAll(async () => {
    work = await Workspace.create(cluster(), "statefulsets");
    kubectl = work.kubectl;
  });
  afterAll(() => work?.remove());

  /** Kubernetes 1.36 has the gate MaxUnavailableStatefulSet off and drops the field; the row tells of 1.37. */
  it("is updated one by one, whatever maxUnavailable is given in 1.36 (STS-04)", async () => {
    await kubectl.apply(nats({ maxUnavailable: 2 }));
    const strategy = await kubectl.run(
      "get",
      "statefulset/nats",
      "-o",
      "jsonpath={.spec.updateStrategy.rollingUpdate}",
    );
    expect(strategy).toBe('{"partition":0}');
    await kubectl.run("rollout", "status", "statefulset/nats", "--timeout=60s");
    const watched = new Watched(kubectl, "pods", "-l", "app=nats", "--no-headers");
    await waitFor("the watch", () => watched.lines.length === 3);
    await kubectl.run("set", "image", "statefulset/nats", "nats=nats:2.11");
    expect(await kubectl.run("rollout", "status", "statefulset/nats", "--timeout=60s")).toMatch(
      /(^|\n)partitioned roll out complete: 3 new pods have been updated\.\.\.\n$/,
    );
    watched.stop();
    const rows = watched.texts.slice(3).map((text) => text.split(/ +/));
    expect(
      rows
        .filter(([, , status]) => status === "Pending")
        .map(([name]) => name)
        .filter((name, n, all) => all.indexOf(name) === n),
    ).toEqual(["nats-2", "nats-1", "nats-0"]);
    const ready = new Set(["nats-0", "nats-1", "nats-2"]);
    for (const [name = "", count, status] of rows) {
      if (count === "1/1" && status === "Running") ready.add(name);
      else ready.delete(name);
      expect(ready.size).toBeGreaterThanOrEqual(2);
    }
  });
}
