import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Kubectl } from "../harness/kubectl.ts";
import type { OwnCluster } from "../harness/own-cluster.ts";
import { waitFor } from "../harness/wait-for.ts";
import { Workspace } from "./workspace.ts";

interface Case {
  args: string[];
  output: string;
  /** A field of what was created, and what it holds. */
  what?: string;
  path?: string;
  want?: string;
}

// kubectl sends these in protobuf: each answer shows that the API has read the fields.
const CREATES: Case[] = [
  {
    args: ["deployment", "web", "--image=nginx:1.29", "--replicas=2", "--port=80"],
    output: "deployment.apps/web created\n",
    what: "deployment/web",
    path: ".spec.template.spec.containers[0].ports[0].containerPort",
    want: "80",
  },
  {
    args: ["configmap", "settings", "--from-literal=a=b"],
    output: "configmap/settings created\n",
    what: "configmap/settings",
    path: ".data",
    want: '{"a":"b"}',
  },
  {
    args: ["secret", "generic", "password", "--from-literal=a=b"],
    output: "secret/password created\n",
    what: "secret/password",
    path: ".data",
    want: '{"a":"Yg=="}',
  },
  {
    args: ["secret", "docker-registry", "pull", "--docker-username=u", "--docker-password=p", "--docker-server=r"],
    output: "secret/pull created\n",
    what: "secret/pull",
    path: ".type",
    want: "kubernetes.io/dockerconfigjson",
  },
  { args: ["serviceaccount", "robot"], output: "serviceaccount/robot created\n" },
  {
    args: ["job", "once", "--image=busybox", "--", "echo", "hi"],
    output: "job.batch/once created\n",
    what: "job/once",
    path: ".spec.template.spec.containers[0].command",
    want: '["echo","hi"]',
  },
  {
    args: ["cronjob", "often", "--image=busybox", "--schedule=*/5 * * * *"],
    output: "cronjob.batch/often created\n",
    what: "cronjob/often",
    path: ".spec.schedule",
    want: "*/5 * * * *",
  },
  {
    args: ["job", "now", "--from=cronjob/often"],
    output: "job.batch/now created\n",
    what: "job/now",
    path: ".metadata.annotations.cronjob\\.kubernetes\\.io/instantiate",
    want: "manual",
  },
  {
    args: ["role", "reader", "--verb=get,list", "--resource=pods,deployments.apps", "--resource-name=a"],
    output: "role.rbac.authorization.k8s.io/reader created\n",
    what: "role/reader",
    path: ".rules[*].apiGroups[0]",
    want: " apps",
  },
  {
    args: ["rolebinding", "reads", "--role=reader", "--serviceaccount=creates:robot"],
    output: "rolebinding.rbac.authorization.k8s.io/reads created\n",
    what: "rolebinding/reads",
    path: ".roleRef.kind",
    want: "Role",
  },
  {
    args: ["clusterrole", "health", "--verb=get", "--non-resource-url=/healthz/*"],
    output: "clusterrole.rbac.authorization.k8s.io/health created\n",
    what: "clusterrole/health",
    path: ".rules[0].nonResourceURLs",
    want: '["/healthz/*"]',
  },
  {
    args: ["clusterrolebinding", "health", "--clusterrole=health", "--user=jane", "--group=devs"],
    output: "clusterrolebinding.rbac.authorization.k8s.io/health created\n",
    what: "clusterrolebinding/health",
    path: ".subjects[*].kind",
    want: "User Group",
  },
  {
    args: ["quota", "limits", "--hard=pods=50,secrets=40"],
    output: "resourcequota/limits created\n",
    what: "quota/limits",
    path: ".spec.hard",
    want: '{"pods":"50","secrets":"40"}',
  },
  {
    args: ["poddisruptionbudget", "web", "--selector=app=web", "--min-available=50%"],
    output: "poddisruptionbudget.policy/web created\n",
    what: "pdb/web",
    path: ".spec.minAvailable",
    want: "50%",
  },
  {
    args: ["priorityclass", "high", "--value=10", "--preemption-policy=Never"],
    output: "priorityclass.scheduling.k8s.io/high created\n",
    what: "priorityclass/high",
    path: ".preemptionPolicy",
    want: "Never",
  },
  {
    args: ["ingress", "shop", "--rule=a.example/path*=web:80,tls=cert", "--class=nginx"],
    output: "ingress.networking.k8s.io/shop created\n",
    what: "ingress/shop",
    path: ".spec.rules[0].http.paths[0].pathType",
    want: "Prefix",
  },
  {
    args: ["service", "clusterip", "inside", "--tcp=80:8080"],
    output: "service/inside created\n",
    what: "service/inside",
    path: ".spec.ports[0].targetPort",
    want: "8080",
  },
  {
    args: ["service", "nodeport", "outside", "--tcp=80", "--node-port=31080"],
    output: "service/outside created\n",
    what: "service/outside",
    path: ".spec.ports[0].nodePort",
    want: "31080",
  },
  { args: ["service", "loadbalancer", "balanced", "--tcp=80"], output: "service/balanced created\n" },
  {
    args: ["service", "externalname", "elsewhere", "--external-name=a.example"],
    output: "service/elsewhere created\n",
    what: "service/elsewhere",
    path: ".spec.externalName",
    want: "a.example",
  },
  { args: ["namespace", "created"], output: "namespace/created created\n" },
];

