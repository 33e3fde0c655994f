import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Kubectl } from "../harness/kubectl.ts";
import type { OwnCluster } from "../harness/own-cluster.ts";
import { waitFor } from "../harness/wait-for.ts";
import { configMap, Workspace, webDeployment } from "./workspace.ts";

const PATCHED_DNS = `apiVersion: apps/v1
kind: Deployment
metadata: {name: coredns}
spec:
  minReadySeconds: 10
  strategy: {rollingUpdate: {maxUnavailable: 0}}
`;

const DNS = `apiVersion: apps/v1
kind: Deployment
metadata: {name: coredns}
spec:
  replicas: 0
  selector: {matchLabels: {k8s-app: kube-dns}}
  strategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}}
  template:
    metadata: {labels: {k8s-app: kube-dns}}
    spec: {containers: [{name: coredns, image: "coredns:1"}]}
`;

const changedLines = (diff: string) => diff.split("\n").filter((line) => /^[-+] /.test(line));

/** `apply` of both kinds, `diff`, `replace` and `edit`. */
export function describeApply(cluster: () => OwnCluster): void {
  let work: Workspace;
  let kubectl: Kubectl;

  beforeAll(async () => {
    work = await Workspace.create(cluster(), "applies");
    kubectl = work.kubectl;
  });
  afterAll(() => work?.remove());

  describe("apply", () => {
    it("of a directory: everything in it, in order; what left it stays without --prune (API-30, API-31)", async () => {
      const deployment = work.write("dir/web.yaml", webDeployment({ replicas: 0 }));
      const directory = deployment.replace("/web.yaml", "");
      work.write("dir/cm.yaml", `${configMap("one", "data: {a: b}")}---\n${configMap("two")}`);
      const all = (word: string) => `configmap/one ${word}\nconfigmap/two ${word}\ndeployment.apps/web ${word}\n`;
      expect(await kubectl.run("apply", "-f", directory)).toBe(all("created"));
      expect(await kubectl.run("apply", "-f", directory)).toBe(all("unchanged"));
      work.write("dir/cm.yaml", configMap("one", "data: {a: c}"));
      expect(await kubectl.run("apply", "-f", directory)).toBe(
        "configmap/one configured\ndeployment.apps/web unchanged\n",
      );
      expect(await kubectl.run("get", "configmap", "one", "two", "-o", "name")).toBe("configmap/one\nconfigmap/two\n");
    });

    it("-k: names, labels and generated ConfigMaps of a kustomization (CMD-14)", async () => {
      work.write("kustomize/cm.yaml", configMap("plain"));
      const file = work.write(
        "kustomize/kustomization.yaml",
        "namePrefix: shop-\nlabels:\n- pairs: {team: shop}\nresources: [cm.yaml]\n" +
          "configMapGenerator:\n- name: settings\n  literals: [a=b]\n",
      );
      const directory = file.replace("/kustomization.yaml", "");
      expect(await kubectl.run("apply", "-k", directory)).toBe(
        "configmap/shop-plain created\nconfigmap/shop-settings-4h2mbtbbt6 created\n",
      );
      expect(await kubectl.run("diff", "-k", directory)).toBe("");
      expect(await kubectl.run("get", "configmaps", "-l", "team=shop", "-o", "name")).toBe(
        "configmap/shop-plain\nconfigmap/shop-settings-4h2mbtbbt6\n",
      );
      expect(await kubectl.run("delete", "-k", directory)).toContain('configmap "shop-plain" deleted');
    });

    it("--prune with a selector deletes what the files no longer hold", async () => {
      const pruned = (name: string) => configMap(name).replace("}", ", labels: {set: pruned}}");
      await kubectl.apply(pruned("before"));
      const output = await kubectl.apply(pruned("after"), "--prune", "-l", "set=pruned");
      expect(output).toBe("configmap/after created\nconfigmap/before pruned\n");
    });

    it("takes over what was created without it, and says so", async () => {
      await kubectl.run("create", "configmap", "imperative", "--from-literal=a=b");
      const { code, stdout, stderr } = await kubectl.finish(
        ["apply", "-f", "-"],
        configMap("imperative", "data: {a: c}"),
      );
      expect({ code, stdout }).toEqual({ code: 0, stdout: "configmap/imperative configured\n" });
      expect(stderr).toContain("is missing the kubectl.kubernetes.io/last-applied-configuration annotation");
      expect(await kubectl.run("apply", "view-last-applied", "configmap/imperative")).toContain("a: c");
    });

    it.each([
      {
        name: "an unknown field is refused",
        manifest: configMap("invalid", "datas: {a: b}"),
        error:
          'Error from server (BadRequest): error when creating "STDIN": ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "datas"\n',
      },
      {
        name: "a wrong type is refused",
        manifest: configMap("invalid", "data: {a: 1}"),
        error:
          'Error from server (BadRequest): error when creating "STDIN": ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string\n',
      },
      {
        name: "an invalid value is refused (API-09)",
        manifest: webDeployment({ replicas: -1 }).replaceAll("name: web", "name: invalid"),
        error:
          'The Deployment "invalid" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0\n',
      },
    ])("$name", async ({ manifest, error }) => {
      const { code, stdout, stderr } = await kubectl.finish(["apply", "-f", "-"], manifest);
      expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: error });
    });

    it("--validate=warn keeps the rest, and warns", async () => {
      const { code, stdout, stderr } = await kubectl.finish(
        ["apply", "--validate=warn", "-f", "-"],
        configMap("warned", "datas: {a: b}"),
      );
      expect({ code, stdout }).toEqual({ code: 0, stdout: "configmap/warned created\n" });
      expect(stderr).toContain('Warning: unknown field "datas"');
    });
  });

  describe("server-side apply", () => {
    it("co-owns, conflicts and is forced", async () => {
      const apply = (replicas: number, manager: string, ...options: string[]) =>
        kubectl.finish(
          ["apply", "--server-side", `--field-manager=${manager}`, "-f", "-", ...options],
          webDeployment({ replicas }).replaceAll("name: web", "name: shared"),
        );
      expect(await apply(0, "one")).toEqual({
        code: 0,
        stdout: "deployment.apps/shared serverside-applied\n",
        stderr: "",
      });
      expect((await apply(0, "two")).code).toBe(0);
      const refused = await apply(1, "three");
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain(
        'error: Apply failed with 2 conflicts: conflicts with "one":\n- .spec.replicas\nconflicts with "two":\n- .spec.replicas\n',
      );
      expect((await apply(1, "three", "--force-conflicts")).code).toBe(0);
      const { metadata } = await kubectl.json<{
        metadata: { managedFields: { manager: string; fieldsV1: { "f:spec"?: { "f:replicas"?: object } } }[] };
      }>("get", "deployment", "shared", "--show-managed-fields");
      const owners = metadata.managedFields.filter(({ fieldsV1 }) => fieldsV1["f:spec"]?.["f:replicas"]);
      expect(owners.map(({ manager }) => manager)).toEqual(["three"]);
    });

    it("goes on from client-side apply without a conflict", async () => {
      await kubectl.apply(configMap("moved", "data: {a: b}"));
      expect(await kubectl.apply(configMap("moved", "data: {a: c}"), "--server-side")).toBe(
        "configmap/moved serverside-applied\n",
      );
      expect(await kubectl.run("get", "configmap", "moved", "-o", "jsonpath={.data.a}")).toBe("c");
    });

    it("does not know of fields that the schema lacks", async () => {
      const { stderr } = await kubectl.finish(
        ["apply", "--server-side", "-f", "-"],
        configMap("unknown", "datas: {a: b}"),
      );
      expect(stderr).toBe(
        "Error from server: failed to create typed patch object (applies/unknown; /v1, Kind=ConfigMap): .datas: field not declared in schema\n",
      );
    });

    it("applies a directory, then again without a change of resourceVersion", async () => {
      const file = work.write("ssa/cm.yaml", `${configMap("ssa-one", "data: {a: b}")}---\n${configMap("ssa-two")}`);
      const directory = file.replace("/cm.yaml", "");
      const versions = () =>
        kubectl.run("get", "configmap", "ssa-one", "ssa-two", "-o", "jsonpath={.items[*].metadata.resourceVersion}");
      const output = "configmap/ssa-one serverside-applied\nconfigmap/ssa-two serverside-applied\n";
      expect(await kubectl.run("apply", "--server-side", "-f", directory)).toBe(output);
      const before = await versions();
      expect(await kubectl.run("apply", "--server-side", "-f", directory)).toBe(output);
      expect(await versions()).toBe(before);
    });
  });

  describe("diff", () => {
    beforeAll(() => kubectl.apply(DNS, "--server-side", "--field-manager=kubeadm"));

    it("shows what apply would change, and nothing else (DEP-08)", async () => {
      const revised = () => kubectl.run("get", "deployment", "coredns", "-o", "jsonpath={.metadata.annotations}");
      await waitFor("the controller, whose write would change the diff", revised);
      const { code, stdout } = await kubectl.finish(["diff", "-f", "-"], PATCHED_DNS);
      expect(code).toBe(1);
      expect(changedLines(stdout)).toEqual([
        "-  generation: 1",
        "+  generation: 2",
        "+  minReadySeconds: 10",
        "-      maxUnavailable: 1",
        "+      maxUnavailable: 0",
      ]);
      expect(stdout).toMatch(/^ {5}type: RollingUpdate$/m);
    });

    it("--server-side against another owner gives up after four attempts (API-18)", async () => {
      const { code, stderr } = await kubectl.finish(["diff", "--server-side", "-f", "-"], PATCHED_DNS);
      expect(code).toBeGreaterThan(1);
      expect(stderr).toContain("Object (apps/v1, Kind=Deployment: coredns) keeps changing, diffing without lock\n");
      expect(stderr).toContain(
        'Error from server (Conflict): Apply failed with 1 conflict: conflict with "kubeadm": .spec.strategy.rollingUpdate.maxUnavailable\n',
      );
    });

    it("--server-side --force-conflicts shows the change", async () => {
      const { code, stdout } = await kubectl.finish(
        ["diff", "--server-side", "--force-conflicts", "-f", "-"],
        PATCHED_DNS,
      );
      expect(code).toBe(1);
      expect(changedLines(stdout)).toContain("+      maxUnavailable: 0");
    });

    it("of what does not exist is all of it; of what is equal nothing", async () => {
      const fresh = await kubectl.finish(["diff", "-f", "-"], configMap("fresh", "data: {a: b}"));
      expect(fresh.code).toBe(1);
      expect(changedLines(fresh.stdout)).toContain("+  a: b");
      expect(await kubectl.finish(["diff", "--server-side", "--field-manager=kubeadm", "-f", "-"], DNS)).toEqual({
        code: 0,
        stdout: "",
        stderr: "",
      });
    });
  });

  describe("replace", () => {
    it("puts the whole object; --force deletes and creates it anew (API-31)", async () => {
      const file = work.write("replaced.yaml", configMap("replaced", "data: {a: b}"));
      expect((await kubectl.finish(["replace", "-f", file])).stderr).toBe(
        `Error from server (NotFound): error when replacing "${file}": configmaps "replaced" not found\n`,
      );
      expect(await kubectl.run("create", "-f", file)).toBe("configmap/replaced created\n");
      const read = (path: string) => kubectl.run("get", "configmap", "replaced", "-o", `jsonpath=${path}`);
      const uid = await read("{.metadata.uid}");
      work.write("replaced.yaml", configMap("replaced", "data: {c: d}"));
      expect(await kubectl.run("replace", "-f", file)).toBe("configmap/replaced replaced\n");
      expect(await read("{.data}")).toBe('{"c":"d"}');
      expect(await read("{.metadata.uid}")).toBe(uid);
      expect(await kubectl.run("replace", "--force", "-f", file)).toBe(
        'configmap "replaced" deleted from applies namespace\nconfigmap/replaced replaced\n',
      );
      expect(await read("{.metadata.uid}")).not.toBe(uid);
    });

    it("with an old resourceVersion is a conflict", async () => {
      await kubectl.run("create", "configmap", "contested");
      const old = await kubectl.run("get", "configmap", "contested", "-o", "yaml");
      await kubectl.run("label", "configmap", "contested", "newer=yes");
      expect((await kubectl.finish(["replace", "-f", "-"], old)).stderr).toBe(
        'Error from server (Conflict): error when replacing "STDIN": Operation cannot be fulfilled on configmaps "contested": the object has been modified; please apply your changes to the latest version and try again\n',
      );
    });
  });

  describe("edit", () => {
    beforeAll(() => kubectl.apply(webDeployment({ replicas: 0 }).replaceAll("name: web", "name: edited")));

    it("sends what the editor changed", async () => {
      const editing = work.editingWith("s/replicas: 0/replicas: 1/");
      expect(await editing.run("edit", "deployment", "edited")).toBe("deployment.apps/edited edited\n");
      expect(await kubectl.run("get", "deployment", "edited", "-o", "jsonpath={.spec.replicas}")).toBe("1");
    });

    it("does nothing when nothing changed", async () => {
      const { code, stderr } = await work.editingWith("").finish(["edit", "deployment", "edited"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "Edit cancelled, no changes made.\n" });
    });

    it("tells of what the API refuses", async () => {
      const editing = work.editingWith("s/revisionHistoryLimit: 10/revisionHistoryLimit: -1/");
      const { code, stderr } = await editing.finish(["edit", "deployment", "edited"]);
      expect(code).toBe(1);
      expect(stderr).toContain('error: deployments.apps "edited" is invalid');
    });

    it("--subresource=status changes the status alone", async () => {
      const editing = work.editingWith("s/observedGeneration: .*/observedGeneration: 1000/;s/replicas: 1/replicas: 7/");
      expect(await editing.run("edit", "deployment", "edited", "--subresource=status")).toBe(
        "deployment.apps/edited edited\n",
      );
      expect(await kubectl.run("get", "deployment", "edited", "-o", "jsonpath={.spec.replicas}")).toBe("1");
    });

    it("of several objects in a list", async () => {
      await kubectl.apply(`${configMap("first", "data: {k: old}")}---\n${configMap("second", "data: {k: old}")}`);
      const editing = work.editingWith("s/k: old/k: new/");
      expect(await editing.run("edit", "configmap/first", "configmap/second")).toBe(
        "configmap/first edited\nconfigmap/second edited\n",
      );
    });
  });
}
