import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Kubectl } from "../harness/kubectl.ts";
import type { OwnCluster } from "../harness/own-cluster.ts";
import { waitFor } from "../harness/wait-for.ts";
import { configMap, Workspace, webDeployment } from "./workspace.ts";

/** `get` in its forms, `explain`, `api-resources`, `events` and what tells of the server. */
export function describeRead(cluster: () => OwnCluster): void {
  let work: Workspace;
  let kubectl: Kubectl;

  beforeAll(async () => {
    work = await Workspace.create(cluster(), "reads");
    kubectl = work.kubectl;
    const maps = ["b", "a", "c"].map((name, order) =>
      configMap(name, `data: {order: "${order}"}`).replace("}", `, labels: {set: maps, letter: ${name}}}`),
    );
    await kubectl.apply([...maps, webDeployment({ replicas: 2 })].join("---\n"));
    await waitFor("the scheduler's word on both pods", async () => {
      const events = await kubectl.run("get", "events", "--field-selector=reason=FailedScheduling", "-o", "name");
      return events.match(/^event/gm)?.length === 2;
    });
  });
  afterAll(() => work?.remove());

  const MAPS = ["get", "configmaps", "-l", "set=maps"];

  describe("get", () => {
    it.each([
      { args: [...MAPS, "-o", "name"], output: "configmap/a\nconfigmap/b\nconfigmap/c\n" },
      { args: ["get", "configmap", "a", "-o", "jsonpath-as-json={.data.order}"], output: '[\n    "1"\n]\n' },
      { args: [...MAPS, "-o", "name", "--chunk-size=1"], output: "configmap/a\nconfigmap/b\nconfigmap/c\n" },
      { args: [...MAPS, "-o", "name", "--sort-by=.data.order"], output: "configmap/b\nconfigmap/a\nconfigmap/c\n" },
      {
        args: [...MAPS, "-o", "custom-columns=NAME:.metadata.name,ORDER:.data.order,NONE:.data.none"],
        output: "NAME   ORDER   NONE\na      1       <none>\nb      0       <none>\nc      2       <none>\n",
      },
      {
        args: [...MAPS, "-o", 'jsonpath={range .items[*]}{.metadata.name}={.data.order}{"\\n"}{end}'],
        output: "a=1\nb=0\nc=2\n",
      },
      { args: [...MAPS, "-o", "go-template={{range .items}}{{.metadata.name}} {{end}}"], output: "a b c " },
      { args: ["get", "configmap", "-l", "letter in (a,b),letter!=b", "-o", "name"], output: "configmap/a\n" },
      { args: ["get", "configmap", "-l", "!set", "-o", "name"], output: "configmap/kube-root-ca.crt\n" },
      { args: ["get", "configmap", "--field-selector=metadata.name=c", "-o", "name"], output: "configmap/c\n" },
      {
        args: ["get", "configmap/a", "configmap/nothing", "--ignore-not-found", "-o", "name"],
        output: "configmap/a\n",
      },
      {
        args: [
          "get",
          "pods",
          "--field-selector=status.phase=Pending,spec.nodeName=",
          "-o",
          "jsonpath={.items[*].status.phase}",
        ],
        output: "Pending Pending",
      },
      { args: ["get", "pods", "--field-selector=status.phase!=Pending", "-o", "name"], output: "" },
      {
        args: ["get", "deployment", "web", "--subresource=scale", "-o", "jsonpath={.kind}{.spec.replicas}"],
        output: "Scale2",
      },
    ])("$args", async ({ args, output }) => expect(await kubectl.run(...args)).toBe(output));

    it.each([
      {
        args: [...MAPS, "-L", "letter"],
        want: /^NAME +DATA +AGE +LETTER\na +1 +\S+ +a\nb +1 +\S+ +b\nc +1 +\S+ +c\n$/,
      },
      { args: [...MAPS, "--show-labels", "--no-headers"], want: /^a +1 +\S+ +letter=a,set=maps\n/ },
      { args: [...MAPS, "--sort-by=.data.order"], want: /^NAME +DATA +AGE\nb .*\na .*\nc .*\n$/ },
      { args: [...MAPS, "-A"], want: /^NAMESPACE +NAME +DATA +AGE\nreads +a +1 / },
      {
        args: ["get", "all"],
        want: /^NAME .*\npod\/web-.*\n(.*\n)*\nNAME .*\ndeployment\.apps\/web .*\n\nNAME .*\nreplicaset\.apps\/web-/,
      },
      {
        args: ["get", "configmap", "a", "-o", "yaml"],
        want: /^apiVersion: v1\ndata:\n {2}order: "1"\nkind: ConfigMap\nmetadata:\n/,
      },
      {
        args: ["get", "pods", "-o", "wide"],
        want: /^NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +NOMINATED NODE +READINESS GATES\nweb-\S+ +0\/1 +Pending +0 +\S+ +<none> +<none> +<none> +<none>\n/,
      },
      {
        args: ["get", "deployment", "-o", "wide"],
        want: /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE +CONTAINERS +IMAGES +SELECTOR\nweb +0\/2 +2 +0 +\S+ +nginx +nginx:1\.29 +app=web\n$/,
      },
      {
        args: ["get", "deployment", "web", "--subresource=scale"],
        want: /^NAME +DESIRED +AVAILABLE +AGE\nweb +2 +2 +\S+\n$/,
      },
      { args: ["get", "events"], want: /^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE *\n/ },
      { args: ["get", "leases", "-A"], want: /^NAMESPACE +NAME +HOLDER +AGE *\n|^$/ },
      { args: ["get", "componentstatuses"], want: /^NAME +STATUS +MESSAGE +ERROR *\n(\S+ +Healthy +ok +\n){3}$/ },
    ])("$args", async ({ args, want }) => expect(await kubectl.run(...args)).toMatch(want));

    it.each([
      { args: ["pods", "nothing"], error: 'Error from server (NotFound): pods "nothing" not found\n' },
      {
        args: ["componentstatus", "nothing"],
        error:
          'Warning: v1 ComponentStatus is deprecated in v1.19+\nError from server (NotFound): componentstatus "nothing" not found\n',
      },
      { args: ["nothing"], error: 'error: the server doesn\'t have a resource type "nothing"\n' },
      {
        args: ["pods", "--field-selector=spec.nothing=1"],
        error:
          'Error from server (BadRequest): Unable to find "/v1, Resource=pods" that match label selector "", field selector "spec.nothing=1": field label not supported: spec.nothing\n',
      },
      {
        args: ["--raw", "/nothing"],
        error: "Error from server (NotFound): the server could not find the requested resource\n",
      },
      { args: ["pods", "-n", "nowhere"], code: 0, error: "No resources found in nowhere namespace.\n" },
    ])("of what is not there: $args", async ({ args, error, code = 1 }) => {
      expect(await kubectl.finish(["get", ...args])).toEqual({ code, stdout: "", stderr: error });
    });

    it("of Endpoints warns (API-29)", async () => {
      const { stderr } = await kubectl.finish(["get", "endpoints"]);
      expect(stderr).toContain(
        "Warning: v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice\n",
      );
    });

    it("-w of one name shows that one", async () => {
      const watching = kubectl.start(["get", "configmap", "a", "-w", "-o", "name"]);
      let seen = "";
      watching.stdout.setEncoding("utf8").on("data", (text: string) => {
        seen += text;
      });
      try {
        await waitFor("its start", () => seen === "configmap/a\n");
        await kubectl.run("annotate", "configmap/b", "note=other");
        await kubectl.run("annotate", "configmap/a", "note=this");
        await waitFor("its change", () => seen === "configmap/a\nconfigmap/a\n");
      } finally {
        watching.kill();
      }
    });

    it("--raw, a page", async () => {
      const page = JSON.parse(
        await kubectl.run("get", "--raw", "/api/v1/namespaces/reads/configmaps?limit=1&labelSelector=set%3Dmaps"),
      ) as { kind: string; metadata: { continue: string; remainingItemCount?: number }; items: object[] };
      expect(page).toMatchObject({ kind: "ConfigMapList", items: [{ metadata: { name: "a" } }] });
      expect(page.metadata.continue).toBeTruthy();
      expect(page.metadata.remainingItemCount).toBeUndefined(); // upstream does not count behind a selector
    });

    it("-w shows what enters, changes and leaves, as a table and by name (API-23)", async () => {
      const watching = kubectl.start(["get", "configmaps", "-l", "set=watched", "-w", "--output-watch-events"]);
      let seen = "";
      watching.stdout.setEncoding("utf8").on("data", (text: string) => {
        seen += text;
      });
      try {
        await kubectl.apply(configMap("watched").replace("}", ", labels: {set: watched}}"));
        await waitFor("its start", () => /^ADDED +watched +0 /m.test(seen));
        await kubectl.run("patch", "configmap", "watched", "--type=merge", "-p", '{"data":{"k":"v"}}');
        await waitFor("its change", () => /^MODIFIED +watched +1 /m.test(seen));
        await kubectl.run("label", "configmap", "watched", "set-");
        await waitFor("its leave", () => /^DELETED +watched +1 /m.test(seen));
      } finally {
        watching.kill();
      }
      expect(seen).toMatch(/^EVENT +NAME +DATA +AGE\nADDED .*\nMODIFIED .*\nDELETED .*\n$/);
    });
  });

  describe("explain (API-27)", () => {
    it("a field, with its own description before that of its type", async () => {
      const text = await kubectl.run("explain", "pods.spec.containers.resources");
      expect(text).toMatch(/^KIND: {7}Pod\nVERSION: {4}v1\n\nFIELD: resources <ResourceRequirements>\n/);
      expect(text).toContain("  requests\t<map[string]Quantity>\n");
    });

    it("--recursive", async () => {
      const text = await kubectl.run("explain", "deployment", "--recursive");
      expect(text).toMatch(/^GROUP: {6}apps\nKIND: {7}Deployment\nVERSION: {4}v1\n/);
      expect(text).toMatch(/^ {8}containers\t<\[\]Container> -required-$/m);
      expect(text).toMatch(/^ {4}strategy\t<DeploymentStrategy>\n {6}rollingUpdate\t<RollingUpdateDeployment>$/m);
    });

    it("another version", async () => {
      expect(await kubectl.run("explain", "hpa.spec", "--api-version=autoscaling/v1")).toContain(
        "  targetCPUUtilizationPercentage\t<integer>\n",
      );
      expect(await kubectl.run("explain", "hpa.spec")).toContain("  metrics\t<[]MetricSpec>\n");
    });

    it("--output=plaintext-openapiv2", async () => {
      const text = await kubectl.run("explain", "pods.spec.restartPolicy", "--output=plaintext-openapiv2");
      expect(text).toMatch(/^KIND: {5}Pod\nVERSION: {2}v1\n\nFIELD: {4}restartPolicy <string>\n\nDESCRIPTION:\n/);
      expect(await kubectl.run("explain", "deployment", "--recursive", "--output=plaintext-openapiv2")).toMatch(
        /^ {12}containers\t<\[\]Object>$/m,
      );
    });

    it("what there is not", async () => {
      expect((await kubectl.finish(["explain", "pods.spec.nothing"])).stderr).toBe(
        'error: field "nothing" does not exist\n',
      );
      expect((await kubectl.finish(["explain", "nothing"])).stderr).toBe(
        'the server doesn\'t have a resource type "nothing"\n',
      );
    });
  });

  describe("discovery", () => {
    it("api-resources: exactly the two lines of ingresses without the Gateway API (API-11, ING-02)", async () => {
      const lines = (await kubectl.run("api-resources")).split("\n").filter((line) => /gateway|ingress/i.test(line));
      expect(lines.map((line) => line.replaceAll(/ +/g, " "))).toEqual([
        "ingressclasses networking.k8s.io/v1 false IngressClass",
        "ingresses ing networking.k8s.io/v1 true Ingress",
      ]);
    });

    it("api-resources of a group, wide, with its verbs and categories", async () => {
      const text = await kubectl.run("api-resources", "--api-group=apps", "-o", "wide");
      const verbs = "create,delete,deletecollection,get,list,patch,update,watch";
      expect(text.split("\n").map((line) => line.trim().replaceAll(/ +/g, " "))).toEqual([
        "NAME SHORTNAMES APIVERSION NAMESPACED KIND VERBS CATEGORIES",
        `controllerrevisions apps/v1 true ControllerRevision ${verbs}`,
        `daemonsets ds apps/v1 true DaemonSet ${verbs} all`,
        `deployments deploy apps/v1 true Deployment ${verbs} all`,
        `replicasets rs apps/v1 true ReplicaSet ${verbs} all`,
        `statefulsets sts apps/v1 true StatefulSet ${verbs} all`,
        "",
      ]);
    });

    it("api-resources that may be listed can be listed", async () => {
      const resources = await kubectl.run("api-resources", "--verbs=list", "-o", "name");
      const all = resources.trim().split("\n").join(",");
      const { code, stderr } = await kubectl.finish(["get", all, "-A", "-o", "name"]);
      expect({ code, errors: stderr.split("\n").filter((line) => line && !line.startsWith("Warning: ")) }).toEqual({
        code: 0,
        errors: [],
      });
    });

    it("api-versions, sorted", async () => {
      const versions = (await kubectl.run("api-versions")).trim().split("\n");
      expect(versions).toEqual(versions.toSorted());
      expect(versions).toEqual(
        expect.arrayContaining(["apps/v1", "autoscaling/v1", "autoscaling/v2", "events.k8s.io/v1", "v1"]),
      );
    });

    it("cluster-info and version", async () => {
      // Coloured, as upstream's is on a terminal or not.
      expect(await kubectl.run("cluster-info")).toMatch(
        /Kubernetes control plane.* is running at .*https:\/\/127\.0\.0\.1:\d+/,
      );
      expect(await kubectl.run("version")).toMatch(
        /^Client Version: v1\.\d+\.\d+\nKustomize Version: v\S+\nServer Version: v1\.36\.2\+hearth\.\d+\.\d+\.\d+\n$/,
      );
    });
  });

  describe("events (CMD-02, API-24)", () => {
    it("of one object, by type, and sorted", async () => {
      const pod = (await kubectl.run("get", "pods", "-o", "jsonpath={.items[0].metadata.name}")).trim();
      expect(await kubectl.run("events", "--for", `pod/${pod}`)).toMatch(
        new RegExp(
          `^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE *\\n\\S+ +Warning +FailedScheduling +Pod/${pod} +no nodes`,
        ),
      );
      const warnings = await kubectl.run("events", "--types=Warning", "--no-headers");
      expect(
        warnings
          .trim()
          .split("\n")
          .every((line) => /^\S+ +Warning /.test(line)),
      ).toBe(true);
      expect(await kubectl.run("get", "events", "--field-selector=involvedObject.name=web")).toMatch(
        /Normal +ScalingReplicaSet +deployment\/web +Scaled up replica set web-\w+ from 0 to 2/,
      );
      expect(await kubectl.run("get", "events", "-A", "--sort-by=.lastTimestamp")).toContain("ScalingReplicaSet");
    });

    it("describe has them at the bottom (CMD-03)", async () => {
      expect(await kubectl.run("describe", "deployment", "web")).toMatch(
        /\nEvents:\n {2}Type +Reason +Age +From +Message\n.*\n {2}Normal +ScalingReplicaSet +\S+ +deployment-controller +Scaled up[^\n]*\n$/,
      );
    });
  });
}
