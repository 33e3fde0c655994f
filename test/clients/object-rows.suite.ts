import { afterAll, beforeAll, expect, it } from "vitest";
import type { KubeObject } from "../../shared/api/object.ts";
import type { Pod } from "../../shared/api/types.ts";
import type { Kubectl } from "../harness/kubectl.ts";
import type { OwnCluster } from "../harness/own-cluster.ts";
import { waitFor } from "../harness/wait-for.ts";
import { configMap, Workspace, webDeployment } from "./workspace.ts";

const SECRET_LIMIT_BYTES = 1024 * 1024;

/** What the API promises of every object, seen through kubectl. */
export function describeObjects(cluster: () => OwnCluster): void {
  let work: Workspace;
  let kubectl: Kubectl;

  beforeAll(async () => {
    work = await Workspace.create(cluster(), "objects");
    kubectl = work.kubectl;
  });
  afterAll(() => work?.remove());

  const raw = async <T = KubeObject>(path: string) => JSON.parse(await kubectl.run("get", "--raw", path)) as T;

  it("who may not create is told so before an invalid object is looked at (API-01)", async () => {
    const invalid = webDeployment({ replicas: -1 });
    const asNobody = await kubectl.finish(["create", "--as=nobody", "--validate=false", "-f", "-"], invalid);
    expect(asNobody.stderr).toContain(
      'deployments.apps is forbidden: User "nobody" cannot create resource "deployments"',
    );
    const asAdmin = await kubectl.finish(["create", "--validate=false", "-f", "-"], invalid);
    expect(asAdmin.stderr).toContain("spec.replicas: Invalid value: -1");
  });

  it("an object has its parts, and its status follows the spec (API-02, API-12)", async () => {
    await kubectl.apply(webDeployment({ replicas: 2 }));
    const created = await kubectl.json<KubeObject>("get", "deployment", "web");
    expect(Object.keys(created)).toEqual(["apiVersion", "kind", "metadata", "spec", "status"]);
    expect(created.metadata).toMatchObject({
      generation: 1,
      uid: expect.any(String),
      creationTimestamp: expect.any(String),
    });
    await kubectl.run("scale", "deployment", "web", "--replicas=3");
    const scaled = await waitFor("the status", async () => {
      const now = await kubectl.json<KubeObject>("get", "deployment", "web");
      return (now["status"] as { replicas?: number }).replicas === 3 && now;
    });
    expect(scaled.metadata).toMatchObject({ generation: 2, uid: created.metadata.uid });
    expect(scaled["status"]).toMatchObject({ observedGeneration: 2 });
    await kubectl.run("label", "deployment", "web", "note=x");
    expect((await kubectl.json<KubeObject>("get", "deployment", "web")).metadata.generation).toBe(2);
  });

  it("a new pod is a record; a binding gives it its node (API-03, API-04)", async () => {
    const created = await kubectl.finish(["run", "test", "--image=nginx:1.29", "-v=8"]);
    expect(created.stdout).toBe("pod/test created\n");
    expect(created.stderr).toMatch(/verb="POST" url=".*\/api\/v1\/namespaces\/objects\/pods[?"]/);
    expect(created.stderr).toMatch(/201 Created/);
    const pod = await kubectl.json<Pod>("get", "pod", "test");
    expect({ node: pod.spec.nodeName, phase: pod.status?.phase }).toEqual({ node: undefined, phase: "Pending" });
    const binding = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: "test" },
      target: { kind: "Node", name: "n1" },
    };
    const file = work.write("binding.json", JSON.stringify(binding));
    await kubectl.run("create", "--raw", "/api/v1/namespaces/objects/pods/test/binding", "-f", file);
    expect(await kubectl.run("get", "pod", "test", "-o", "jsonpath={.spec.nodeName}")).toBe("n1");
    const scheduled = "jsonpath={.status.conditions[?(@.type=='PodScheduled')].status}";
    expect(await kubectl.run("get", "pod", "test", "-o", scheduled)).toBe("True");
  });

  it("each write has a version of its own, which is the store's revision (API-13, STO-03)", async () => {
    await kubectl.apply(`${configMap("one")}---\n${configMap("two")}`);
    const path = "/api/v1/namespaces/objects/configmaps";
    const [one, two] = [await raw(`${path}/one`), await raw(`${path}/two`)];
    expect(Number(two.metadata.resourceVersion)).toBeGreaterThan(Number(one.metadata.resourceVersion));
    await kubectl.run("annotate", "configmap", "one", "note=x");
    const again = await raw(`${path}/one`);
    expect(Number(again.metadata.resourceVersion)).toBeGreaterThan(Number(two.metadata.resourceVersion));
    const list = await raw<KubeObject>(`${path}?limit=1`);
    expect(Number(list.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(again.metadata.resourceVersion));
  });

  it("a list tells from where to watch, and the watch brings what came since (STO-08, STO-09)", async () => {
    const path = "/api/v1/namespaces/objects/configmaps";
    const { metadata } = await raw<KubeObject>(path);
    await kubectl.apply(configMap("later"));
    await kubectl.run("delete", "configmap", "later");
    const query = `watch=1&timeoutSeconds=1&resourceVersion=${metadata.resourceVersion}&fieldSelector=metadata.name%3Dlater`;
    const events = (await kubectl.run("get", "--raw", `${path}?${query}`)).trim().split("\n");
    expect(events.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(["ADDED", "DELETED"]);
  });

  it("pods are watched by the node that they are on (STO-10)", async () => {
    await kubectl.run("run", "lonely", "--image=nginx:1.29", "-l", "set=placing");
    const overrides = '--overrides={"spec":{"nodeName":"n7"}}';
    await kubectl.run("run", "placed", "--image=nginx:1.29", "-l", "set=placing", overrides);
    for (const [selector, name] of [
      ["spec.nodeName=", "lonely"],
      ["spec.nodeName=n7", "placed"],
    ]) {
      const names = await kubectl.run("get", "pods", "-l", "set=placing", `--field-selector=${selector}`, "-o", "name");
      expect(names).toBe(`pod/${name}\n`);
    }
  });

  it("a Secret holds up to 1 MiB (STO-11)", async () => {
    const literal = (name: string, bytes: number) =>
      kubectl.finish(["create", "secret", "generic", name, `--from-file=k=${work.write(name, "x".repeat(bytes))}`]);
    expect(await literal("fits", SECRET_LIMIT_BYTES)).toMatchObject({ code: 0, stdout: "secret/fits created\n" });
    const refused = await literal("over", SECRET_LIMIT_BYTES + 1);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('Secret "over" is invalid: data: Too long: may not be more than 1048576 bytes');
  });

  it("lists of several kinds, wide and sorted by a field of the status (CMD-01)", async () => {
    await kubectl.apply(webDeployment({ replicas: 2 }));
    const several = await kubectl.run("get", "deploy,rs,endpointslices", "-l", "app=web", "-o", "name");
    expect(several).toMatch(/^replicaset.apps\/web-/m);
    const wide = await kubectl.run("get", "pods", "-l", "app=web", "-o", "wide");
    expect(wide.split("\n")[0]).toMatch(
      /^NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +NOMINATED NODE +READINESS GATES$/,
    );
    const [first, second] = (await kubectl.run("get", "pods", "-l", "app=web", "-o", "name")).trim().split("\n");
    for (const [pod, restartCount] of [
      [first!, 5],
      [second!, 1],
    ] as const) {
      const status = {
        containerStatuses: [{ name: "nginx", image: "i", imageID: "", ready: false, restartCount, state: {} }],
      };
      await kubectl.run("patch", pod, "--subresource=status", "--type=merge", "-p", JSON.stringify({ status }));
    }
    const sorted = await kubectl.run(
      "get",
      "pods",
      "-l",
      "app=web",
      "--sort-by=.status.containerStatuses[0].restartCount",
      "-o",
      "name",
    );
    expect(sorted.trim().split("\n").slice(-2)).toEqual([second, first]);
  });
}
