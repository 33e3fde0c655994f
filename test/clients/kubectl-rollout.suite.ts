import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Kubectl } from "../harness/kubectl.ts";
import type { OwnCluster } from "../harness/own-cluster.ts";
import { waitFor } from "../harness/wait-for.ts";
import { configMap, Workspace, webDeployment } from "./workspace.ts";

/** `rollout` and `wait`, on Deployments of no pods (which succeed without a node) and of pods that stay pending. */
export function describeRollout(cluster: () => OwnCluster): void {
  let work: Workspace;
  let kubectl: Kubectl;

  beforeAll(async () => {
    work = await Workspace.create(cluster(), "rollouts");
    kubectl = work.kubectl;
    await kubectl.run("create", "-f", work.write("web.yaml", webDeployment({ replicas: 0 })));
    await kubectl.run("annotate", "deployment/web", "kubernetes.io/change-cause=first");
    await kubectl.run("rollout", "status", "deployment/web", "--timeout=60s");
  });
  afterAll(() => work?.remove());

  const rollout = (command: string, ...args: string[]) =>
    kubectl.finish(["rollout", command, "deployment/web", ...args]);

  it("status: done, or out of time (CMD-05)", async () => {
    expect((await rollout("status")).stdout).toBe('deployment "web" successfully rolled out\n');
    await kubectl.run("scale", "deployment/web", "--replicas=1");
    const { code, stdout, stderr } = await rollout("status", "--timeout=1s");
    expect({ code, stderr }).toEqual({ code: 1, stderr: "error: timed out waiting for the condition\n" });
    expect(stdout).toContain(
      'Waiting for deployment "web" rollout to finish: 0 of 1 updated replicas are available...\n',
    );
    await kubectl.run("scale", "deployment/web", "--replicas=0");
    expect((await rollout("status", "--timeout=60s")).code).toBe(0);
  });

  it("history with change causes, then one revision of it", async () => {
    await kubectl.run("set", "image", "deployment/web", "nginx=nginx:1.30");
    await kubectl.run("annotate", "--overwrite", "deployment/web", "kubernetes.io/change-cause=second");
    const history = await waitFor("the second cause", async () => {
      const { stdout } = await rollout("history");
      return stdout.includes("second") && stdout;
    });
    expect(history).toBe("deployment.apps/web \nREVISION  CHANGE-CAUSE\n1         first\n2         second\n\n");
    const { stdout } = await rollout("history", "--revision=2");
    expect(stdout).toMatch(
      /^deployment\.apps\/web with revision #2\nPod Template:\n {2}Labels:\tapp=web\n\tpod-template-hash=/,
    );
    expect(stdout).toMatch(/^ {4}Image:\tnginx:1\.30$/m);
  });

  it("pause, restart, undo and resume refuse one another", async () => {
    expect((await rollout("pause")).stdout).toBe("deployment.apps/web paused\n");
    expect((await rollout("pause")).stderr).toBe('error: deployments.apps "web" is already paused\n');
    expect((await rollout("restart")).stderr).toBe(
      'error: deployments.apps "web" can\'t restart paused deployment (run rollout resume first)\n',
    );
    expect((await rollout("undo")).stderr).toBe(
      "error: you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again\n",
    );
    expect((await rollout("resume")).stdout).toBe("deployment.apps/web resumed\n");
    expect((await rollout("resume")).stderr).toBe('error: deployments.apps "web" is not paused\n');
  });

  it("undo, by revision, and of what there never was", async () => {
    expect((await rollout("undo", "--dry-run=server")).stdout).toBe(
      "deployment.apps/web rolled back (server dry run)\n",
    );
    expect((await rollout("undo", "--to-revision=1")).stdout).toBe("deployment.apps/web rolled back\n");
    const image = ["get", "deployment/web", "-o", "jsonpath={.spec.template.spec.containers[0].image}"];
    expect(await kubectl.run(...image)).toBe("nginx:1.29");
    expect((await rollout("undo", "--to-revision=99")).stderr).toBe(
      "error: unable to find specified revision 99 in history\n",
    );
  });

  it("restart makes a new revision", async () => {
    expect((await rollout("restart")).stdout).toBe("deployment.apps/web restarted\n");
    expect((await rollout("status", "--timeout=60s")).code).toBe(0);
    expect((await rollout("history")).stdout).toMatch(/^4 +first$/m);
  });

  describe("wait", () => {
    it.each([
      {
        args: ["deployment/web", "--for=condition=Available", "--timeout=30s"],
        output: "deployment.apps/web condition met\n",
      },
      {
        args: ["deployment/web", "--for=condition=Nothing", "--timeout=1s"],
        error: "error: timed out waiting for the condition on deployments/web\n",
      },
      {
        args: ["deployment/web", "--for=jsonpath={.spec.replicas}=0", "--timeout=30s"],
        output: "deployment.apps/web condition met\n",
      },
      { args: ["deployment/web", "--for=create", "--timeout=30s"], output: "deployment.apps/web condition met\n" },
      { args: ["pod/nothing", "--for=delete", "--timeout=30s"], output: "" },
      {
        args: ["pod/nothing", "--for=condition=Ready", "--timeout=1s"],
        error: 'Error from server (NotFound): pods "nothing" not found\n',
      },
    ])("$args", async ({ args, output, error }) => {
      const finished = await kubectl.finish(["wait", ...args]);
      expect(finished).toEqual({ code: error ? 1 : 0, stdout: output ?? "", stderr: error ?? "" });
    });

    it("for a change that comes, and for a deletion", async () => {
      await kubectl.apply(configMap("awaited"));
      const changed = kubectl.run("wait", "configmap/awaited", "--for=jsonpath={.data.k}=v", "--timeout=60s");
      await kubectl.run("patch", "configmap/awaited", "--type=merge", "-p", '{"data":{"k":"v"}}');
      expect(await changed).toBe("configmap/awaited condition met\n");
      const deleted = kubectl.run("wait", "configmap/awaited", "--for=delete", "--timeout=60s");
      await kubectl.run("delete", "configmap/awaited");
      await deleted;
      const created = kubectl.run("wait", "configmap/awaited", "--for=create", "--timeout=60s");
      await kubectl.apply(configMap("awaited"));
      expect(await created).toBe("configmap/awaited condition met\n");
    });
  });
}
