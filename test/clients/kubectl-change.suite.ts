import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Kubectl } from "../harness/kubectl.ts";
import type { OwnCluster } from "../harness/own-cluster.ts";
import { configMap, Workspace, webDeployment } from "./workspace.ts";

/** `patch`, `label`, `annotate`, `scale` and `set`. */
export function describeChanges(cluster: () => OwnCluster): void {
  let work: Workspace;
  let kubectl: Kubectl;

  beforeAll(async () => {
    work = await Workspace.create(cluster(), "changes");
    kubectl = work.kubectl;
    await kubectl.apply(webDeployment({ replicas: 0 }));
  });
  afterAll(() => work?.remove());

  const field = (path: string, what = "deployment/web") => kubectl.run("get", what, "-o", `jsonpath={${path}}`);

  describe("patch", () => {
    const patch = (...args: string[]) => kubectl.finish(["patch", "deployment", "web", ...args]);

    it("strategic: merges containers by name; the same again is no change", async () => {
      const body =
        '{"spec":{"template":{"spec":{"containers":[{"name":"nginx","image":"nginx:9"},{"name":"side","image":"side:1"}]}}}}';
      expect((await patch("-p", body)).stdout).toBe("deployment.apps/web patched\n");
      expect((await patch("-p", body)).stdout).toBe("deployment.apps/web patched (no change)\n");
      expect(await field(".spec.template.spec.containers[*].image")).toBe("nginx:9 side:1");
      const removal = '{"spec":{"template":{"spec":{"containers":[{"$patch":"delete","name":"side"}]}}}}';
      expect((await patch("--type=strategic", "-p", removal)).code).toBe(0);
      expect(await field(".spec.template.spec.containers[*].name")).toBe("nginx");
    });

    it("merge: replaces lists, null removes", async () => {
      expect((await patch("--type=merge", "-p", '{"metadata":{"annotations":{"note":"x"}}}')).code).toBe(0);
      expect(await field(".metadata.annotations.note")).toBe("x");
      expect((await patch("--type=merge", "-p", '{"metadata":{"annotations":{"note":null}}}')).code).toBe(0);
      expect(await field(".metadata.annotations.note")).toBe("");
    });

    it("json: operations in order, none of them if a test fails", async () => {
      const operations =
        '[{"op":"test","path":"/spec/replicas","value":0},{"op":"replace","path":"/spec/paused","value":true}]';
      expect((await patch("--type=json", "-p", operations)).code).toBe(0);
      expect(await field(".spec.paused")).toBe("true");
      const failing = '[{"op":"remove","path":"/spec/paused"},{"op":"test","path":"/spec/replicas","value":9}]';
      expect(await patch("--type=json", "-p", failing)).toEqual({
        code: 1,
        stdout: "",
        stderr: "The request is invalid: the server rejected our request due to an error in our request\n",
      });
      expect(await field(".spec.paused")).toBe("true");
      expect((await patch("--type=json", "-p", '[{"op":"remove","path":"/spec/paused"}]')).code).toBe(0);
    });

    it("--patch-file in YAML", async () => {
      const file = work.write("patch.yaml", "metadata:\n  labels:\n    from: file\n");
      expect((await patch("--patch-file", file)).code).toBe(0);
      expect(await field(".metadata.labels.from")).toBe("file");
    });

    it("--subresource=scale and status", async () => {
      expect((await patch("--subresource=scale", "--type=merge", "-p", '{"spec":{"replicas":2}}')).stdout).toBe(
        "scale.autoscaling/web patched\n",
      );
      expect(await field(".spec.replicas")).toBe("2");
      const status = '{"spec":{"replicas":9},"status":{"collisionCount":3}}';
      expect((await patch("--subresource=status", "--type=merge", "-p", status)).code).toBe(0);
      expect(await field(".spec.replicas")).toBe("2");
      expect(await field(".status.collisionCount")).toBe("3");
      expect((await patch("--subresource=scale", "--type=merge", "-p", '{"spec":{"replicas":0}}')).code).toBe(0);
    });

    it("--dry-run=server writes nothing", async () => {
      const dry = await patch("--dry-run=server", "--type=merge", "-p", '{"metadata":{"labels":{"dry":"yes"}}}');
      expect(dry.stdout).toBe("deployment.apps/web patched\n"); // patch alone says nothing of the dry run
      expect(await field(".metadata.labels.dry")).toBe("");
    });

    it.each([
      {
        name: "of another type",
        args: ["--type=merge", "-p", '{"spec":{"replicas":"x"}}'],
        error:
          /^The request is invalid: patch: Invalid value: "\{.*\}": json: cannot unmarshal string into Go struct field DeploymentSpec\.spec\.replicas of type int32\n$/,
      },
      {
        name: "of an immutable field",
        args: [
          "--type=merge",
          "-p",
          '{"spec":{"selector":{"matchLabels":{"app":"web","more":"yes"}},"template":{"metadata":{"labels":{"more":"yes"}}}}}',
        ],
        error:
          /^The Deployment "web" is invalid: spec\.selector: Invalid value: \{"matchLabels":\{"app":"web","more":"yes"\}\}: field is immutable\n$/,
      },
      {
        name: "of what is no object",
        args: ["--type=json", "-p", '{"a":"b"}'],
        error: /^Error from server \(BadRequest\): .*json: cannot unmarshal object into Go value of type/,
      },
    ])("refuses one $name", async ({ args, error }) => {
      const { code, stderr } = await patch(...args);
      expect(code).toBe(1);
      expect(stderr).toMatch(error);
    });

    it("warns of an unknown field", async () => {
      expect(await patch("--type=merge", "-p", '{"spec":{"rep":2}}')).toEqual({
        code: 0,
        stdout: "deployment.apps/web patched (no change)\n",
        stderr: 'Warning: unknown field "spec.rep"\n',
      });
    });
  });

  describe("label and annotate", () => {
    beforeAll(() => kubectl.apply(`${configMap("one")}---\n${configMap("two")}`));

    it.each([
      { args: ["label", "deployment/web", "tier=front"], output: "deployment.apps/web labeled\n" },
      { args: ["label", "deployment/web", "tier=front"], output: "deployment.apps/web not labeled\n" },
      {
        args: ["label", "deployment/web", "tier=back"],
        error: "error: 'tier' already has a value (front), and --overwrite is false\n",
      },
      { args: ["label", "deployment/web", "tier=back", "--overwrite"], output: "deployment.apps/web labeled\n" },
      { args: ["label", "deployment/web", "tier-"], output: "deployment.apps/web unlabeled\n" },
      {
        args: ["label", "deployment/web", "tier-"],
        output: 'label "tier" not found.\ndeployment.apps/web not labeled\n',
      },
      {
        args: ["label", "configmap", "one", "two", "set=both"],
        output: "configmap/one labeled\nconfigmap/two labeled\n",
      },
      {
        args: ["label", "configmap", "-l", "set=both", "more=x"],
        output: "configmap/one labeled\nconfigmap/two labeled\n",
      },
      { args: ["annotate", "deployment/web", "note=two words"], output: "deployment.apps/web annotated\n" },
      {
        args: ["annotate", "deployment/web", "note=other"],
        error:
          "error: --overwrite is false but found the following declared annotation(s): 'note' already has a value (two words)\n",
      },
      { args: ["annotate", "deployment/web", "note-"], output: "deployment.apps/web annotated\n" },
      {
        args: ["label", "configmap/one", "x=y", "--resource-version=1"],
        error:
          'Error from server (Conflict): Operation cannot be fulfilled on configmaps "one": the object has been modified; please apply your changes to the latest version and try again\n',
      },
    ])("$args", async ({ args, output, error }) => {
      const finished = await kubectl.finish(args);
      expect(finished).toEqual({ code: error ? 1 : 0, stdout: output ?? "", stderr: error ?? "" });
    });
  });

  describe("scale", () => {
    it.each([
      { args: ["--replicas=1", "--current-replicas=9"], error: "error: Expected replicas to be 9, was 0\n" },
      { args: ["--replicas=1", "--dry-run=server"], output: "deployment.apps/web scaled (server dry run)\n" },
      { args: ["--replicas=1", "--current-replicas=0"], output: "deployment.apps/web scaled\n" },
      {
        args: ["--replicas=0", "--resource-version=1"],
        error: /^error: Expected resource version to be 1, was \d+\n$/,
      },
      { args: ["--replicas=0"], output: "deployment.apps/web scaled\n" },
    ])("$args", async ({ args, output, error }) => {
      const { code, stdout, stderr } = await kubectl.finish(["scale", "deployment", "web", ...args]);
      expect({ code, stdout }).toEqual({ code: error ? 1 : 0, stdout: output ?? "" });
      expect(stderr).toMatch(error ?? "");
    });

    it("of what has no scale", async () => {
      const { code, stderr } = await kubectl.finish(["scale", "configmap", "one", "--replicas=1"]);
      expect(code).toBe(1);
      expect(stderr).toContain("Error from server (NotFound): the server could not find the requested resource");
    });
  });

  describe("set", () => {
    beforeAll(async () => {
      await kubectl.run("create", "configmap", "settings", "--from-literal=KEY=value");
      await kubectl.run("create", "serviceaccount", "robot");
      await kubectl.run("create", "service", "clusterip", "web", "--tcp=80");
      await kubectl.run("create", "role", "reader", "--verb=get", "--resource=pods");
      await kubectl.run("create", "rolebinding", "reads", "--role=reader", "--user=jane");
    });

    it.each([
      {
        args: ["image", "deployment/web", "nginx=nginx:1.30"],
        output: "deployment.apps/web image updated\n",
        path: ".spec.template.spec.containers[0].image",
        want: "nginx:1.30",
      },
      { args: ["image", "deployment/web", "nope=nginx:1"], error: 'error: unable to find container named "nope"\n' },
      {
        args: ["env", "deployment/web", "A=1", "B=2"],
        output: "deployment.apps/web env updated\n",
        path: ".spec.template.spec.containers[0].env",
        want: '[{"name":"A","value":"1"},{"name":"B","value":"2"}]',
      },
      {
        args: ["env", "deployment/web", "A-", "--from=configmap/settings"],
        output: "deployment.apps/web env updated\n",
        path: ".spec.template.spec.containers[0].env[*].name",
        want: "B KEY",
      },
      {
        args: ["env", "deployment/web", "--list"],
        output: "# Deployment web, container nginx\nB=2\n# KEY from configmap settings, key KEY\n",
      },
      {
        args: ["resources", "deployment", "web", "--limits=cpu=1,memory=1024Mi", "--requests=cpu=100m"],
        output: "deployment.apps/web resource requirements updated\n",
        path: ".spec.template.spec.containers[0].resources",
        want: '{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"100m"}}',
      },
      {
        args: ["serviceaccount", "deployment", "web", "robot"],
        output: "deployment.apps/web serviceaccount updated\n",
        path: ".spec.template.spec.serviceAccountName",
        want: "robot",
      },
      {
        args: ["selector", "service", "web", "app=other"],
        output: "service/web selector updated\n",
        what: "service/web",
        path: ".spec.selector",
        want: '{"app":"other"}',
      },
      {
        args: ["subject", "rolebinding", "reads", "--serviceaccount=changes:robot", "--group=devs"],
        output: "rolebinding.rbac.authorization.k8s.io/reads subjects updated\n",
        what: "rolebinding/reads",
        path: ".subjects[*].name",
        want: "jane devs robot",
      },
    ])("$args", async ({ args, output, error, what, path, want }) => {
      const finished = await kubectl.finish(["set", ...args]);
      expect(finished).toEqual({ code: error ? 1 : 0, stdout: output ?? "", stderr: error ?? "" });
      if (path) expect(await field(path, what)).toBe(want);
    });
  });
}
