import { beforeAll, describe, expect, it } from "vitest";
import { referencesOf } from "../../../shared/api/pod-references.ts";
import { testApi } from "../testing/api.ts";
import type { Access } from "./access.ts";
import { parseImpersonation } from "./impersonation.ts";
import { authorizeNode } from "./node.ts";
import { ruleAllows } from "./rbac.ts";

const access = (part: Partial<Access>): Access => ({
  user: { username: "amy", groups: [] },
  verb: "get",
  isResource: true,
  group: "",
  version: "v1",
  resource: "pods",
  subresource: "",
  namespace: "default",
  name: "",
  path: "",
  ...part,
});

describe("a policy rule", () => {
  const rule = (part: object) => ({ verbs: ["get"], apiGroups: [""], resources: ["pods"], ...part });
  it.each([
    { name: "allows what it names", rule: rule({}), access: {}, want: true },
    { name: "names verbs one by one", rule: rule({}), access: { verb: "list" }, want: false },
    { name: "does not reach a subresource", rule: rule({}), access: { subresource: "log" }, want: false },
    {
      name: "reaches the one it names",
      rule: rule({ resources: ["pods/log"] }),
      access: { subresource: "log" },
      want: true,
    },
    {
      name: "reaches a subresource of all",
      rule: rule({ resources: ["*/scale"] }),
      access: { subresource: "scale" },
      want: true,
    },
    { name: "is of a group", rule: rule({ apiGroups: ["apps"] }), access: {}, want: false },
    { name: "may pin names", rule: rule({ resourceNames: ["a"] }), access: { name: "b" }, want: false },
    {
      name: "with names covers no create",
      rule: rule({ verbs: ["create"], resourceNames: ["a"] }),
      access: { verb: "create" },
      want: false,
    },
    {
      name: "of stars allows all",
      rule: { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      access: { verb: "x", subresource: "y" },
      want: true,
    },
    {
      name: "of paths is for paths",
      rule: { verbs: ["get"], nonResourceURLs: ["/healthz/*"] },
      access: { isResource: false, path: "/healthz/ping" },
      want: true,
    },
    {
      name: "ends a tree at its slash",
      rule: { verbs: ["get"], nonResourceURLs: ["/a/*"] },
      access: { isResource: false, path: "/a" },
      want: false,
    },
  ])("$name", ({ rule, access: part, want }) => expect(ruleAllows(rule, access(part))).toBe(want));
});

it("reads whom a request impersonates", () => {
  const headers = new Headers({
    "impersonate-user": "amy",
    "impersonate-extra-a%2Fb": "c",
    "impersonate-extra-%zz": "d",
  });
  expect(parseImpersonation(headers)).toEqual({
    username: "amy",
    groups: [],
    uid: "",
    extra: { "a/b": ["c"], "%zz": ["d"] },
  });
});

it("finds what a pod refers to", () => {
  const pod = {
    metadata: { name: "p" },
    spec: {
      imagePullSecrets: [{ name: "pull" }],
      volumes: [{ secret: { secretName: "vol" } }, { projected: { sources: [{ configMap: { name: "proj" } }] } }],
      containers: [
        { env: [{ valueFrom: { secretKeyRef: { name: "env" } } }], envFrom: [{ configMapRef: { name: "from" } }] },
      ],
    },
  };
  const { secrets, configmaps, serviceaccounts } = referencesOf(pod);
  expect([...secrets!].sort()).toEqual(["env", "pull", "vol"]);
  expect([...configmaps!].sort()).toEqual(["from", "proj"]);
  expect([...serviceaccounts!]).toEqual(["default"]);
});

describe("a node reads claims and volumes of its own pods", () => {
  const pods = [
    {
      metadata: { name: "p", namespace: "default" },
      spec: {
        volumes: [
          { name: "v", persistentVolumeClaim: { claimName: "c" } },
          { name: "tmp", ephemeral: {} },
        ],
      },
    },
  ];
  const volumes: Record<string, object> = {
    mine: { claimRef: { namespace: "default", name: "c" } },
    other: { claimRef: { namespace: "other", name: "c" } },
    free: {},
  };
  const claims = "persistentvolumeclaims";
  it.each([
    { name: "a claim that a pod names", access: { resource: claims, name: "c" }, want: true },
    { name: "one that was made for a pod", access: { resource: claims, name: "p-tmp" }, want: true },
    { name: "a claim of another namespace", access: { resource: claims, name: "c", namespace: "other" }, want: false },
    { name: "a claim of nobody", access: { resource: claims, name: "d" }, want: false },
    { name: "a list of claims", access: { resource: claims, verb: "list" }, want: false },
    { name: "a change of one", access: { resource: claims, name: "c", verb: "update" }, want: false },
    {
      name: "the volume of a claim",
      access: { resource: "persistentvolumes", name: "mine", namespace: "" },
      want: true,
    },
    { name: "another's", access: { resource: "persistentvolumes", name: "other", namespace: "" }, want: false },
    { name: "one that is free", access: { resource: "persistentvolumes", name: "free", namespace: "" }, want: false },
    { name: "none", access: { resource: "persistentvolumes", name: "none", namespace: "" }, want: false },
  ])("$name: $want", async ({ access: part, want }) => {
    const { allowed } = await authorizeNode("n1", access(part), {
      podsOfNode: async () => pods,
      volumeByName: async (name) => (volumes[name] ? { metadata: { name }, spec: volumes[name] } : undefined),
    });
    expect(allowed).toBe(want);
  });
});

describe("access to the API", () => {
  const api = testApi();
  const amy = api.as({ username: "amy", groups: ["system:authenticated"] });
  const node = api.as({ username: "system:node:n1", groups: ["system:nodes", "system:authenticated"] });
  const anonymous = api.as({ username: "system:anonymous", groups: ["system:unauthenticated"] });

  beforeAll(async () => {
    await api.post("/api/v1/namespaces", { metadata: { name: "default" } });
    const viewer = "system:public-info-viewer";
    await api.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", {
      metadata: { name: viewer },
      rules: [{ nonResourceURLs: ["/readyz", "/version"], verbs: ["get"] }],
    });
    await api.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      metadata: { name: viewer },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: viewer },
      subjects: [{ kind: "Group", name: "system:unauthenticated", apiGroup: "rbac.authorization.k8s.io" }],
    });
    await api.post("/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", {
      metadata: { name: "r" },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }],
    });
    await api.post("/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", {
      metadata: { name: "b" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
      subjects: [{ kind: "User", name: "amy", apiGroup: "rbac.authorization.k8s.io" }],
    });
  });

  it("is closed by default, with upstream's words", async () => {
    const { code, body } = await amy.get("/api/v1/namespaces/default/secrets/s");
    expect(code).toBe(403);
    expect(body.message).toBe(
      'secrets "s" is forbidden: User "amy" cannot get resource "secrets" in API group "" in the namespace "default"',
    );
    expect(body.details).toEqual({ name: "s", kind: "secrets" });
  });

  it("follows a role that is bound", async () => {
    expect((await amy.get("/api/v1/namespaces/default/configmaps/x")).code).toBe(404);
    expect((await amy.get("/api/v1/namespaces/default/configmaps")).code).toBe(403);
    expect((await amy.get("/api/v1/namespaces/other/configmaps/x")).code).toBe(403);
  });

  it("shows the anonymous what a binding shows them", async () => {
    expect((await anonymous.get("/readyz")).code).toBe(200);
    expect((await anonymous.get("/version")).code).toBe(200);
    expect((await anonymous.get("/api")).code).toBe(403);
    expect((await anonymous.get("/api/v1/pods")).code).toBe(403);
  });

  it("keeps a node to itself", async () => {
    expect((await node.get("/api/v1/nodes/n2")).body.message).toContain(
      "node 'n1' cannot read 'n2', only its own Node object",
    );
    expect((await node.get("/api/v1/pods")).code).toBe(403);
    expect((await node.get("/api/v1/pods?fieldSelector=spec.nodeName%3Dn1")).code).toBe(200);
    expect((await node.get("/api/v1/namespaces/default/secrets/s")).body.message).toContain("no relationship found");
    expect((await node.get("/api/v1/services")).code).toBe(200);
  });

  it("lets who may impersonate", async () => {
    const asAmy = { "impersonate-user": "amy" };
    expect((await api.get("/api/v1/nodes", asAmy)).code).toBe(403);
    expect((await amy.get("/api/v1/nodes", { "impersonate-user": "admin" })).code).toBe(403);
  });
});