/** `create` of every kind it knows, `run`, `expose`, `autoscale`, and what asks about identity and nodes. */
export function describeCreate(cluster: () => OwnCluster): void {
  let work: Workspace;
  let kubectl: Kubectl;

  beforeAll(async () => {
    work = await Workspace.create(cluster(), "creates");
    kubectl = work.kubectl;
  });
  afterAll(() => work?.remove());

  const field = (what: string, path: string) => kubectl.run("get", what, "-o", `jsonpath={${path}}`);

  it.each(CREATES)("create $args", async ({ args, output, what, path, want }) => {
    expect(await kubectl.run("create", ...args)).toBe(output);
    if (what) expect(await field(what, path!)).toBe(want);
  });

  it("create again, and of a name that may not be", async () => {
    expect((await kubectl.finish(["create", "configmap", "settings"])).stderr).toBe(
      'error: failed to create configmap: configmaps "settings" already exists\n',
    );
    expect((await kubectl.finish(["create", "namespace", "Not_Valid"])).stderr).toContain(
      'The Namespace "Not_Valid" is invalid: metadata.name: Invalid value: "Not_Valid": a lowercase RFC 1123 label must consist of',
    );
    expect((await kubectl.finish(["create", "quota", "odd", "--hard=cpu=1", "--scopes=BestEffort"])).stderr).toBe(
      'error: failed to create quota: ResourceQuota "odd" is invalid: spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource\n',
    );
  });

  it("create of a List, and --raw", async () => {
    const items = ["one", "two"].map((name) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } }));
    const list = work.write("list.json", JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    expect(await kubectl.run("create", "-f", list)).toBe("configmap/one created\nconfigmap/two created\n");
    const collection = "/api/v1/namespaces/creates/configmaps";
    const raw = work.write("raw.json", JSON.stringify({ ...items[0], metadata: { name: "raw" } }));
    expect(JSON.parse(await kubectl.run("create", "--raw", collection, "-f", raw))).toMatchObject({
      kind: "ConfigMap",
      metadata: { name: "raw", namespace: "creates" },
    });
    expect(JSON.parse(await kubectl.run("delete", "--raw", `${collection}/raw`))).toMatchObject({
      kind: "Status",
      status: "Success",
      details: { name: "raw", kind: "configmaps" },
    });
  });

  it("--dry-run=server of a Service and of a Pod allocates nothing (API-06 to API-08)", async () => {
    const dry = ["--dry-run=server", "-o"];
    expect(
      await kubectl.run("create", "service", "clusterip", "dry", "--tcp=80", ...dry, "jsonpath={.spec.clusterIP}"),
    ).toBe("10.96.0.0");
    expect(await kubectl.run("run", "dry", "--image=nginx:1.29", ...dry, "jsonpath={.status}")).toBe(
      '{"phase":"Pending","qosClass":"BestEffort"}',
    );
    expect((await kubectl.finish(["get", "service/dry", "pod/dry"])).stderr).toContain('services "dry" not found');
  });

  it("run, with --expose and again (API-17, CMD-04)", async () => {
    expect(await kubectl.run("run", "test", "--image=nginx:1.29", "--env=A=B", "--port=80", "--expose")).toBe(
      "service/test created\npod/test created\n",
    );
    expect(await field("pod/test", ".spec.containers[0].env[0].value")).toBe("B");
    expect((await kubectl.finish(["run", "test", "--image=nginx:1.29"])).stderr).toBe(
      'Error from server (AlreadyExists): pods "test" already exists\n',
    );
  });

  it("expose and autoscale", async () => {
    expect(await kubectl.run("expose", "deployment", "web", "--port=80", "--target-port=8080", "--name=exposed")).toBe(
      "service/exposed exposed\n",
    );
    expect(await field("service/exposed", ".spec.selector")).toBe('{"app":"web"}');
    expect(await kubectl.run("autoscale", "deployment", "web", "--min=1", "--max=4", "--cpu=50%")).toBe(
      "horizontalpodautoscaler.autoscaling/web autoscaled\n",
    );
    expect(await kubectl.run("get", "hpa", "web")).toMatch(
      /^NAME +REFERENCE +TARGETS +MINPODS +MAXPODS +REPLICAS +AGE\nweb +Deployment\/web +cpu: <unknown>\/50% +1 +4 +\d+ +\S+\n$/,
    );
    expect(await field("horizontalpodautoscalers.v1.autoscaling/web", ".spec.targetCPUUtilizationPercentage")).toBe(
      "50",
    );
  });

  describe("identity", () => {
    const robot = "--as=system:serviceaccount:creates:robot";

    it("auth whoami and can-i, for oneself and for another (CMD-14)", async () => {
      expect(await kubectl.run("auth", "whoami", "-o", "jsonpath={.status.userInfo.groups}")).toBe(
        '["system:masters","system:authenticated"]',
      );
      expect(await kubectl.run("auth", "can-i", "create", "pods")).toBe("yes\n");
      expect(await kubectl.finish(["auth", "can-i", "get", "pods", robot])).toMatchObject({ code: 1, stdout: "no\n" });
      expect(await kubectl.run("auth", "can-i", "get", "pods/a", robot)).toBe("yes\n");
      expect(await kubectl.run("auth", "can-i", "--list", robot)).toMatch(
        /^deployments\.apps +\[\] +\[a\] +\[get list\]$/m,
      );
      expect((await kubectl.finish(["get", "secrets", robot])).stderr).toBe(
        'Error from server (Forbidden): secrets is forbidden: User "system:serviceaccount:creates:robot" cannot list resource "secrets" in API group "" in the namespace "creates"\n',
      );
    });

    it("auth reconcile adds the rules that are missing", async () => {
      const role = `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: creates}
rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]
`;
      expect(await kubectl.run("auth", "reconcile", "-f", work.write("role.yaml", role))).toBe(
        "role.rbac.authorization.k8s.io/reader reconciled\n",
      );
      expect(await field("role/reader", ".rules[*].resources[0]")).toBe("pods deployments secrets");
    });

    it("create token: for an audience, and one that the API takes", async () => {
      const claims = (token: string) =>
        JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()) as {
          aud: string[];
          iat: number;
          exp: number;
        };
      const { aud, iat, exp } = claims(
        await kubectl.run("create", "token", "robot", "--duration=1h", "--audience=other"),
      );
      expect({ aud, seconds: exp - iat }).toEqual({ aud: ["other"], seconds: 3600 });
      const token = (await kubectl.run("create", "token", "robot")).trim();
      // The admin's own credentials would win over --token.
      const asRobot = ["--kubeconfig", work.write("robot.kubeconfig", await anonymousKubeconfig()), "--token", token];
      expect(await kubectl.run(...asRobot, "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")).toBe(
        "system:serviceaccount:creates:robot",
      );
    });

    async function anonymousKubeconfig(): Promise<string> {
      const config = await kubectl.json<{ users: { user: object }[] }>("config", "view", "--raw");
      for (const entry of config.users) entry.user = {};
      return JSON.stringify(config);
    }
  });

  describe("a Node made by hand", () => {
    beforeAll(async () => {
      await kubectl.apply("apiVersion: v1\nkind: Node\nmetadata: {name: by-hand}\n");
      await waitFor("the taint of a node that is not ready", () => field("node/by-hand", ".spec.taints"));
    });
    afterAll(() => kubectl.run("delete", "node", "by-hand"));

    it.each([
      { args: ["cordon", "by-hand"], output: "node/by-hand cordoned\n" },
      { args: ["cordon", "by-hand"], output: "node/by-hand already cordoned\n" },
      { args: ["uncordon", "by-hand"], output: "node/by-hand uncordoned\n" },
      { args: ["taint", "node", "by-hand", "a=b:NoSchedule"], output: "node/by-hand tainted\n" },
      {
        args: ["taint", "node", "by-hand", "a=c:NoSchedule"],
        error: "error: node by-hand already has a taint(s) with same effect(s) and --overwrite is false\n",
      },
      { args: ["taint", "node", "by-hand", "a=c:NoSchedule", "--overwrite"], output: "node/by-hand modified\n" },
      { args: ["taint", "node", "by-hand", "a-"], output: "node/by-hand untainted\n" },
      {
        args: ["drain", "by-hand", "--dry-run=server"],
        output: "node/by-hand cordoned (server dry run)\nnode/by-hand drained (server dry run)\n",
      },
      { args: ["drain", "by-hand"], output: "node/by-hand cordoned\nnode/by-hand drained\n" },
    ])("$args", async ({ args, output, error }) => {
      const finished = await kubectl.finish(args);
      expect(finished).toEqual({ code: error ? 1 : 0, stdout: output ?? "", stderr: error ?? "" });
    });

    it("is listed and described", async () => {
      expect(await kubectl.run("get", "nodes", "-o", "wide")).toMatch(
        /^NAME +STATUS +ROLES +AGE +VERSION +INTERNAL-IP +EXTERNAL-IP +OS-IMAGE +KERNEL-VERSION +CONTAINER-RUNTIME *\nby-hand +(Unknown|NotReady),SchedulingDisabled +<none> /,
      );
      expect(await kubectl.run("describe", "node", "by-hand")).toMatch(/^Unschedulable: +true$/m);
    });
  });
}
