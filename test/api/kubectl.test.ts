import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Kubectl } from "../harness/kubectl.ts";
import { OwnCluster } from "../harness/own-cluster.ts";
import { waitFor } from "../harness/wait-for.ts";

let cluster: OwnCluster;
let kubectl: Kubectl;

beforeAll(async () => {
  cluster = await OwnCluster.prepare();
  await cluster.up("--no-node");
  kubectl = new Kubectl(cluster.kubeconfigFile);
  await waitFor("the default service account", () => kubectl.run("get", "serviceaccount", "default"));
});

afterAll(() => cluster?.remove());

const web = (image = "nginx:1.29", replicas = 3) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: nginx, image: "${image}", ports: [{containerPort: 80}]}
`;

describe("discovery and schema", () => {
  it("api-resources lists short names, versions, scope and kinds", async () => {
    const text = await kubectl.run("api-resources");
    expect(text).toMatch(/^pods +po +v1 +true +Pod$/m);
    expect(text).toMatch(/^deployments +deploy +apps\/v1 +true +Deployment$/m);
    expect(text).toMatch(/^nodes +no +v1 +false +Node$/m);
    expect(text).toMatch(/^ingresses +ing +networking\.k8s\.io\/v1 +true +Ingress$/m);
  });

  it("explain", async () => {
    const text = await kubectl.run("explain", "deployment.spec.strategy");
    expect(text).toMatch(/KIND: +Deployment/);
    expect(text).toContain("rollingUpdate");
    expect(text).toContain("Recreate");
  });

  it("version", async () => {
    const { serverVersion } = await kubectl.json<{ serverVersion: { gitVersion: string } }>("version");
    expect(serverVersion.gitVersion).toMatch(/^v1\.36\.2\+hearth\./);
  });

  it("readyz?verbose begins as upstream's (API-21)", async () => {
    const lines = (await kubectl.run("get", "--raw", "/readyz?verbose")).split("\n");
    expect(lines.slice(0, 8)).toEqual([
      "[+]ping ok",
      "[+]log ok",
      "[+]etcd ok",
      "[+]etcd-readiness ok",
      "[+]informer-sync ok",
      "[+]poststarthook/start-apiserver-admission-initializer ok",
      "[+]poststarthook/generic-apiserver-start-informers ok",
      "[+]poststarthook/priority-and-fairness-config-consumer ok",
    ]);
  });

  it("an unknown kind (API-10)", async () => {
    const { code, stderr } = await kubectl.finish(
      ["apply", "--dry-run=server", "-f", "-"],
      "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: orders, namespace: default}\n",
    );
    expect(code).toBe(1);
    expect(stderr).toContain('no matches for kind "HTTPRoute" in version "gateway.networking.k8s.io/v1"');
    expect(stderr).toContain("ensure CRDs are installed first");
  });
});

describe("managing a Deployment without nodes", () => {
  it("apply, apply again, diff, scale, and back (API-14, API-15, API-16, DEP-05)", async () => {
    expect(await kubectl.apply(web(), "--dry-run=server")).toBe("deployment.apps/web created (server dry run)\n");
    expect((await kubectl.finish(["get", "deployment", "web"])).stderr).toContain(
      'Error from server (NotFound): deployments.apps "web" not found',
    );
    expect(await kubectl.apply(web())).toBe("deployment.apps/web created\n");
    expect(await kubectl.apply(web())).toBe("deployment.apps/web unchanged\n");
    expect((await kubectl.finish(["create", "-f", "-"], web())).stderr).toContain(
      'Error from server (AlreadyExists): error when creating "STDIN": deployments.apps "web" already exists',
    );
    await waitFor(
      "three pods",
      async () => (await kubectl.run("get", "pods", "-l", "app=web", "-o", "name")).match(/^pod\/web-/gm)?.length === 3,
    );

    expect(await kubectl.run("scale", "deployment", "web", "--replicas=5")).toBe("deployment.apps/web scaled\n");
    const diff = await kubectl.finish(["diff", "-f", "-"], web());
    expect(diff.code).toBe(1);
    expect(diff.stdout).toMatch(/^- +generation: 2$/m);
    expect(diff.stdout).toMatch(/^\+ +generation: 3$/m);
    expect(diff.stdout).toMatch(/^- +replicas: 5$/m);
    expect(diff.stdout).toMatch(/^\+ +replicas: 3$/m);
    expect(await kubectl.run("get", "deployment", "web", "-o", "yaml")).toContain(
      'deployment.kubernetes.io/revision: "1"',
    );
    expect(diff.stdout.split("\n").filter((line) => /^[-+] /.test(line))).toHaveLength(4);
    await waitFor(
      "five pods",
      async () => (await kubectl.run("get", "pods", "-l", "app=web", "-o", "name")).match(/^pod\/web-/gm)?.length === 5,
    );
    expect(await kubectl.apply(web())).toBe("deployment.apps/web configured\n");
    await waitFor(
      "three pods again",
      async () => (await kubectl.run("get", "pods", "-l", "app=web", "-o", "name")).match(/^pod\/web-/gm)?.length === 3,
    );
    expect((await kubectl.finish(["diff", "-f", "-"], web())).code).toBe(0);
  });

  it("a new image is a new revision; undo goes back (DEP-06, DEP-07, DEP-09)", async () => {
    expect(await kubectl.run("set", "image", "deployment/web", "nginx=nginx:1.30")).toBe(
      "deployment.apps/web image updated\n",
    );
    await waitFor("a second revision", async () =>
      /^2 +<none>$/m.test(await kubectl.run("rollout", "history", "deployment/web")),
    );
    expect(await kubectl.run("rollout", "undo", "deployment/web")).toBe("deployment.apps/web rolled back\n");
    await waitFor("revision 3", async () =>
      /^3 +<none>$/m.test(await kubectl.run("rollout", "history", "deployment/web")),
    );
    expect(await kubectl.run("get", "replicasets", "-l", "app=web", "-o", "name")).toMatch(
      /^(replicaset\.apps\/web-[a-z0-9]+\n){2}$/,
    );
  });

  it("names, tables and columns (API-25, API-26, DEP-02, DEP-03)", async () => {
    await kubectl.run("label", "deployment", "web", "app=web");
    const text = await kubectl.run("get", "deployment,replicaset,pod", "-l", "app=web", "-o", "wide");
    const header = (...columns: string[]) => new RegExp(`^${columns.join(" +")} *$`, "m");
    expect(text).toMatch(header("NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE", "CONTAINERS", "IMAGES", "SELECTOR"));
    expect(text).toMatch(header("NAME", "DESIRED", "CURRENT", "READY", "AGE", "CONTAINERS", "IMAGES", "SELECTOR"));
    expect(text).toMatch(
      header("NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE", "READINESS GATES"),
    );
    expect(text).toMatch(/^deployment\.apps\/web +0\/3 +\d +0 .* app=web$/m);
    expect(text).toMatch(/^replicaset\.apps\/web-[a-z0-9]+ .* app=web,pod-template-hash=[a-z0-9]+$/m);
    expect(text).toMatch(/^pod\/web-[a-z0-9]+-[a-z0-9]{5} +0\/1 +Pending +0 /m);
  });

  it("describe and yaml", async () => {
    const described = await kubectl.run("describe", "deployment", "web");
    expect(described).toMatch(/StrategyType: +RollingUpdate/);
    expect(described).toContain("25% max unavailable, 25% max surge");
    expect(described).toMatch(
      /Normal +ScalingReplicaSet .* deployment-controller +Scaled up replica set web-[a-z0-9]+ from 0 to 3/,
    );
    const yaml = await kubectl.run("get", "deployment", "web", "-o", "yaml");
    expect(yaml).toMatch(/^apiVersion: apps\/v1\nkind: Deployment\nmetadata:\n/);
    expect(yaml).toMatch(/progressDeadlineSeconds: 600/);
  });

  it("pods wait for a node, and say why", async () => {
    const described = await waitFor("the scheduler's word", async () => {
      const [pod] = (await kubectl.run("get", "pods", "-l", "app=web", "-o", "name")).split("\n");
      const text = await kubectl.run("describe", pod!); // of several at once, kubectl shows no events
      return text.includes("FailedScheduling") && text;
    });
    expect(described).toMatch(/Warning +FailedScheduling .* default-scheduler +no nodes available to schedule pods/);
  });

  it("delete takes everything that belongs to it (CTL-02)", async () => {
    expect(await kubectl.run("delete", "deployment", "web")).toBe(
      'deployment.apps "web" deleted from default namespace\n',
    );
    await waitFor(
      "nothing left",
      async () => (await kubectl.run("get", "replicasets,pods", "-l", "app=web", "-o", "name")) === "",
    );
  });
});

describe("namespaces (CTL-01, CTL-03, CTL-07)", () => {
  it("come with a service account and the CA, and go with all they hold", async () => {
    await kubectl.run("create", "namespace", "shop");
    await waitFor("its service account", () => kubectl.run("get", "sa", "default", "-n", "shop"));
    await waitFor("the CA", async () =>
      (await kubectl.run("get", "cm", "kube-root-ca.crt", "-n", "shop", "-o", "jsonpath={.data.ca\\.crt}")).startsWith(
        "-----BEGIN CERTIFICATE-----",
      ),
    );
    expect(await kubectl.run("get", "ns", "shop", "--show-labels")).toContain("kubernetes.io/metadata.name=shop");
    await kubectl.run("create", "configmap", "settings", "-n", "shop", "--from-literal=a=b");
    await kubectl.run("create", "deployment", "api", "-n", "shop", "--image=api:1");
    await kubectl.run("delete", "namespace", "shop", "--timeout=120s");
    expect((await kubectl.finish(["get", "namespace", "shop"])).stderr).toContain("NotFound");
    await kubectl.run("create", "namespace", "shop");
    expect(await kubectl.run("get", "deployments,pods", "-n", "shop", "-o", "name")).toBe("");
  });
});

describe("patching and editing", () => {
  it("merge, JSON and strategic patches", async () => {
    await kubectl.run("create", "configmap", "patched", "--from-literal=a=1");
    await kubectl.run("patch", "configmap", "patched", "--type=merge", "-p", '{"data":{"b":"2"}}');
    await kubectl.run("patch", "configmap", "patched", "--type=json", "-p", '[{"op":"remove","path":"/data/a"}]');
    await kubectl.run("patch", "configmap", "patched", "-p", '{"metadata":{"labels":{"x":"y"}}}');
    const patched = await kubectl.json<{ data: object; metadata: { labels: object } }>("get", "configmap", "patched");
    expect(patched).toMatchObject({ data: { b: "2" }, metadata: { labels: { x: "y" } } });
    expect(patched.data).not.toHaveProperty("a");
    await kubectl.run("label", "configmap", "patched", "x-");
    await kubectl.run("annotate", "configmap", "patched", "note=here");
    await kubectl.run("delete", "configmap", "patched");
  });

  it("validation errors print as upstream's (API-09)", async () => {
    const { stderr } = await kubectl.finish(
      ["apply", "-f", "-"],
      web().replace("app: web}}\n  template", "app: other}}\n  template"),
    );
    expect(stderr).toContain(
      'The Deployment "web" is invalid: spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    );
  });
});
