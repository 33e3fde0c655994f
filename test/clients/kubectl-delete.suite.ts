import { afterAll, beforeAll, expect, it } from "vitest";
import type { Kubectl } from "../harness/kubectl.ts";
import type { OwnCluster } from "../harness/own-cluster.ts";
import { waitFor } from "../harness/wait-for.ts";
import { configMap, Workspace, webDeployment } from "./workspace.ts";

/** `delete` with every cascade, by every selection. */
export function describeDelete(cluster: () => OwnCluster): void {
  let work: Workspace;
  let kubectl: Kubectl;

  beforeAll(async () => {
    work = await Workspace.create(cluster(), "deletes");
    kubectl = work.kubectl;
  });
  afterAll(() => work?.remove());

  const names = (kinds: string) => kubectl.run("get", kinds, "-l", "app=web", "-o", "name");
  const gone = (kinds: string) => waitFor(`no ${kinds}`, async () => (await names(kinds)) === "");

  async function startWeb(): Promise<void> {
    await kubectl.apply(webDeployment({ replicas: 2 }));
    await waitFor("two pods", async () => (await names("pods")).match(/^pod/gm)?.length === 2);
  }

  it("--cascade=orphan leaves the dependents, without an owner", async () => {
    await startWeb();
    expect(await kubectl.run("delete", "deployment", "web", "--cascade=orphan")).toBe(
      'deployment.apps "web" deleted from deletes namespace\n',
    );
    expect(await names("replicasets,pods")).toMatch(/^replicaset\.apps\/web-\w+\n(pod\/web-\w+-\w+\n){2}$/);
    const owners = ["get", "replicasets", "-l", "app=web", "-o", "jsonpath={.items[*].metadata.ownerReferences}"];
    expect(await kubectl.run(...owners)).toBe("");
  });

  it("--cascade=foreground waits for the dependents", async () => {
    expect(await kubectl.run("delete", "replicasets", "-l", "app=web", "--cascade=foreground")).toMatch(
      /^replicaset\.apps "web-\w+" deleted from deletes namespace\n$/,
    );
    expect(await names("replicasets,pods")).toBe("");
  });

  it("--cascade=background, from a file: the dependents follow", async () => {
    await startWeb();
    const file = work.write("web.yaml", webDeployment());
    expect(await kubectl.run("delete", "-f", file, "--cascade=background")).toBe(
      'deployment.apps "web" deleted from deletes namespace\n',
    );
    await gone("replicasets,pods");
    expect((await kubectl.finish(["delete", "-f", file])).stderr).toBe(
      `Error from server (NotFound): error when deleting "${file}": deployments.apps "web" not found\n`,
    );
  });

  it("--force --grace-period=0 of a pod", async () => {
    await kubectl.run("run", "test", "--image=nginx:1.29");
    expect(await kubectl.run("delete", "pod", "test", "--dry-run=server")).toBe(
      'pod "test" deleted from deletes namespace (server dry run)\n',
    );
    const { code, stdout, stderr } = await kubectl.finish(["delete", "pod", "test", "--force", "--grace-period=0"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'pod "test" force deleted from deletes namespace\n' });
    expect(stderr).toContain("Warning: Immediate deletion does not wait for confirmation");
    expect(await kubectl.run("get", "pods", "-o", "name")).toBe("");
  });

  it("by label, by field and all of a kind", async () => {
    const labelled = (name: string) => configMap(name).replace("}", ", labels: {set: some}}");
    await kubectl.apply([labelled("a"), labelled("b"), configMap("c"), configMap("d")].join("---\n"));
    const deleted = (...of: string[]) =>
      of.map((name) => `configmap "${name}" deleted from deletes namespace\n`).join("");
    expect(await kubectl.run("delete", "configmaps", "-l", "set=some")).toBe(deleted("a", "b"));
    expect(await kubectl.run("delete", "configmaps", "--field-selector=metadata.name=c")).toBe(deleted("c"));
    expect(await kubectl.run("delete", "configmaps", "--all")).toBe(deleted("d", "kube-root-ca.crt"));
    expect(await kubectl.finish(["delete", "configmaps", "-l", "set=some"])).toEqual({
      code: 0,
      stdout: "No resources found\n",
      stderr: "",
    });
  });

  it("waits for finalizers, unless told not to", async () => {
    await kubectl.apply(configMap("held").replace("}", ", finalizers: [example.com/hold]}"));
    const { code, stdout, stderr } = await kubectl.finish(["delete", "configmap", "held", "--timeout=1s"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'configmap "held" deleted from deletes namespace\n' });
    expect(stderr).toContain("error: timed out waiting for the condition on configmaps/held\n");
    expect(await kubectl.run("delete", "configmap", "held", "--wait=false")).toContain('configmap "held" deleted');
    const deletion = ["get", "configmap", "held", "-o", "jsonpath={.metadata.deletionTimestamp}"];
    expect(await kubectl.run(...deletion)).toMatch(/^\d{4}-.*Z$/);
    await kubectl.run(
      "patch",
      "configmap",
      "held",
      "--type=json",
      "-p",
      '[{"op":"remove","path":"/metadata/finalizers"}]',
    );
    expect((await kubectl.finish(["get", "configmap", "held"])).stderr).toContain("NotFound");
  });

  it.each([
    {
      args: ["deployment", "nothing"],
      want: { code: 1, stdout: "", stderr: 'Error from server (NotFound): deployments.apps "nothing" not found\n' },
    },
    { args: ["deployment", "nothing", "--ignore-not-found"], want: { code: 0, stdout: "", stderr: "" } },
    {
      args: ["namespace", "default"],
      want: {
        code: 1,
        stdout: "",
        stderr: 'Error from server (Forbidden): namespaces "default" is forbidden: this namespace may not be deleted\n',
      },
    },
    {
      args: ["configmap"],
      want: { code: 1, stdout: "", stderr: "error: resource(s) were provided, but no name was specified\n" },
    },
  ])("$args", async ({ args, want }) => expect(await kubectl.finish(["delete", ...args])).toEqual(want));
}
