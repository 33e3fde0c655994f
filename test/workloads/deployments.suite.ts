import { afterAll, beforeAll, expect, it } from "vitest";
import type { Pod } from "../../shared/api/types.ts";
import { Workspace } from "../clients/workspace.ts";
import type { Kubectl } from "../harness/kubectl.ts";
import type { OwnCluster } from "../harness/own-cluster.ts";
import { waitFor } from "../harness/wait-for.ts";
import { Watched } from "../harness/watched.ts";
import { type Manifest, manifest } from "./manifests.ts";

const deployment = (name: string, spec: Manifest = {}) =>
  manifest("apps/v1", "Deployment", name, {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "main", image: "app:1" }] } },
    ...spec,
  });
const rolling = (rollingUpdate: Manifest) => ({ strategy: { type: "RollingUpdate", rollingUpdate } });

/** Rollouts of Deployments, whose pods start at once. */
export function describeDeployments(cluster: () => OwnCluster): void {
  let work: Workspace;
  let kubectl: Kubectl;

  beforeAll(async () => {
    work = await Workspace.create(cluster(), "deployments");
    kubectl = work.kubectl;
  });
  afterAll(() => work?.remove());

  const rolledOut = (name: string) => kubectl.run("rollout", "status", `deployment/${name}`, "--timeout=120s");
  const podNames = async (app: string, ...args: string[]) =>
    (await kubectl.run("get", "pods", "-l", `app=${app}`, "-o", "name", ...args)).trim().split("\n").filter(Boolean);

  it("a slow rollout: available after minReadySeconds, never too few, and in time as long as it goes on (DEP-18, DEP-19, DEP-29)", async () => {
    const lagSeconds = 3;
    const progressDeadlineSeconds = 12;
    expect(
      await kubectl.apply(deployment("plain"), "--dry-run=server", "-o", "jsonpath={.spec.progressDeadlineSeconds}"),
    ).toBe("600");
    const watched = new Watched(
      kubectl,
      ...["deployments", "--field-selector=metadata.name=slow", "-o"],
      'jsonpath={.status.readyReplicas}/{.status.availableReplicas} {.status.conditions[?(@.type=="Progressing")].reason}{"\\n"}',
    );
    const spec = { replicas: 10, minReadySeconds: lagSeconds, progressDeadlineSeconds };
    await kubectl.apply(deployment("slow", { ...spec, ...rolling({ maxSurge: 2, maxUnavailable: 0 }) }));
    await rolledOut("slow");
    const available = await waitFor("the watch to tell", () =>
      watched.lines.find(({ text }) => text.startsWith("10/10 ")),
    );
    const becameReady = (await kubectl.json<{ items: Pod[] }>("get", "pods", "-l", "app=slow")).items.map(
      ({ status }) => Date.parse(status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime ?? ""),
    );
    expect(available.atMs - Math.max(...becameReady)).toBeGreaterThanOrEqual(lagSeconds * 1000);

    const startedMs = Date.now();
    const isTold = () => watched.texts.at(-1) === "10/10 NewReplicaSetAvailable";
    await waitFor("the watch to tell of the first rollout's end", isTold);
    const first = watched.lines.length;
    await kubectl.run("set", "image", "deployment/slow", "main=app:2");
    await rolledOut("slow");
    expect(Date.now() - startedMs).toBeGreaterThan(progressDeadlineSeconds * 1000);
    const during = watched.texts.slice(first).map((text) => text.split(/[/ ]/));
    watched.stop();
    expect(during.length).toBeGreaterThan(5);
    expect(during.filter(([, available]) => Number(available) < 10)).toEqual([]);
    const reasons = new Set(during.map(([, , reason]) => reason));
    expect([reasons.has("ReplicaSetUpdated"), reasons.has("ProgressDeadlineExceeded")]).toEqual([true, false]);
    expect(await kubectl.run("get", "deployment/slow", "--no-headers")).toMatch(/^slow +10\/10 +10 +10 +\S+\n$/);
  });

  it("the first revision, and nothing to go back to (DEP-02, DEP-04, DEP-06, DEP-11, DEP-12)", async () => {
    await kubectl.finish(["create", "-f", "-"], deployment("coredns", { replicas: 2 })); // of what was applied, undo warns
    expect(await rolledOut("coredns")).toMatch(/deployment "coredns" successfully rolled out\n$/);
    const table = await kubectl.run("get", "rs", "-l", "app=coredns", "-L", "pod-template-hash");
    const [, hash] = /\ncoredns-(\S+) /.exec(table) ?? [];
    expect(table).toMatch(/^NAME +DESIRED +CURRENT +READY +AGE +POD-TEMPLATE-HASH\n/);
    expect(table).toMatch(new RegExp(`\\ncoredns-${hash} +2 +2 +2 +\\S+ +${hash}\\n$`));
    const yaml = await kubectl.run("get", "rs", `coredns-${hash}`, "-o", "yaml");
    expect(yaml).toContain(`  annotations:
    deployment.kubernetes.io/desired-replicas: "2"
    deployment.kubernetes.io/max-replicas: "3"
    deployment.kubernetes.io/revision: "1"
  creationTimestamp: "`);
    expect(await kubectl.run("rollout", "history", "deployment/coredns")).toBe(
      "deployment.apps/coredns \nREVISION  CHANGE-CAUSE\n1         <none>\n\n",
    );
    expect(await kubectl.finish(["rollout", "undo", "deployment/coredns", "--dry-run=server"])).toEqual({
      code: 1,
      stdout: "",
      stderr: 'error: no rollout history found for deployment "coredns"\n',
    });
    expect(await kubectl.run("rollout", "undo", "deployment/coredns", "--to-revision=1", "--dry-run=server")).toBe(
      "deployment.apps/coredns skipped rollback (current template already matches revision 1) (server dry run)\n",
    );
  });

  it("fences that both round to zero let one pod go; two zeros are refused (DEP-15)", async () => {
    const zeros = deployment("zeros", { replicas: 2, ...rolling({ maxSurge: 0, maxUnavailable: 0 }) });
    expect((await kubectl.finish(["apply", "--dry-run=server", "-f", "-"], zeros)).stderr).toBe(
      'The Deployment "zeros" is invalid: spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0\n',
    );
    const fences = rolling({ maxSurge: 0, maxUnavailable: "25%" });
    await kubectl.apply(deployment("fenced", { replicas: 2, ...fences }));
    await rolledOut("fenced");
    const watched = new Watched(
      kubectl,
      ...["deployments", "--field-selector=metadata.name=fenced", "-o"],
      'jsonpath={.status.replicas} {.status.availableReplicas}{"\\n"}',
    );
    await waitFor("the watch", () => watched.lines.length > 0);
    await kubectl.run("set", "image", "deployment/fenced", "main=app:2");
    await rolledOut("fenced");
    watched.stop();
    const counts = watched.texts.map((text) => text.split(" ").map(Number));
    expect(counts.filter(([all = 0, available = 0]) => all > 2 || available < 1)).toEqual([]);
    expect(await kubectl.run("describe", "deployment/fenced")).toMatch(
      /^RollingUpdateStrategy: +25% max unavailable, 0 max surge$/m,
    );
  });

  it("a broken old pod goes first, and what is not available yet is no margin (DEP-17)", async () => {
    await kubectl.apply(deployment("mended", { replicas: 3, ...rolling({ maxSurge: 1, maxUnavailable: 1 }) }));
    await rolledOut("mended");
    const old = await podNames("mended");
    const [broken = "", ...sound] = old;
    const conditions = [{ type: "Ready", status: "False", lastTransitionTime: new Date().toISOString() }];
    await kubectl.run(...["patch", broken, "--subresource=status", "-p", JSON.stringify({ status: { conditions } })]);
    await kubectl.run("wait", "deployment/mended", "--for=jsonpath={.status.availableReplicas}=2", "--timeout=60s");
    const template = { metadata: { annotations: { "played-node/pod": "runs" } } };
    await kubectl.run("patch", "deployment/mended", "-p", JSON.stringify({ spec: { template } }));
    await kubectl.run("wait", "deployment/mended", "--for=jsonpath={.status.updatedReplicas}=2", "--timeout=60s");
    await waitFor("as many as there may be", async () => (await podNames("mended")).length === 4);
    expect((await podNames("mended")).filter((name) => old.includes(name))).toEqual(sound);
    const rs = await kubectl.run("get", "rs", "-l", "app=mended", "-o", "jsonpath={.items[*].spec.replicas}");
    expect(rs.split(" ")).toEqual(["2", "2"]);
    const { stdout, stderr } = await kubectl.finish(["rollout", "status", "deployment/mended", "--timeout=10s"]);
    expect([stdout, stderr]).toEqual([
      'Waiting for deployment "mended" rollout to finish: 2 out of 3 new replicas have been updated...\n',
      "error: timed out waiting for the condition\n",
    ]);
  });
}
